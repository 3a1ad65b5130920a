// Claims of other field managers on declared fields. The API server names them when an apply without force would take
// these fields. Invariant: a claim has names of managers and fields, never values (I11).
import { isKubeError, managerIn } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'

/** One other manager, and the declared fields that it has set to other values. */
export interface OtherClaim {
  readonly manager: string
  /** The manager in messages: without values of Secrets. */
  readonly shown: string
  readonly fields: readonly string[]
}

/** Fields that one message names for each manager. */
export const namedFields = 8

/** Returns an empty list for any error other than a conflict between field managers. */
export function otherClaimsOf(error: unknown): readonly OtherClaim[] {
  if (!isKubeError(error, 'Conflict')) return []
  const claims = error.causes.filter(({ reason }) => reason === 'FieldManagerConflict')
  const byManager = Map.groupBy(claims, ({ manager, message }) => manager ?? managerIn(message))
  return [...byManager].map(([manager, causes]) => ({
    manager,
    shown: managerIn(causes[0]?.message ?? ''),
    fields: causes.map(({ field }) => field.replace(/^\./, '')),
  }))
}

/**
 * Returns the managers that claim the field at a path in the form of `renderPath`, a part of it, or a field that
 * contains it.
 */
export function claimantsOf(path: string, claims: readonly OtherClaim[]): readonly string[] {
  return claims.filter(({ fields }) => fields.some((field) => isAbout(field, path))).map(({ shown }) => shown)
}

/** True if one of the fields is the other, or a part of it. */
export function isAbout(field: string, path: string): boolean {
  return spelledByServer(field) === spelledByServer(path) || isWithin(field, path) || isWithin(path, field)
}

/** The server writes `labels.example.com/a` for the `labels["example.com/a"]` of `renderPath`. */
const spelledByServer = (path: string): string => path.replaceAll(/\["([^"]*)"\]/g, '.$1')

const isWithin = (inner: string, outer: string): boolean =>
  inner.startsWith(outer) && /^[.[]/.test(inner.slice(outer.length))

export function takenBackEvent(object: KubeObject, claims: readonly OtherClaim[]): EventReport {
  const from = claims
    .map(({ shown, fields }) => `${fields.slice(0, namedFields).join(', ')} from "${shown}"`)
    .join(', ')
  return {
    type: 'Warning',
    reason: 'FieldsTakenBack',
    action: 'Apply',
    note: `${describeRef(refOf(object))}: took back ${from}; a field that others are to set is declared with shared()`,
  }
}
