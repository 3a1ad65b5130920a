// What is a condition, and when does it change? `lastTransitionTime` moves only when the status flips, and a list that
// says the same again is the same list, so that writing it can be skipped (I8). Source: meta/v1 Condition.
import { clippedTo } from '../base/errors.ts'

export type ConditionStatus = 'True' | 'False' | 'Unknown'

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

/** What a status function says; times and generations are the runtime's business. */
export type ConditionClaim<Type extends string = string, Reason extends string = string> = {
  readonly type: Type
  readonly status: ConditionStatus
  readonly reason: Reason
  readonly message: string
}

/** Four conditions repeat a failure, and a status is to stay below 8 KiB; the log has the whole text. meta/v1 Condition allows 32,768. */
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
 * The conditions to write: exactly the claimed types, in the order claimed. A type claimed twice keeps its first claim.
 * Conditions of types nobody claims are dropped: they would no longer be true of anything.
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
      // Functions of authors report it, whatever their types say.
      message: typeof message === 'string' ? clippedTo(maxMessageLength, message) : '',
      observedGeneration,
      lastTransitionTime,
    })
  }
  return [...merged.values()]
}

/**
 * A reason that the API server takes. Others report reasons too, as nodes do of pods and workers in their last words, and one word that is
 * refused would keep the whole status from being written.
 */
function reasonOf(reason: string): string {
  if (typeof reason !== 'string') return 'Unknown'
  if (reason.length <= maxReasonLength && reasonPattern.test(reason)) return reason
  const word = reason.replaceAll(/[^A-Za-z0-9]/g, '').replace(/^\d+/, '')
  return word.slice(0, maxReasonLength) || 'Unknown'
}

/** Of any type of conditions, such as a generated one whose `status` is a string. */
export function findCondition<Any extends { readonly type?: string }>(
  conditions: readonly Any[] | undefined,
  type: string,
): Any | undefined {
  return conditions?.find((condition) => condition.type === type)
}
