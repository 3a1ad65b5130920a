// Steering annotations of one resource: pause it, reconcile it now, or reconcile it at an interval. An unreadable value
// is reported in one sentence, and has the harmless effect.
import { durationMs } from '../base/duration.ts'
import { clippedTo } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { isBeingDeleted, type LiveObject, type StatusWithConditions } from '../object/object.ts'
import { steeringAnnotations } from '../object/steering-annotations.ts'

/**
 * Annotation names. `abandonAnnotation` with the value "true" releases external resources and unreachable children on
 * deletion.
 */
export const {
  paused: pausedAnnotation,
  reconcileNow: reconcileNowAnnotation,
  interval: intervalAnnotation,
  abandon: abandonAnnotation,
} = steeringAnnotations

/**
 * Returns true if the resource has the annotation `konverge.dev/abandon-external` with exactly the value "true".
 *
 * @example
 * removal: ({ object }) =>
 *   isAbandoned(object) ? { kind: 'keep', note: 'abandoned' } : { kind: 'remove', externalName, desired },
 */
export function isAbandoned({ metadata }: Pick<LiveObject, 'metadata'>): boolean {
  return metadata.annotations?.[abandonAnnotation] === 'true'
}

export interface Steering {
  /** Reason and end of the pause, as a sentence; absent: the resource is not paused. */
  readonly pause?: string
  readonly token?: string
  readonly intervalMs?: number
  /** The unreadable value, and a valid one. */
  readonly complaint?: string
}

const shortestIntervalMs = 10_000
/** Limit in characters, because the token is copied into the status. */
const longestToken = 256
/** Characters of an annotation that a message quotes. */
const longestQuote = 100
/** Longest delay of a reconcile, as a share of the interval, so that many resources do not reconcile at once. */
const jitter = 0.1

export function steeringOf(object: LiveObject): Steering {
  const { annotations = {} } = object.metadata
  const pause = pauseOf(object, annotations[pausedAnnotation])
  // A pause excludes all other annotations; the first reconcile after it answers the token.
  if (pause !== undefined) return { pause }
  const token = annotations[reconcileNowAnnotation]
  return { ...intervalOf(annotations[intervalAnnotation]), ...tokenOf(token) }
}

/** True if a client waits for the answer to a reconcile-now. */
export function isAnswerDue(token: string | undefined, status: StatusWithConditions | undefined): boolean {
  return token !== undefined && token !== status?.lastHandledReconcileAt
}

/** Uniformly distributed between the interval and a tenth more. */
export function nextRecheckMs(intervalMs: number, random: Random): number {
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

/** A value that is neither true nor false pauses: it may be meant as a pause, and a pause is harmless. */
function pauseOf(object: LiveObject, value: string | undefined): string | undefined {
  if (value === undefined || value === 'false') return undefined
  const held = heldOf(object)
  return value === 'true'
    ? `${held} until the annotation ${pausedAnnotation} is removed`
    : `${pausedAnnotation} is ${quoted(value)}, which may mean a pause: ${held} until it is "false" or removed`
}

/** Returns the pause of a resource whose spec suspends it: the same pause, kept in the manifest. */
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
