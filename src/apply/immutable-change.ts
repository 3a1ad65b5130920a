// Detects rejected changes of immutable fields, and reports the remedy. The API server has no code for that, only
// messages. Before a deletion, the applier therefore verifies by a dry run that a new object would be accepted.
// Invariant: messages name fields and never values (I11), because the server's own messages contain whole pod
// templates.
import { CodedError, unwatchedRetryMs } from '../base/errors.ts'
import { type FieldPath, renderPath } from '../diff/field-path.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { Dependents } from '../synth/field-policies.ts'

/**
 * Wordings of kinds: `field is immutable`, `updates to … are forbidden`, `may not change once set`, `cannot change
 * roleRef`.
 */
const refusalWords = /immutable|oldSelf|\b(may not|can ?not|must not) (be )?change/i
const forbiddenUpdate = [/updates to /i, / (is|are) forbidden/i] as const

/** Prefix of the client: `apply ConfigMap default/immutable-log: `. */
const attempt = /^\S+ \S+ \S+: /

/** Names and values are arbitrary; the server quotes them. */
const quoted = /"(?:[^"\\]|\\[\s\S])*\\?(?:"|$)/g

/** Fields that one message names; the log of the reconcile has the rest. */
const maxFields = 8

/**
 * Returns the immutable fields, rendered; undefined for other errors. `paths` are the changed fields: a StatefulSet
 * reports only that something in `spec` is not allowed.
 */
export function immutableFieldsOf(error: unknown, paths: readonly FieldPath[]): readonly string[] | undefined {
  if (!isKubeError(error, 'Invalid', 'Conflict')) return undefined
  const causes = error.causes.filter(({ message }) => isRejection(message))
  if (causes.length === 0 && (error.causes.length > 0 || !isRejection(error.message.replace(attempt, ''))))
    return undefined
  const changed = paths.map(renderPath)
  const refused = [...new Set(causes.map(({ field }) => field))]
  const fields = refused.flatMap((field) => {
    const below = changed.filter((path) => path.startsWith(field))
    return below.length === 0 ? [field === '' ? 'a field' : field] : below
  })
  return fields.length === 0 ? changed.slice(0, maxFields) : [...new Set(fields)].slice(0, maxFields)
}

function isRejection(message: string): boolean {
  const text = message.replace(quoted, '')
  const [updates, forbidden] = forbiddenUpdate
  const at = text.search(updates)
  return refusalWords.test(text) || (at >= 0 && forbidden.test(text.slice(at)))
}

/** Returns the error if a deletion is not allowed. */
export function immutableField(
  { object, constructPath }: DesiredObject,
  fields: readonly string[],
): CodedError<'ImmutableField'> {
  return new CodedError({
    code: 'ImmutableField',
    message: `${describeRef(refOf(object))}: ${listed(fields)} cannot change on an existing object; take the change back, or let it be deleted and created again with recreateOnChange() on construct ${constructPath}`,
    remedy: 'stop',
    retryAfterMs: unwatchedRetryMs,
  })
}

/** Returns the error if the object was created again and is still not as declared. */
export function recreatedInVain({ object }: DesiredObject, fields: readonly string[]): CodedError<'RecreatedInVain'> {
  return new CodedError({
    code: 'RecreatedInVain',
    message: `${describeRef(refOf(object))} was deleted and created again, and is still not as declared in ${listed(fields)}; find who sets that, perhaps an admission webhook`,
    remedy: 'stop',
    retryAfterMs: unwatchedRetryMs,
  })
}

export function recreationEvent(live: LiveObject, fields: readonly string[], dependents: Dependents): EventReport {
  const fate = dependents === 'orphan' ? 'what it owns stays' : 'with all that it owns'
  return {
    type: 'Warning',
    reason: 'ChildRecreated',
    action: 'Recreate',
    note: `${describeRef(refOf(live))} is deleted to be created again, ${fate}: ${listed(fields)} cannot change on an existing object`,
  }
}

function listed(fields: readonly string[]): string {
  return fields.length === 0 ? 'a field' : fields.join(', ')
}
