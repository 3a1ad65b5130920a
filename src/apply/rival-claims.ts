// Claims of other field managers on declared fields. The API server names them when an apply without force would take these fields. Invariant:
// a claim has names of managers and fields, never values (I11).
import { isKubeError, managerIn } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'

/** One other manager, and which of the declared fields it has set to something else. */
export interface RivalClaim {
  readonly manager: string
  /** The manager as people may read it: without values of Secrets. */
  readonly shown: string
  readonly fields: readonly string[]
}

/** Fields that one message names for each manager. */
export const namedFields = 8

/** Empty for any error that is no conflict between field managers. */
export function rivalClaimsOf(error: unknown): readonly RivalClaim[] {
  if (!isKubeError(error, 'Conflict')) return []
  const claims = error.causes.filter(({ reason }) => reason === 'FieldManagerConflict')
  const byManager = Map.groupBy(claims, ({ manager, message }) => manager ?? managerIn(message))
  return [...byManager].map(([manager, causes]) => ({
    manager,
    shown: managerIn(causes[0]?.message ?? ''),
    fields: causes.map(({ field }) => field.replace(/^\./, '')),
  }))
}

/** The managers who claim the field at a path, as `renderPath` renders it, a part of it, or what it is a part of. */
export function claimantsOf(path: string, claims: readonly RivalClaim[]): readonly string[] {
  return claims.filter(({ fields }) => fields.some((field) => isAbout(field, path))).map(({ shown }) => shown)
}

/** True if one of the fields is the other, or a part of it. */
export function isAbout(field: string, path: string): boolean {
  return spelledByServer(field) === spelledByServer(path) || isWithin(field, path) || isWithin(path, field)
}

/** The server writes `labels.example.com/a` where `renderPath` writes `labels["example.com/a"]`. */
const spelledByServer = (path: string): string => path.replaceAll(/\["([^"]*)"\]/g, '.$1')

const isWithin = (inner: string, outer: string): boolean =>
  inner.startsWith(outer) && /^[.[]/.test(inner.slice(outer.length))

export function takenBackEvent(object: KubeObject, claims: readonly RivalClaim[]): EventReport {
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
