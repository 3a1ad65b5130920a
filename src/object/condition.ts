// Conditions and their changes. Invariant: `lastTransitionTime` changes only with the status, and a list without a
// change equals the previous one, so that it is not written (I8). Source: meta/v1 Condition.
import { clippedTo } from '../base/errors.ts'

/** Status of a condition. */
export type ConditionStatus = 'True' | 'False' | 'Unknown'

/** A condition in a status. Source: meta/v1 Condition. */
export interface Condition {
  readonly type: string
  readonly status: ConditionStatus
  /** One CamelCase word from the kind's closed union. */
  readonly reason: string
  /** One sentence for people; never a secret. */
  readonly message: string
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
}

/** A condition as a status function returns it; the runtime adds times and generations. */
export type ConditionClaim<Type extends string = string, Reason extends string = string> = {
  readonly type: Type
  readonly status: ConditionStatus
  readonly reason: Reason
  readonly message: string
}

/**
 * Limit that keeps a status below 8 KiB although four conditions repeat a failure; the log has the whole text. meta/v1
 * Condition allows 32,768.
 */
const maxMessageLength = 1_024
const maxReasonLength = 1_024
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/

export interface MergeConditionsInput {
  readonly previous: readonly Condition[]
  readonly claims: readonly ConditionClaim[]
  readonly observedGeneration: number
  /** RFC 3339, whole seconds. */
  readonly now: string
}

/**
 * Returns the conditions to write: exactly the claimed types, in the order of the claims. If a type is claimed twice,
 * the first claim counts. Unclaimed types are dropped, because nothing keeps them true.
 */
export function mergeConditions({ previous, claims, observedGeneration, now }: MergeConditionsInput): Condition[] {
  const merged = new Map<string, Condition>()
  for (const { type, status, reason, message } of claims) {
    if (merged.has(type)) continue
    const before = previous.find((condition) => condition.type === type)
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now
    merged.set(type, {
      type,
      status,
      reason: reasonOf(reason),
      // Functions of authors may return other values than their types say.
      message: typeof message === 'string' ? clippedTo(maxMessageLength, message) : '',
      observedGeneration,
      lastTransitionTime,
    })
  }
  return [...merged.values()]
}

/**
 * Returns a reason that the API server accepts. Some reasons come from others, such as nodes and workers, and one
 * invalid word would block the whole status.
 */
function reasonOf(reason: string): string {
  if (typeof reason !== 'string') return 'Unknown'
  if (reason.length <= maxReasonLength && reasonPattern.test(reason)) return reason
  const word = reason.replaceAll(/[^A-Za-z0-9]/g, '').replace(/^\d+/, '')
  return word.slice(0, maxReasonLength) || 'Unknown'
}

/**
 * Returns the condition of this type, or undefined. Accepts any type of conditions, such as a generated one whose
 * `status` is a string.
 *
 * @example findCondition(certificate.status?.conditions, 'Ready')?.status === 'True'
 */
export function findCondition<Any extends { readonly type?: string }>(
  conditions: readonly Any[] | undefined,
  type: string,
): Any | undefined {
  return conditions?.find((condition) => condition.type === type)
}
