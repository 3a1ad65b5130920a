// Field ownership of writes through the scale endpoint.
// The endpoint sees only the replicas in managedFields, as fields of a Scale; its result is merged back into the
// object's.
// Source: k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.

import type { JsonObject } from '../../base/json.ts'
import { fieldPath } from '../../diff/field-path.ts'
import { FieldSet } from '../../diff/field-set.ts'
import { recordUpdate } from './field-manager.ts'
import { compareEntries, ManagedEntry } from './managed-entry.ts'
import {
  type Managed,
  managedFieldsOf,
  nothingManaged,
  readManagedFields,
  withManagedFields,
} from './managed-fields.ts'
import { ManagedKind } from './managed-kind.ts'

/** Returns the path of the replicas in a version: `none` for a version without scale, undefined for an unknown one. */
export type ReplicasIn = (apiVersion: string) => readonly string[] | 'none' | undefined

export interface ScaleUpdate {
  readonly live: JsonObject
  /** Object with changed replicas. */
  readonly scaled: JsonObject
  readonly manager: string
  readonly timestamp: string
}

const scaleVersion = 'autoscaling/v1'
const replicasInScale = fieldPath('spec', 'replicas')

/** Tracks writes through the scale endpoint of one version of a kind. */
export class ScaleAccount {
  readonly #apiVersion: string
  readonly #replicasIn: ReplicasIn
  /** Returns the replicas of an object, or undefined. */
  readonly #replicasOf: (object: JsonObject) => number | undefined
  readonly #scale = new ManagedKind({
    apiVersion: scaleVersion,
    kind: 'Scale',
    schema: undefined,
    resetFields: [],
    subresource: 'scale',
  })

  constructor(apiVersion: string, replicasIn: ReplicasIn, replicasOf: (object: JsonObject) => number | undefined) {
    this.#apiVersion = apiVersion
    this.#replicasIn = replicasIn
    this.#replicasOf = replicasOf
  }

  /** Returns `scaled` with the managedFields to store. */
  record({ live, scaled, manager, timestamp }: ScaleUpdate): JsonObject {
    const managed = readManagedFields(managedFieldsOf(live))
    const known = typeof managed === 'string' ? nothingManaged : managed
    const shown = written([...this.#shown(known)])
    const update = {
      live: withManagedFields(this.#scaleOf(live), shown),
      updated: this.#scaleOf(scaled),
    }
    const recorded = recordUpdate({ of: this.#scale, ...update, manager, timestamp })
    const changed = readManagedFields(managedFieldsOf(recorded))
    return withManagedFields(
      scaled,
      written(this.#putBack(known, typeof changed === 'string' ? nothingManaged : changed)),
    )
  }

  #scaleOf(object: JsonObject): JsonObject {
    const replicas = this.#replicasOf(object)
    const spec = replicas === undefined || replicas === 0 ? {} : { replicas }
    // Any uid does: it marks the object as existing.
    return { apiVersion: scaleVersion, kind: 'Scale', metadata: { uid: 'known' }, spec }
  }

  *#shown(managed: Managed): Iterable<ManagedEntry> {
    for (const entry of managed.values()) {
      const path = this.#replicasIn(entry.apiVersion)
      if (path === undefined || path === 'none' || !entry.fields.has(fieldPath(...path))) continue
      yield new ManagedEntry({ ...entry, apiVersion: scaleVersion }, FieldSet.of([replicasInScale]), entry.time)
    }
  }

  /**
   * Merges the entries of the Scale back.
   * An update's entry has another identity in a Scale, so the replicas always move to an entry without a time.
   */
  #putBack(managed: Managed, ofScale: Managed): ManagedEntry[] {
    const entries: ManagedEntry[] = []
    const left = new Map(ofScale)
    for (const [id, entry] of managed) {
      const path = this.#replicasIn(entry.apiVersion)
      if (path === undefined) continue
      const replicas = path === 'none' ? FieldSet.empty : FieldSet.of([fieldPath(...path)])
      const isOfOthers = entry.fields.intersection(replicas).isEmpty || left.delete(id)
      const kept = isOfOthers ? entry : entry.owning(entry.fields.difference(replicas))
      if (!kept.fields.isEmpty) entries.push(kept)
    }
    const path = this.#replicasIn(this.#apiVersion)
    if (path === undefined || path === 'none') return entries
    for (const [id, entry] of left) {
      if (!entry.fields.has(replicasInScale)) continue
      const identity = { ...entry, apiVersion: this.#apiVersion }
      entries.push(new ManagedEntry(identity, FieldSet.of([fieldPath(...path)]), managed.get(id)?.time))
    }
    return entries
  }
}

function written(entries: readonly ManagedEntry[]): readonly JsonObject[] | undefined {
  return entries.length === 0 ? undefined : [...entries].sort(compareEntries).map(({ json }) => json)
}
