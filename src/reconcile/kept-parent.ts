// The cached part of a resource. Invariant: it contains the kind, and the runtime's own state in metadata and status.
// Pure.
import { assert } from '../base/assert.ts'
import { isJsonObject } from '../base/json.ts'
import type { LiveObject } from '../object/object.ts'

export type Keep = (object: LiveObject) => LiveObject

interface Options {
  readonly keep?: Keep | undefined
  readonly metadataOnly?: boolean | undefined
  readonly status?: unknown
}

/**
 * Returns the transform for the resources of a controller; undefined if they are cached whole. The transform throws the
 * error of the author's function, and a TypeError if the function returns no object.
 */
export function keepOf({ keep, metadataOnly = false, status }: Options): Keep | undefined {
  assert(!metadataOnly || status === undefined, 'metadataOnly excludes status: the status has to be read to be written')
  assert(!metadataOnly || keep === undefined, 'metadataOnly excludes keep: there is nothing to choose from')
  if (metadataOnly) return metadataOf
  if (keep === undefined) return undefined
  return (object) => {
    const { apiVersion, kind, metadata } = object
    const kept: unknown = keep(object)
    if (!isJsonObject(kept)) throw new TypeError('keep returned no object')
    return { ...kept, apiVersion, kind, metadata, ...(object.status === undefined ? {} : { status: object.status }) }
  }
}

/** Returns the object as the cache holds it: whole if the transform throws. */
export function keptOf(keep: Keep | undefined, object: LiveObject): LiveObject {
  try {
    return keep?.(object) ?? object
  } catch {
    // The cache has counted and logged the error.
    return object
  }
}

function metadataOf({ apiVersion, kind, metadata }: LiveObject): LiveObject {
  const { managedFields: _, ...kept } = metadata
  return { apiVersion, kind, metadata: kept }
}
