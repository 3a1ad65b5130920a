// What does the status of a paused resource say? What the last turn found, untouched and with the generation that it was
// found for, and that nothing goes on since. So Ready is neither lost by a pause nor claimed for a spec that nobody acted on.
// What its kind knows to be otherwise by now replaces what was found.
import { type ConditionClaim, findCondition, mergeConditions } from '../object/condition.ts'
import type { StatusWithConditions } from '../object/object.ts'

export interface PausedStatusInput {
  readonly previous: StatusWithConditions | undefined
  /** Why and until when, as a sentence. */
  readonly pause: string
  /** The kind's own, of what has changed although the resource is paused. */
  readonly own?: readonly ConditionClaim[]
  readonly generation: number
  /** RFC 3339, whole seconds. */
  readonly now: string
}

/** Reconciling goes, and Progressing is False: both would promise an end that does not come. */
export function pausedStatus({
  previous = {},
  pause,
  own = [],
  generation,
  now,
}: PausedStatusInput): StatusWithConditions {
  const { conditions: before = [] } = previous
  const found = findCondition(before, 'Ready')
  const isUnknown = found === undefined || found.reason === reason
  const claims: readonly ConditionClaim[] = [
    ...own,
    ...(isUnknown ? [{ type: 'Ready', status: 'False', reason, message: pause } as const] : []),
    { type: 'Progressing', status: 'False', reason, message: pause },
    { type: 'Paused', status: 'True', reason, message: pause },
  ]
  // These three belong together.
  const judged = own.some(({ type }) => type === 'Ready') ? ['Degraded', 'Stalled'] : []
  const claimed = new Set(['Reconciling', ...judged, ...claims.map(({ type }) => type)])
  return {
    ...previous,
    conditions: [
      ...before.filter(({ type }) => !claimed.has(type)),
      ...mergeConditions({ previous: before, claims, observedGeneration: generation, now }),
    ],
  }
}

const reason = 'Paused'
