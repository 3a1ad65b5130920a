// Status of a paused resource: the conditions of the last reconcile with their generation, and that the operator does
// nothing since. Invariant: a pause neither clears Ready nor claims it for a spec that was not applied. Conditions that
// the kind knows to have changed replace earlier ones.
import { type ConditionClaim, findCondition, mergeConditions } from '../object/condition.ts'
import type { StatusWithConditions } from '../object/object.ts'

export interface PausedStatusInput {
  readonly previous: StatusWithConditions | undefined
  /** Reason and end of the pause, as a sentence. */
  readonly pause: string
  /** The kind's own conditions about changes during the pause. */
  readonly own?: readonly ConditionClaim[]
  readonly generation: number
  /** RFC 3339, whole seconds. */
  readonly now: string
}

/** Removes Reconciling, and sets Progressing to False: both would promise an end that does not come. */
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
