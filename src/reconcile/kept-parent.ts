// The part of a resource that memory holds. Invariant: its kind, and the runtime's own state in metadata and status, are always part of it. Pure.
import { assert } from '../base/assert.ts'
import { isJsonObject } from '../base/json.ts'
import type { LiveObject } from '../object/object.ts'

export type Keep = (object: LiveObject) => LiveObject

interface Options {
  readonly keep?: Keep | undefined
  readonly metadataOnly?: boolean | undefined
  readonly status?: unknown
}

/** The transform for the resources of a controller; undefined: they are held whole. It throws what the author's function throws, or if that returns no object. */
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

/** An object as memory holds it: whole where the transform throws. */
export function keptOf(keep: Keep | undefined, object: LiveObject): LiveObject {
  try {
    return keep?.(object) ?? object
  } catch {
    // The cache has counted and logged it.
    return object
  }
}

function metadataOf({ apiVersion, kind, metadata }: LiveObject): LiveObject {
  const { managedFields: _, ...kept } = metadata
  return { apiVersion, kind, metadata: kept }
}
