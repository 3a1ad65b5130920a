// Places for faults: before and after each statement of a client, and before and after each write to the API server.
import { describeCall } from '../fault-lab/api-call.ts'
import type { Fault } from '../fault-lab/fault.ts'
import type { CallRecord } from '../fault-lab/faulty-way.ts'
import type { Place } from './crash-workflow.ts'

/** A fault at the nth statement, from 1, counted over all processes. */
export interface StatementBlow<Fate extends string> {
  readonly index: number
  readonly fate: Fate
}

/** The operator dies at a write. */
export interface WriteBlow {
  readonly fault: Fault
}

export function statementPlaces<Fate extends string>(
  texts: readonly string[],
  fates: readonly Fate[],
): readonly Place<StatementBlow<Fate>>[] {
  return texts.flatMap((text, at) =>
    fates.map((fate) => ({
      title: `${fate} statement ${at + 1}: ${text.replaceAll(/\s+/g, ' ').slice(0, 100)}`,
      blow: { index: at + 1, fate },
    })),
  )
}

export function writePlaces(writes: readonly CallRecord[]): readonly Place<WriteBlow>[] {
  const seen = new Map<string, number>()
  return writes.flatMap(({ call }) => {
    const { verb, resource, subresource = '', name } = call
    const nth = (seen.get(describeCall(call)) ?? 0) + 1
    seen.set(describeCall(call), nth)
    const match = { verb, resource, subresource, ...(name === undefined ? {} : { name }) }
    return (['before', 'after'] as const).map((when) => ({
      title: `operator dies ${when} ${describeCall(call)} (${nth})`,
      blow: { fault: { match, nth, when, effect: { kind: 'freeze' } } },
    }))
  })
}
