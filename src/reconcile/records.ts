// What does the status of a resource remember of what is done outside of its objects, and may it be written now? Records are written only
// over the very records that they were decided from: whoever is behind learns it before anything is done (I3, I9).
import type { InventoryEntry } from '../apply/remote-children.ts'
import { CodedError, unwatchedRetryMs } from '../base/errors.ts'
import { deepEqual, type Json } from '../base/json.ts'
import type { ExternalRecord } from '../external/external.ts'
import { isBeingDeleted, type LiveObject, type StatusWithConditions } from '../object/object.ts'
import type { SagaRecord } from '../saga/saga.ts'
import { steeringOf } from './steering.ts'

/** A status with what the runtime keeps there for controllers with Externals, sagas and remote children. */
export interface ResourceStatus extends StatusWithConditions {
  readonly external?: readonly ExternalRecord[]
  readonly sagas?: readonly SagaRecord[]
  readonly inventory?: readonly InventoryEntry[]
}

/** All records of one resource. */
export interface Records {
  readonly external: readonly ExternalRecord[]
  readonly sagas: readonly SagaRecord[]
}

/** The records of one turn: as they stand in the cluster, and as the turn leaves them. */
export interface TurnRecords {
  readonly stored: Records
  readonly next: Records
}

/** Sound: these fields are written by the runtime and by nobody else, and their schemas are the records'. */
export function recordsOf({ status }: LiveObject): Records {
  const { external = [], sagas = [] } = (status as ResourceStatus | undefined) ?? {}
  return { external, sagas }
}

/** As they stand in a status: a list without entries is left out. */
export function recordFields({ external, sagas }: Records): Pick<ResourceStatus, 'external' | 'sagas'> {
  return { ...(external.length === 0 ? {} : { external }), ...(sagas.length === 0 ? {} : { sagas }) }
}

export function recordOf<Named extends { readonly name: string }>(
  records: readonly Named[],
  name: string,
): Named | undefined {
  return records.find((record) => record.name === name)
}

/** In the order in which they came; `record` undefined: without the one of that name. */
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
  // Records are JSON.
  return deepEqual(left as unknown as Json, right as unknown as Json)
}

/** The turn was decided from a resource that has changed since. */
export class StaleRecordsError extends CodedError<'Conflict'> {
  override readonly name = 'StaleRecordsError'

  constructor(cause?: unknown) {
    const message = 'the resource has changed since this turn began, so nothing is done outside the cluster'
    super({ code: 'Conflict', message, remedy: 'retry', cause })
  }
}

export interface LockInput {
  /** The resource as the turn knew it when it began. */
  readonly object: LiveObject
  /** As memory has it now: the turn's own writes are in it. */
  readonly newest: LiveObject | undefined
  /** The records that the turn knows to be in the cluster. */
  readonly stored: Records
}

/** The version that a write of records is locked to. Throws a StaleRecordsError when memory knows already that it is behind. */
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

/** Throws if the API server did not keep what was sent: then nothing may be done outside. */
export function assertKept(resource: string, sent: Records, written: LiveObject): void {
  const kept = recordsOf(written)
  if (areSameRecords(kept, sent)) return
  const isExternal = !areSameRecords({ ...kept, sagas: [] }, { ...sent, sagas: [] })
  const message = isExternal
    ? `the CRD of ${resource} does not keep status.external as it is sent, so nothing is made outside the cluster; give its schema the list that docs/external-resources.md shows`
    : `the CRD of ${resource} does not keep status.sagas as it is sent, so no step of a saga is taken; give its schema the list that docs/sagas.md shows`
  throw new CodedError({ code: 'RecordsNotKept', remedy: 'stop', retryAfterMs: unwatchedRetryMs, message })
}
