// Interval between two observations of an external resource. While an operation is pending, the provider's poll
// interval counts. Otherwise the cadence counts, to find drift without an event. Invariant: until that time no
// reconcile makes a call, whatever its cause.
import type { Random } from '../base/random.ts'
import type { ExternalState } from './external-state.ts'

export const defaultCadenceMs = 5 * 60_000

/** Largest delay of a reconcile beyond the cadence, as a share, so that a fleet does not reconcile at once. */
const jitter = 0.1

export interface CadenceInput {
  readonly standing: Pick<ExternalState, 'state' | 'end'>
  readonly cadenceMs: number
  readonly pollMs: number
  /**
   * Wait that a failure requested. It may shorten the cadence but not extend it, so that a repair is noticed within one
   * cadence.
   */
  readonly retryAfterMs?: number | undefined
}

/** Returns the time until calls are allowed again, in milliseconds; 0: in the next reconcile, whenever it comes. */
export function restMs({ standing, cadenceMs, pollMs, retryAfterMs }: CadenceInput): number {
  const { state, end } = standing
  if (end === 'retry') return 0
  if (state === 'failed') return Math.min(retryAfterMs ?? cadenceMs, cadenceMs)
  const isUnderWay = end === 'waiting' || state === 'pending'
  return isUnderWay ? Math.min(pollMs, cadenceMs) : cadenceMs
}

/** Returns the delay of the next reconcile: uniformly between the remaining time and that plus a tenth of the whole. */
export function nextObservationMs(
  { restMs: whole, restedMs }: { readonly restMs: number; readonly restedMs: number },
  random: Random,
): number {
  return Math.max(0, whole - restedMs) + whole * jitter * random.next()
}
