// What is an odd object? One that a real API server does not store as it was written, with an edit that must be seen.
import type { JsonObject } from '../../src/base/json.ts'
import type { KubeObject } from '../../src/object/object.ts'

export interface OddObject {
  readonly name: string
  /** The collection that the object is in. */
  readonly collection: string
  readonly desired: KubeObject
  /** The desired object after an edit, and the paths that differ then. */
  readonly edited: KubeObject
  readonly paths: readonly string[]
}

/** All odd objects are in a namespace of their own, on a server that other tests use too. */
export const namespace = 'odd'

export function object(
  apiVersion: string,
  kind: string,
  name: string,
  fields: JsonObject,
  metadata: JsonObject = {},
): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace, ...metadata }, ...fields }
}

export const selector = { matchLabels: { app: 'odd' } }
export const image = 'example/odd:1'
