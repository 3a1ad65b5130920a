// What do people ask of the operator by annotations on one resource? To leave it alone, to look at it now, or to look at it
// every so often. What cannot be read is said in one sentence and does the harmless thing.
import { durationMs } from '../base/duration.ts'
import { clippedTo } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { isBeingDeleted, type LiveObject, type StatusWithConditions } from '../object/object.ts'
import { steeringAnnotations } from '../object/steering-annotations.ts'

export const {
  paused: pausedAnnotation,
  reconcileNow: reconcileNowAnnotation,
  interval: intervalAnnotation,
  abandon: abandonAnnotation,
} = steeringAnnotations

/** Only the value "true" means it. */
export function isAbandoned({ metadata }: Pick<LiveObject, 'metadata'>): boolean {
  return metadata.annotations?.[abandonAnnotation] === 'true'
}

export interface Steering {
  /** Why and until when the resource is left alone, as a sentence; absent: it is not. */
  readonly pause?: string
  readonly token?: string
  readonly intervalMs?: number
  /** What could not be read, and what to say instead. */
  readonly complaint?: string
}

const shortestIntervalMs = 10_000
/** Characters: the token is copied into the status. */
const longestToken = 256
/** Characters of an annotation that a message quotes. */
const longestQuote = 100
/** How much later than asked a turn may come, as a share of the interval, so that a fleet does not come back at once. */
const jitter = 0.1

export function steeringOf(object: LiveObject): Steering {
  const { annotations = {} } = object.metadata
  const pause = pauseOf(object, annotations[pausedAnnotation])
  // While paused nothing else counts; the token is answered by the turn after it.
  if (pause !== undefined) return { pause }
  const token = annotations[reconcileNowAnnotation]
  return { ...intervalOf(annotations[intervalAnnotation]), ...tokenOf(token) }
}

/** Does somebody wait for the answer to a reconcile-now? */
export function isAnswerDue(token: string | undefined, status: StatusWithConditions | undefined): boolean {
  return token !== undefined && token !== status?.lastHandledReconcileAt
}

/** Even odds over the interval and a tenth more. */
export function nextLookMs(intervalMs: number, random: Random): number {
  return intervalMs * (1 + jitter * random.next())
}

function tokenOf(token: string | undefined): Pick<Steering, 'token' | 'complaint'> {
  if (token === undefined || token === '') return {}
  if (token.length <= longestToken) return { token }
  return {
    complaint: `${reconcileNowAnnotation} has ${token.length} characters; give a token of at most ${longestToken}, such as the time`,
  }
}

function quoted(value: string): string {
  return JSON.stringify(clippedTo(longestQuote, value))
}

/** A value that is neither true nor false pauses: the one who set it meant something, and waiting does no harm. */
function pauseOf(object: LiveObject, value: string | undefined): string | undefined {
  if (value === undefined || value === 'false') return undefined
  const held = heldOf(object)
  return value === 'true'
    ? `${held} until the annotation ${pausedAnnotation} is removed`
    : `${pausedAnnotation} is ${quoted(value)}, which may mean a pause: ${held} until it is "false" or removed`
}

/** The pause of a resource whose spec asks for it: the same pause, kept in the manifest. */
export function suspensionOf(object: LiveObject): string {
  return `${heldOf(object)} until spec.suspend is no longer true`
}

function heldOf(object: LiveObject): string {
  return isBeingDeleted(object) ? 'its deletion waits' : 'nothing is changed'
}

function intervalOf(value: string | undefined): Pick<Steering, 'intervalMs' | 'complaint'> {
  if (value === undefined) return {}
  const intervalMs = durationMs(value)
  if (intervalMs !== undefined && intervalMs >= shortestIntervalMs) return { intervalMs }
  return {
    complaint: `${intervalAnnotation} is ${quoted(value)}; give a duration of 10s or more, such as 10m or 1h30m`,
  }
}
