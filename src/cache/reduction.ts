// Reduction of an object before it is cached: without managedFields of other managers, and with the transform of its
// informer. Pure.
import { assert } from '../base/assert.ts'
import type { LiveObject } from '../object/object.ts'
import { keyOf } from '../object/ref.ts'
import { type TrimOptions, trim } from './trim.ts'

/**
 * Reduces an object before it is cached, e.g. removes the data of Secrets. Pure; must not change name, uid and version.
 */
export type Transform<T extends LiveObject = LiveObject> = (object: T) => T

export interface Reduction<T extends LiveObject> extends TrimOptions {
  readonly transform?: Transform<T> | undefined
  /** Keeps an object whole if `transform` throws; default: its metadata only. */
  readonly keepsWhole?: boolean | undefined
}

/** `onThrow` gets the error of the transform. */
export function reduced<T extends LiveObject>(
  object: LiveObject,
  reduction: Reduction<T>,
  onThrow: (thrown: unknown) => void,
): T {
  const { transform, keepsWhole = false } = reduction
  // The API server returns objects of the requested resource, so they have the resource's wire types.
  const trimmed = trim(object, reduction) as T
  if (transform === undefined) return trimmed
  try {
    const kept = transform(trimmed)
    assert(isSameObject(kept, trimmed), 'a transform leaves name, namespace, uid and resourceVersion alone')
    return kept
  } catch (thrown) {
    onThrow(thrown)
    if (keepsWhole) return trimmed
    // The object exists, which must be kept; the part that the transform would have removed must not.
    return { apiVersion: trimmed.apiVersion, kind: trimmed.kind, metadata: trimmed.metadata } as T
  }
}

function isSameObject(left: LiveObject, right: LiveObject): boolean {
  return (
    keyOf(left) === keyOf(right) &&
    left.metadata.uid === right.metadata.uid &&
    left.metadata.resourceVersion === right.metadata.resourceVersion
  )
}
