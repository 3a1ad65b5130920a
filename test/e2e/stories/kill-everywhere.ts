// Operator killed by SIGKILL at any write, before the API server receives it or after the API server has done it. The
// next process ends in the state of an undisturbed run, with equal numbers of created and deleted objects. The process
// after it writes nothing (I1, I3). Every write of a story of two stores is a place to die, twice. Runs on every
// server.
import { expect, it } from 'vitest'
import { describeCall } from '../../fault-lab/api-call.ts'
import type { Fault } from '../../fault-lab/fault.ts'
import type { CallRecord } from '../../fault-lab/faulty-way.ts'
import { type Ending, expectSameEnd, StoryStage, type StoryStageOptions } from '../story-stage.ts'

export function describeKillEverywhere(options: () => StoryStageOptions): void {
  it('killed at every write, ends as if it had not been killed', { timeout: 1_200_000 }, async () => {
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
    // The number of status writes depends on timing, so the last of them may be missing in a run.
    const survivors = [...endings].filter(([title, { hasDied }]) => !hasDied && !title.includes('/status'))
    expect(survivors.map(([title]) => title)).toEqual([again.title])
    expect([...endings.values()].filter(({ hasDied }) => hasDied).length, 'deaths').toBeGreaterThan(40)
  })
}

/** Returns two deaths for each write. Verb and object identify a write, and the number of equal writes before it. */
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
