// Whatever write the operator is killed at, with -9, before the API server hears of it or after it has done it: the next life
// ends in the state of an undisturbed run, with the same numbers of objects made and deleted, and the one after writes
// nothing (I1, I3). Every write of a story of two stores is a place to die, twice. It plays on every server.
import { expect, it } from 'vitest'
import { describeCall } from '../../fault-lab/api-call.ts'
import type { Fault } from '../../fault-lab/fault.ts'
import type { CallRecord } from '../../fault-lab/faulty-way.ts'
import { type Ending, expectSameEnd, StoryStage, type StoryStageOptions } from '../story-stage.ts'

export function describeKillEverywhere(options: () => StoryStageOptions): void {
  it('dies at every write and ends as if it had not', { timeout: 1_200_000 }, async () => {
    const stage = new StoryStage(options())
    const undisturbed = await stage.undisturbed()
    const again = { title: 'undisturbed again', faults: [] }
    const deaths = deathsAt(undisturbed.writes)
    const endings = new Map<string, Ending>()
    await stage.tellAll([again, ...deaths], undisturbed, ({ title }, ending) => {
      expectSameEnd(title, ending, undisturbed)
      endings.set(title, ending)
    })
    const counts = await undisturbed.counts()
    for (const [title, ending] of endings) expect(await ending.counts(), title).toEqual(counts)
    // How many status writes there are is a matter of timing, so that the last of them may not come in every run.
    const survivors = [...endings].filter(([title, { hasDied }]) => !hasDied && !title.includes('/status'))
    expect(survivors.map(([title]) => title)).toEqual([again.title])
    expect([...endings.values()].filter(({ hasDied }) => hasDied).length, 'deaths').toBeGreaterThan(40)
  })
}

/** Two for each write: the same write is known by what it does to what, and how often that came before. */
function deathsAt(
  writes: readonly CallRecord[],
): readonly { readonly title: string; readonly faults: readonly Fault[] }[] {
  const counts = new Map<string, number>()
  return writes.flatMap(({ call: { namespace: _, ...call } }) => {
    const { verb, resource, subresource = '', name } = call
    const nth = (counts.get(describeCall(call)) ?? 0) + 1
    counts.set(describeCall(call), nth)
    const match = { verb, resource, subresource, ...(name === undefined ? {} : { name }) }
    return (['before', 'after'] as const).map((when) => ({
      title: `killed ${when} ${describeCall(call)} (${nth})`,
      faults: [{ match, nth, when, effect: { kind: 'freeze' } }] as const,
    }))
  })
}
