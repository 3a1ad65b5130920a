// Ownership rules, the core of server-side apply. An update takes the fields that it changes.
// An apply owns the fields of its configuration and gives up those that it omits.
// Without force, it may not change fields of others.
// Source: sigs.k8s.io/structured-merge-diff, merge.Updater.
import { deepEqual, type Json } from '../../base/json.ts'
import { FieldSet } from '../../diff/field-set.ts'
import { type Comparison, compareTyped, isSame, withoutFields } from './compare-typed.ts'
import type { MergeType } from './merge-type.ts'
import { mergeTyped } from './merge-typed.ts'
import { withNamedFields } from './named-fields.ts'
import { ownedFields } from './owned-fields.ts'
import { reconcileGranularity } from './reconcile-granularity.ts'
import { removeItems } from './remove-items.ts'

/** Fields of one manager, in terms of one version of the kind. */
export interface Owner {
  readonly apiVersion: string
  readonly fields: FieldSet
}

/** One version of the kind. */
export interface OwnershipVersion {
  readonly apiVersion: string
  readonly type: MergeType
  /** Fields whose ownership no write through this endpoint changes. */
  readonly resetFields: FieldSet
}

/** Versions of the kind in which a manager may have written. */
export interface Versions {
  readonly current: OwnershipVersion
  /** Returns a version; undefined for a removed one, whose managers are dropped. */
  find(apiVersion: string): OwnershipVersion | undefined
  /**
   * Returns the object in another version; the same reference if it has that version.
   * Throws with the prefix `doing` if it is invalid there.
   */
  convert(object: Json, to: OwnershipVersion, doing?: string): Json
}

export type Owners<Of extends Owner> = ReadonlyMap<string, Of>

export interface Applied<Of extends Owner> {
  /** The same reference as the live object if nothing changed. */
  readonly object: Json
  readonly owners: Owners<Of>
}

const pruning = 'failed to prune fields: '

/** Fields of one manager that conflict with an apply; `manager` is its identity text. */
export interface Conflict {
  readonly manager: string
  readonly fields: FieldSet
}

/** Thrown if an apply would change fields of others. */
export class ConflictsFound extends Error {
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super('conflicts')
    this.conflicts = conflicts
  }
}

export class Ownership<Of extends Owner> {
  readonly #versions: Versions
  readonly #owns: (owner: Of, fields: FieldSet) => Of

  /** `owns` returns an owner with other fields. */
  constructor(versions: Versions, owns: (owner: Of, fields: FieldSet) => Of) {
    this.#versions = versions
    this.#owns = owns
  }

  /** Returns the owners after `live` became `now`, and the fields that the writer now owns alone. */
  update(live: Json, now: Json, owners: Owners<Of>): { readonly owners: Owners<Of>; readonly taken: FieldSet } {
    const { current } = this.#versions
    const changed = compareTyped(current.type, live, now)
    const { owners: left, comparison } = this.#settle(live, now, this.#reconciled(live, owners), {
      changed,
      force: true,
    })
    return { owners: left, taken: comparison.modified.union(comparison.added) }
  }

  /** Returns the object and its owners after `owner`, known as `manager`, applied a configuration. */
  apply(
    live: Json,
    configuration: Json,
    owners: Owners<Of>,
    by: { manager: string; owner: Of; force: boolean },
  ): Applied<Of> {
    const { current } = this.#versions
    const before = this.#reconciled(live, owners)
    const last = before.get(by.manager)
    const fields = ownedFields(current.type, configuration).recursiveDifference(current.resetFields)
    const now = new Map(before).set(by.manager, this.#owns(by.owner, fields))
    const merged = mergeTyped(current.type, live, configuration)
    const object = last === undefined ? merged : this.#prune(merged, now, last, fields)
    const changed = compareTyped(current.type, live, object)
    const { owners: left } = this.#settle(live, object, now, { changed, force: by.force, writer: by.manager })
    return { object: isSame(changed) && deepEqual(live, object) ? live : object, owners: left }
  }

  /** Takes the changed fields from all managers but the writer. Throws ConflictsFound without `force`. */
  #settle(
    live: Json,
    now: Json,
    owners: Owners<Of>,
    { changed, force, writer }: { changed: Comparison; force: boolean; writer?: string },
  ): { readonly owners: Owners<Of>; readonly comparison: Comparison } {
    const { current } = this.#versions
    const comparison = withoutFields(changed, current.resetFields)
    if (live === now) return { owners: withoutEmpty(owners), comparison }
    const byVersion = new Map<string, Comparison | undefined>([[current.apiVersion, comparison]])
    const conflicts: Conflict[] = []
    const left = new Map<string, Of>()
    for (const [manager, owner] of owners) {
      if (manager === writer) {
        left.set(manager, owner)
        continue
      }
      if (!byVersion.has(owner.apiVersion))
        byVersion.set(owner.apiVersion, this.#compareIn(owner.apiVersion, live, now))
      const difference = byVersion.get(owner.apiVersion)
      if (difference === undefined) continue
      const lost = owner.fields.intersection(difference.modified.union(difference.added))
      if (!lost.isEmpty) conflicts.push({ manager, fields: lost })
      left.set(manager, this.#owns(owner, owner.fields.difference(lost).difference(difference.removed)))
    }
    if (!force && conflicts.length > 0) throw new ConflictsFound(conflicts)
    return { owners: withoutEmpty(left), comparison }
  }

  #compareIn(apiVersion: string, live: Json, now: Json): Comparison | undefined {
    const version = this.#versions.find(apiVersion)
    if (version === undefined) return undefined
    const before = this.#versions.convert(live, version, 'failed to convert old object: ')
    const after = this.#versions.convert(now, version, 'failed to convert new object: ')
    const difference = compareTyped(version.type, before, after)
    return withoutFields(difference, version.resetFields)
  }

  #reconciled(live: Json, owners: Owners<Of>): Owners<Of> {
    const reconciled = new Map<string, Of>()
    for (const [manager, owner] of owners) {
      const version = this.#versions.find(owner.apiVersion)
      if (version === undefined) continue
      this.#versions.convert(live, version) // Throws for an object that is invalid there.
      reconciled.set(manager, this.#owns(owner, reconcileGranularity(version.type, owner.fields)))
    }
    return reconciled
  }

  /** Removes items that the manager applied last time, omits now, and that no other manager owns. */
  #prune(merged: Json, owners: Owners<Of>, last: Of, fields: FieldSet): Json {
    const { current } = this.#versions
    const version = this.#versions.find(last.apiVersion)
    if (version === undefined || last.fields.isEmpty) return merged
    // All versions must be able to represent the object, even if nothing is removed.
    const isOneVersion = [...owners.values()].every(({ apiVersion }) => apiVersion === current.apiVersion)
    if (isOneVersion && version === current && last.fields.isSubsetOf(fields)) return merged
    const { type } = version
    const all = this.#versions.convert(
      merged,
      version,
      `${pruning}failed to convert merged object to last applied version: `,
    )
    const lastFields = withNamedFields(type, last.fields)
    const kept = this.#addBackOwned(all, removeItems(type, all, lastFields), version, owners)
    const pruned = this.#versions.convert(
      kept,
      version,
      `${pruning}failed add back dangling items: failed to convert pruned object to last applied version: `,
    )
    const keptFields = withNamedFields(type, ownedFields(type, pruned))
    const dangling = withNamedFields(type, ownedFields(type, all)).difference(keptFields).intersection(lastFields)
    return this.#versions.convert(removeItems(type, all, dangling), current, pruning)
  }

  /** Restores removed items that a manager owns, first in the version of the removal. */
  #addBackOwned(merged: Json, pruned: Json, version: OwnershipVersion, owners: Owners<Of>): Json {
    const ownedBy = new Map<string, FieldSet>()
    const isFirst = ({ apiVersion }: Owner): boolean => apiVersion === version.apiVersion
    const all = [...owners.values()]
    for (const { apiVersion, fields } of [...all.filter(isFirst), ...all.filter((owner) => !isFirst(owner))]) {
      ownedBy.set(apiVersion, fields.union(ownedBy.get(apiVersion) ?? FieldSet.empty))
    }
    let whole = merged
    let left = pruned
    for (const [apiVersion, owned] of ownedBy) {
      const at = this.#versions.find(apiVersion)
      if (at === undefined) continue
      const doing = (what: string): string =>
        `${pruning}failed add back owned items: failed to convert ${what} object at version ${apiVersion}: `
      whole = this.#versions.convert(whole, at, doing('merged'))
      left = this.#versions.convert(left, at, doing('pruned'))
      const leftFields = withNamedFields(at.type, ownedFields(at.type, left))
      const keep = leftFields.union(withNamedFields(at.type, owned))
      const wholeFields = withNamedFields(at.type, ownedFields(at.type, whole))
      left = removeItems(at.type, whole, wholeFields.difference(keep))
    }
    return left
  }
}

function withoutEmpty<Of extends Owner>(owners: Owners<Of>): Owners<Of> {
  return new Map([...owners].filter(([, { fields }]) => !fields.isEmpty))
}
