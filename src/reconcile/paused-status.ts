// What does the status of a paused resource say? What the last turn found, untouched and with the generation that it was
// found for, and that nothing goes on since. So Ready is neither lost by a pause nor claimed for a spec that nobody acted on.
import { type ConditionClaim, findCondition, mergeConditions } from '../object/condition.ts'
import type { StatusWithConditions } from '../object/object.ts'

export interface PausedStatusInput {
  readonly previous: StatusWithConditions | undefined
  /** Why and until when, as a sentence. */
  readonly pause: string
  readonly generation: number
  /** RFC 3339, whole seconds. */
  readonly now: string
}

/** Reconciling goes, and Progressing is False: both would promise an end that does not come. */
export function pausedStatus({ previous = {}, pause, generation, now }: PausedStatusInput): StatusWithConditions {
  const { conditions: before = [] } = previous
  const found = findCondition(before, 'Ready')
  const isUnknown = found === undefined || found.reason === reason
  const claims: readonly ConditionClaim[] = [
    ...(isUnknown ? [{ type: 'Ready', status: 'False', reason, message: pause } as const] : []),
    { type: 'Progressing', status: 'False', reason, message: pause },
    { type: 'Paused', status: 'True', reason, message: pause },
  ]
  const claimed = new Set(['Reconciling', ...claims.map(({ type }) => type)])
  return {
    ...previous,
    conditions: [
      ...before.filter(({ type }) => !claimed.has(type)),
      ...mergeConditions({ previous: before, claims, observedGeneration: generation, now }),
    ],
  }
}

const reason = 'Paused'
