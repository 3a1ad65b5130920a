// An object that a real API server stores in another form than declared, with an edit that the comparison must find.
import type { JsonObject } from '../../src/base/json.ts'
import type { KubeObject } from '../../src/object/object.ts'

export interface OddObject {
  readonly name: string
  /** The collection of the object. */
  readonly collection: string
  readonly desired: KubeObject
  /** The desired object after an edit, and the paths that differ then. */
  readonly edited: KubeObject
  readonly paths: readonly string[]
}

/** The namespace of all these objects, on a server that other tests use too. */
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
