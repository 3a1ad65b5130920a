// References to objects. A Ref names one object of one kind; a Key names a resource of the one kind that a queue
// serves.
import type { KubeObject } from './object.ts'

/** Reference to one object. */
export interface Ref {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

declare const brand: unique symbol

/** `namespace/name`, or `name` if the kind is cluster-scoped. */
export type Key = string & { readonly [brand]: 'Key' }

/** Returns the reference to an object. */
export function refOf(object: KubeObject): Ref {
  const { namespace, name, uid } = object.metadata
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  }
}

/** `StatefulSet default/store`: the name of an object in messages. */
export function describeRef(ref: Ref): string {
  return `${ref.kind} ${ref.namespace === undefined ? '' : `${ref.namespace}/`}${ref.name}`
}

export function keyOf(object: KubeObject): Key {
  return keyFor(object.metadata.namespace, object.metadata.name)
}

/** Returns the key of the resource with this namespace and name; a cluster-scoped resource has no namespace. */
export function keyFor(namespace: string | undefined, name: string): Key {
  return (namespace === undefined ? name : `${namespace}/${name}`) as Key
}

export function parseKey(key: Key): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
