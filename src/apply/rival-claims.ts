// Who else claims fields that we declare? The API server says it when an apply without force would take them: names of managers
// and fields, never values (I11). Source: apimachinery, managedfields/internal/conflict.go.
import { isKubeError } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'

/** One other manager, and which of the declared fields it has set to something else. */
export interface RivalClaim {
  readonly manager: string
  readonly fields: readonly string[]
}

/** Fields that one message names for each manager. */
const maxFields = 8

/** Empty for any error that is no conflict between field managers. */
export function rivalClaimsOf(error: unknown): readonly RivalClaim[] {
  if (!isKubeError(error, 'Conflict')) return []
  const claims = error.causes.filter(({ reason }) => reason === 'FieldManagerConflict')
  const byManager = Map.groupBy(claims, ({ message }) => /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? '?')
  return [...byManager].map(([manager, causes]) => ({
    manager,
    fields: causes.slice(0, maxFields).map(({ field }) => field.replace(/^\./, '')),
  }))
}

export function takenBackEvent(object: KubeObject, claims: readonly RivalClaim[]): EventReport {
  const from = claims.map(({ manager, fields }) => `${fields.join(', ')} from "${manager}"`).join(', ')
  return {
    type: 'Warning',
    reason: 'FieldsTakenBack',
    action: 'Apply',
    note: `${describeRef(refOf(object))}: took back ${from}; a field that others are to set is declared with shared()`,
  }
}
