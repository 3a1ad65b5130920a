// When is a thing outside looked at again? While it is under way as often as its provider wants it, else at its cadence, for the
// drift that no event tells of. Before that no turn makes a call, whatever it came for.
import type { Random } from '../base/random.ts'
import type { Standing } from './standing.ts'

export const defaultCadenceMs = 5 * 60_000

/** How much later than the cadence a turn may come, as a share, so that a fleet does not come back at once. */
const jitter = 0.1

export interface CadenceInput {
  readonly standing: Pick<Standing, 'state' | 'end'>
  readonly cadenceMs: number
  readonly pollMs: number
  /** The wait that a failure asked for. It may be shorter than the cadence, and not longer: what somebody mends is told within one. */
  readonly retryAfterMs?: number | undefined
}

/** After how long there may be calls again; 0: in the next turn, whenever it comes. */
export function restMs({ standing, cadenceMs, pollMs, retryAfterMs }: CadenceInput): number {
  const { state, end } = standing
  if (end === 'retry') return 0
  if (state === 'failed') return Math.min(retryAfterMs ?? cadenceMs, cadenceMs)
  const isUnderWay = end === 'waiting' || state === 'pending'
  return isUnderWay ? Math.min(pollMs, cadenceMs) : cadenceMs
}

/** When a turn should come for it: even odds over what is left and a tenth of the whole more. */
export function lookInMs(
  { restMs: whole, restedMs }: { readonly restMs: number; readonly restedMs: number },
  random: Random,
): number {
  return Math.max(0, whole - restedMs) + whole * jitter * random.next()
}
