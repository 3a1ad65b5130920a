// Field management: managedFields after a write, and the object after an apply.
// Every create, update and patch calls `recordUpdate`; every server-side apply calls `applyConfiguration`.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal, in the order of NewDefaultFieldManager.
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { fieldPath } from '../../diff/field-path.ts'
import { FieldSet } from '../../diff/field-set.ts'
import { badRequest, plainError } from '../status-error.ts'
import { capUpdaters } from './cap-updaters.ts'
import { conflictError } from './conflict.ts'
import { allowedByLastApplied, withLastApplied } from './last-applied.ts'
import { type EntryIdentity, identityText, ManagedEntry, type Operation } from './managed-entry.ts'
import {
  isReset,
  type Managed,
  managedFieldsOf,
  nothingManaged,
  readManagedFields,
  withManagedFields,
  writeManagedFields,
} from './managed-fields.ts'
import { checkType, type ManagedKind, TypeFault } from './managed-kind.ts'
import { type Applied, ConflictsFound } from './ownership.ts'
import { sharedFields } from './shared-fields.ts'

export interface Update {
  readonly of: ManagedKind
  /** Live object; undefined for a create. */
  readonly live: JsonObject | undefined
  /** Object to write. If it has managedFields, they express the user's request. */
  readonly updated: JsonObject
  readonly manager: string
  /** RFC 3339, whole seconds, UTC. */
  readonly timestamp: string
}

export interface Apply {
  readonly of: ManagedKind
  /** Live object; undefined if the apply creates it. */
  readonly live: JsonObject | undefined
  readonly applied: JsonObject
  readonly manager: string
  /** True to take fields of other managers instead of a conflict. */
  readonly force: boolean
  readonly timestamp: string
}

/** Fields that no manager ever owns. */
const stripped = FieldSet.of([
  ...['apiVersion', 'kind', 'metadata'].map((name) => fieldPath(name)),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => fieldPath('metadata', name)),
])

/** Returns `updated` with the managedFields to store; the same reference if it already has them. */
export function recordUpdate(update: Update): JsonObject {
  const { live, updated } = update
  const managed = managedBefore(update)
  // An untracked object stays untracked until its first apply; a new one is tracked from the start.
  if (managed.size === 0 && live !== undefined && hasUid(live)) return withManagedFields(updated, undefined)
  try {
    const before = managedFieldsOf(live ?? updated)
    return withManagedFields(updated, writeManagedFields(managedAfter(update, managed), before))
  } catch (thrown) {
    // An object that violates its schema has no managers. Validation decides whether it is accepted.
    if (thrown instanceof TypeFault) return withManagedFields(updated, undefined)
    throw thrown
  }
}

/**
 * Returns the object after an apply, with its managedFields; the same reference as `live` if nothing changes.
 * The caller decodes and defaults it like any other input.
 * Throws StatusError: 409 for conflicts, 400, and 500 for an object that violates its schema.
 */
export function applyConfiguration(apply: Apply): JsonObject {
  const { of, applied, manager } = apply
  const live = apply.live ?? of.emptyObject
  const list = managedFieldsOf(live)
  const known = readManagedFields(list)
  if (typeof known === 'string') throw plainError(`failed to decode managed fields: ${known}`)
  if (typeText(of) !== typeText(applied)) throw badRequest(`invalid object type: ${typeText(applied)}`)
  const managed = known.size > 0 ? known : managedBeforeFirstApply(apply, live)
  if (managedFieldsOf(applied) !== undefined) throw badRequest('metadata.managedFields must be nil')
  const merged = merge(apply, live, managed)
  const object = withManagedFields(merged.object, writeManagedFields(merged.managed, list))
  return manager === 'kubectl' ? withLastApplied(object, applied) : object
}

/** Returns the managers before a write: those of the request if readable, else those of the live object. */
function managedBefore({ of, live, updated }: Update): Managed {
  const ofLive = orNothing(readManagedFields(live && managedFieldsOf(live)))
  if (of.subresource !== '') return ofLive
  const list = managedFieldsOf(updated)
  if (isReset(list)) return nothingManaged
  const wished = orNothing(readManagedFields(list))
  return wished.size === 0 ? ofLive : wished
}

function managedAfter({ of, live, updated, manager, timestamp }: Update, managed: Managed): Managed {
  const old = of.checked(live ?? of.emptyObject)
  const { owners, taken } = of.ownership.update(old, of.checked(updated), managed)
  const fields = taken.difference(stripped)
  if (fields.isEmpty) return capUpdaters(owners)
  const identity = identityOf(of, manager, 'Update')
  const id = identityText(identity)
  const all = fields.union(owners.get(id)?.fields ?? FieldSet.empty)
  return capUpdaters(new Map(owners).set(id, new ManagedEntry(identity, sharedFields(all), timestamp)))
}

/** Returns one artificial manager that owns all fields from before the first apply. */
function managedBeforeFirstApply({ of, timestamp }: Apply, live: JsonObject): Managed {
  const update = { of, live: of.emptyObject, updated: live, manager: 'before-first-apply', timestamp }
  return orFault(
    () => managedAfter(update, nothingManaged),
    (fault) => {
      const what = `failed to convert new object (${objectText(live)}) to smd typed`
      return `failed to create manager for existing fields: ${what}: ${fault}`
    },
  )
}

interface Merged {
  readonly object: JsonObject
  readonly managed: Managed
}

function merge(apply: Apply, live: JsonObject, managed: Managed): Merged {
  const { of, applied, timestamp } = apply
  orFault(
    () => checkType(of.type, applied, { duplicates: 'refused', numbers: 'floats' }),
    (fault) => `failed to create typed patch object (${objectText(applied)}): ${fault}`,
  )
  const old = orFault(
    () => of.checked(live),
    (fault) => `failed to create typed live object (${objectText(live)}): ${fault}`,
  )
  const identity = identityOf(of, apply.manager, 'Apply')
  const id = identityText(identity)
  const { object, owners } = orFault(
    () => takeOver(apply, { old, managed, identity, id }),
    (fault) => fault,
  )
  const isSame = object === old || !isJsonObject(object)
  const before = managed.get(id)
  const fields = (owners.get(id)?.fields ?? FieldSet.empty).difference(stripped)
  const after = new Map(owners)
  const time = isSame ? before?.time : timestamp
  if (fields.isEmpty) after.delete(id)
  else if (before?.time === time && before?.apiVersion === of.apiVersion && before.fields.equals(fields))
    after.set(id, before)
  else after.set(id, new ManagedEntry(identity, sharedFields(fields), time))
  return { object: isSame ? live : object, managed: after }
}

/** Applies. An apply by kubectl may take fields that kubectl's client-side apply wrote and that are unchanged since. */
function takeOver(
  { of, live, applied, manager, force }: Apply,
  { old, managed, identity, id }: { old: JsonObject; managed: Managed; identity: EntryIdentity; id: string },
): Applied<ManagedEntry> {
  const owner = new ManagedEntry(identity, FieldSet.empty, undefined)
  const attempt = (isForced: boolean): Applied<ManagedEntry> =>
    of.ownership.apply(old, applied, managed, { manager: id, owner, force: isForced })
  try {
    return attempt(force)
  } catch (thrown) {
    if (!(thrown instanceof ConflictsFound)) throw thrown
    const allowed = manager === 'kubectl' && live !== undefined ? allowedByLastApplied(of, live) : FieldSet.empty
    const conflicts = thrown.conflicts
      .map((conflict) => ({ ...conflict, fields: conflict.fields.difference(allowed) }))
      .filter(({ fields }) => !fields.isEmpty)
    if (conflicts.length > 0) throw conflictError(conflicts, managed, isTracked(live) ? 'floats' : 'integers')
    return attempt(true)
  }
}

/** Returns whether the live object has readable managedFields, as opposed to managers created by this apply. */
function isTracked(live: JsonObject | undefined): boolean {
  const known = readManagedFields(live && managedFieldsOf(live))
  return typeof known !== 'string' && known.size > 0
}

function identityOf({ apiVersion, subresource }: ManagedKind, manager: string, operation: Operation): EntryIdentity {
  return { manager: manager || 'unknown', operation, apiVersion, subresource }
}

function orNothing(managed: Managed | string): Managed {
  return typeof managed === 'string' ? nothingManaged : managed
}

/** Converts a TypeFault to a 500 without a reason. */
function orFault<Result>(run: () => Result, message: (fault: string) => string): Result {
  try {
    return run()
  } catch (thrown) {
    throw thrown instanceof TypeFault ? plainError(message(thrown.message)) : thrown
  }
}

function hasUid(object: JsonObject): boolean {
  const metadata = own(object, 'metadata')
  return isJsonObject(metadata) && Boolean(own(metadata, 'uid'))
}

/** Returns the object's namespace, name and type, as upstream's field manager prints them. */
export function objectText(object: JsonObject): string {
  const metadata = own(object, 'metadata')
  const [namespace, name] = ['namespace', 'name'].map((key) =>
    isJsonObject(metadata) ? textOf(own(metadata, key)) : '',
  )
  return `${namespace}/${name}; ${typeText(object)}`
}

/** Returns the type as Go prints it: `apps/v1, Kind=Deployment`, `/v1, Kind=Service`. */
function typeText(object: { readonly apiVersion?: Json | undefined; readonly kind?: Json | undefined }): string {
  const [group = '', version, ...more] = textOf(object.apiVersion).split('/')
  const kind = textOf(object.kind)
  if (more.length > 0) return '/, Kind='
  return version === undefined ? `/${group}, Kind=${kind}` : `${group}/${version}, Kind=${kind}`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
