// Journal entries of external resources and sagas in the status of a resource. Invariant: entries are written only over
// the entries of the decision, so that a stale reconcile fails before any effect (I3, I9).
import type { InventoryEntry } from '../apply/remote-children.ts'
import { CodedError, unwatchedRetryMs } from '../base/errors.ts'
import { deepEqual, type Json } from '../base/json.ts'
import type { ExternalRecord } from '../external/external.ts'
import { isBeingDeleted, type LiveObject, type StatusWithConditions } from '../object/object.ts'
import type { SagaRecord } from '../saga/saga.ts'
import { steeringOf } from './steering.ts'

/** Status with the fields of the runtime for Externals, sagas and remote children. */
export interface ResourceStatus extends StatusWithConditions {
  readonly external?: readonly ExternalRecord[]
  readonly sagas?: readonly SagaRecord[]
  readonly inventory?: readonly InventoryEntry[]
}

/** All journal entries of one resource. */
export interface Records {
  readonly external: readonly ExternalRecord[]
  readonly sagas: readonly SagaRecord[]
}

/** Journal entries of one reconcile: as stored in the cluster, and after the reconcile. */
export interface JournalChange {
  readonly stored: Records
  readonly next: Records
}

/** Sound: only the runtime writes these fields, and their schemas are those of the entries. */
export function recordsOf({ status }: LiveObject): Records {
  const { external = [], sagas = [] } = (status as ResourceStatus | undefined) ?? {}
  return { external, sagas }
}

/** Returns the fields of the status: empty lists are left out. */
export function recordFields({ external, sagas }: Records): Pick<ResourceStatus, 'external' | 'sagas'> {
  return { ...(external.length === 0 ? {} : { external }), ...(sagas.length === 0 ? {} : { sagas }) }
}

export function recordOf<Named extends { readonly name: string }>(
  records: readonly Named[],
  name: string,
): Named | undefined {
  return records.find((record) => record.name === name)
}

/** Keeps the order of the entries; `record` undefined: removes the entry of that name. */
export function withRecord<Named extends { readonly name: string }>(
  records: readonly Named[],
  name: string,
  record: Named | undefined,
): readonly Named[] {
  const isKnown = records.some((known) => known.name === name)
  const others = records.filter((known) => known.name !== name)
  if (record === undefined) return others
  return isKnown ? records.map((known) => (known.name === name ? record : known)) : [...others, record]
}

export function areSameRecords(left: Records, right: Records): boolean {
  // Journal entries are JSON.
  return deepEqual(left as unknown as Json, right as unknown as Json)
}

/** The resource has changed since the reconcile decided. */
export class StaleRecordsError extends CodedError<'Conflict'> {
  override readonly name = 'StaleRecordsError'

  constructor(cause?: unknown) {
    const message = 'the resource has changed since this turn began, so nothing is done outside the cluster'
    super({ code: 'Conflict', message, remedy: 'retry', cause })
  }
}

export interface LockInput {
  /** The resource at the start of the reconcile. */
  readonly object: LiveObject
  /** The newest cached resource, with the reconcile's own writes. */
  readonly newest: LiveObject | undefined
  /** The entries that the reconcile knows to be in the cluster. */
  readonly stored: Records
}

/**
 * Returns the resourceVersion that locks a write of entries. Throws a StaleRecordsError when the cache already shows a
 * newer state.
 */
export function lockedVersion({ object, newest, stored }: LockInput): string {
  const isSame =
    newest !== undefined &&
    newest.metadata.uid === object.metadata.uid &&
    newest.metadata.generation === object.metadata.generation &&
    isBeingDeleted(newest) === isBeingDeleted(object) &&
    steeringOf(newest).pause === steeringOf(object).pause &&
    areSameRecords(recordsOf(newest), stored)
  if (!isSame) throw new StaleRecordsError()
  return newest.metadata.resourceVersion
}

/** Throws if the API server did not store the sent entries: external effects are then forbidden. */
export function assertKept(resource: string, sent: Records, written: LiveObject): void {
  const kept = recordsOf(written)
  if (areSameRecords(kept, sent)) return
  const isExternal = !areSameRecords({ ...kept, sagas: [] }, { ...sent, sagas: [] })
  const message = isExternal
    ? `the CRD of ${resource} does not keep status.external as it is sent, so nothing is made outside the cluster; give its schema the list that docs/external-resources.md shows`
    : `the CRD of ${resource} does not keep status.sagas as it is sent, so no step of a saga is taken; give its schema the list that docs/sagas.md shows`
  throw new CodedError({ code: 'RecordsNotKept', remedy: 'stop', retryAfterMs: unwatchedRetryMs, message })
}
