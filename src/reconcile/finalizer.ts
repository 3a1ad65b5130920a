// How does our mark get on a resource, and off again? One patch puts finalizer and inventory labels on before anything is
// made; one takes the finalizer off after clean-up succeeded (I4). Both carry the resourceVersion that they were decided
// from, because a merge patch replaces the whole list and must never drop somebody else's finalizer.
import type { JsonObject } from '../base/json.ts'
import type { Patch } from '../kube/client.ts'
import type { LiveObject } from '../object/object.ts'
import type { Inventory } from './inventory.ts'

export const finalizer = 'konverge.dev/cleanup'

export function hasFinalizer(object: LiveObject): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false
}

export function isAdopted(object: LiveObject, inventory: Inventory): boolean {
  return (
    hasFinalizer(object) &&
    contains(object.metadata.labels, inventory.labels) &&
    contains(object.metadata.annotations, inventory.annotations)
  )
}

export function adoptionPatch(object: LiveObject, inventory: Inventory): Patch {
  const { finalizers = [], resourceVersion } = object.metadata
  return {
    type: 'merge',
    body: {
      metadata: {
        resourceVersion,
        finalizers: hasFinalizer(object) ? finalizers : [...finalizers, finalizer],
        labels: inventory.labels,
        annotations: removing(inventory.annotations),
      },
    },
  }
}

export function releasePatch(object: LiveObject): Patch {
  const { finalizers = [], resourceVersion } = object.metadata
  return {
    type: 'merge',
    body: { metadata: { resourceVersion, finalizers: finalizers.filter((name) => name !== finalizer) } },
  }
}

/** A merge patch takes away what it sets to null. */
function removing(annotations: Inventory['annotations']): JsonObject {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, value ?? null]))
}

function contains(all: Readonly<Record<string, string>> | undefined, some: Inventory['annotations']): boolean {
  return Object.entries(some).every(([key, value]) => all?.[key] === value)
}
