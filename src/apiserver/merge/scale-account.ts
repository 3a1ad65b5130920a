// Who set the number of replicas? The scale endpoint sees of managedFields only the replicas, as fields of a Scale; what it
// makes of them is put back into those of the object. Source: k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.

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

/** Where the replicas are in each version of a kind: `none` where the version has no scale, undefined for no such version. */
export type ReplicasIn = (apiVersion: string) => readonly string[] | 'none' | undefined

export interface ScaleUpdate {
  readonly live: JsonObject
  /** The object with other replicas. */
  readonly scaled: JsonObject
  readonly manager: string
  readonly timestamp: string
}

const scaleVersion = 'autoscaling/v1'
const replicasInScale = fieldPath('spec', 'replicas')

/** Keeps account of what is written through the scale endpoint of one version of a kind. */
export class ScaleAccount {
  readonly #apiVersion: string
  readonly #replicasIn: ReplicasIn
  /** The replicas of an object, absent where they are none. */
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

  /** `scaled` with its managedFields as they are to be stored. */
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
    // Only that it is there counts: the object is none that is being created.
    return { apiVersion: scaleVersion, kind: 'Scale', metadata: { uid: 'known' }, spec }
  }

  *#shown(managed: Managed): Iterable<ManagedEntry> {
    for (const entry of managed.values()) {
      const path = this.#replicasIn(entry.apiVersion)
      if (path === undefined || path === 'none' || !entry.fields.has(fieldPath(...path))) continue
      yield new ManagedEntry({ ...entry, apiVersion: scaleVersion }, FieldSet.of([replicasInScale]), entry.time)
    }
  }

  /** An update's entry is another in a Scale than in the object, so the replicas always move to one without a time. */
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
