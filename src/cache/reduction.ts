// What is kept of an object: without foreign managedFields, and as the transform of its informer leaves it. Pure.
import { assert } from '../base/assert.ts'
import type { LiveObject } from '../object/object.ts'
import { keyOf } from '../object/ref.ts'
import { type TrimOptions, trim } from './trim.ts'

/** Reduces an object before it is kept, e.g. strips the data of Secrets. Pure; must leave name, uid and version alone. */
export type Transform<T extends LiveObject = LiveObject> = (object: T) => T

export interface Reduction<T extends LiveObject> extends TrimOptions {
  readonly transform?: Transform<T> | undefined
  /** Keeps an object whole for which `transform` throws; default: its metadata only. */
  readonly keepsWhole?: boolean | undefined
}

/** `onThrow` hears what the transform threw. */
export function reduced<T extends LiveObject>(
  object: LiveObject,
  reduction: Reduction<T>,
  onThrow: (thrown: unknown) => void,
): T {
  const { transform, keepsWhole = false } = reduction
  // The API server answers with objects of the resource it was asked for, so they have the resource's wire types.
  const trimmed = trim(object, reduction) as T
  if (transform === undefined) return trimmed
  try {
    const kept = transform(trimmed)
    assert(isSameObject(kept, trimmed), 'a transform leaves name, namespace, uid and resourceVersion alone')
    return kept
  } catch (thrown) {
    onThrow(thrown)
    if (keepsWhole) return trimmed
    // What it would have removed must not be kept; that the object exists must be.
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
