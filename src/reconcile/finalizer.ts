// The operator's finalizer on a resource. One patch adds finalizer and inventory metadata before any child is created;
// another removes the finalizer after a successful cleanup (I4).
// Both patches carry the resourceVersion of their decision. A merge patch replaces the whole list, and no operator may
// remove the finalizer of another.
import { deepEqual, type JsonObject } from '../base/json.ts'
import type { Patch } from '../kube/client.ts'
import type { OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { earlierFinalizer, foreignInventory, type Inventory } from './inventory.ts'

/**
 * True if this operator cleans up for the object: by its own finalizer, or by that of an earlier version, which any
 * operator inherits.
 */
export function hasFinalizer(object: LiveObject, identity: OperatorIdentity): boolean {
  const { finalizers = [] } = object.metadata
  if (finalizers.includes(identity.qualifiedName)) return true
  if (identity.part !== undefined) return false
  return finalizers.includes(earlierFinalizer) && foreignInventory(object, identity) === undefined
}

export function isAdopted(object: LiveObject, inventory: Inventory): boolean {
  return (
    deepEqual(finalizersWith(object, inventory), object.metadata.finalizers ?? []) &&
    contains(object.metadata.labels, inventory.labels) &&
    contains(object.metadata.annotations, inventory.annotations)
  )
}

export function adoptionPatch(object: LiveObject, inventory: Inventory): Patch {
  const { resourceVersion } = object.metadata
  return {
    type: 'merge',
    body: {
      metadata: {
        resourceVersion,
        finalizers: finalizersWith(object, inventory),
        labels: inventory.labels,
        annotations: removing(inventory.annotations),
      },
    },
  }
}

export function releasePatch(object: LiveObject, { qualifiedName, part }: OperatorIdentity): Patch {
  const { finalizers = [], resourceVersion } = object.metadata
  const left = finalizers.filter((name) => name !== qualifiedName && (part !== undefined || name !== earlierFinalizer))
  return { type: 'merge', body: { metadata: { resourceVersion, finalizers: left } } }
}

/** The operator's finalizer replaces that of an earlier version. */
function finalizersWith(
  { metadata: { finalizers = [] } }: LiveObject,
  { finalizer, replaces }: Inventory,
): readonly string[] {
  const kept = finalizers.filter((name) => name === finalizer || name !== replaces)
  return kept.includes(finalizer) ? kept : [...kept, finalizer]
}

/** A merge patch removes the keys that it sets to null. */
function removing(annotations: Inventory['annotations']): JsonObject {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, value ?? null]))
}

function contains(all: Readonly<Record<string, string>> | undefined, some: Inventory['annotations']): boolean {
  return Object.entries(some).every(([key, value]) => all?.[key] === value)
}
