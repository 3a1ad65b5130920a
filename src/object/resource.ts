// What is a resource? A kind as the API server serves it: its group, version, plural path and scope. The descriptor
// carries the wire types of its Spec and Status, so that a controller is typed from it alone.
import type { KubeObject, LiveObject } from './object.ts'

export interface Resource<Spec = unknown, Status = unknown> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
  /**
   * Types only; never present at run time. A plain key, so that the generated descriptors in imports/, which must not
   * import this file, are Resources by their shape.
   */
  readonly types?: { readonly spec: Spec; readonly status: Status }
}

/** A live object of this resource; where the descriptor declares a spec, it is there. */
export type ObjectOf<R extends Resource> =
  R extends Resource<infer Spec, infer Status>
    ? LiveObject<Spec, Status> & (unknown extends Spec ? unknown : { readonly spec: Spec })
    : never

/** Makes a descriptor; the type arguments are the wire shapes. */
export function defineResource<Spec = unknown, Status = unknown>(
  resource: Omit<Resource<Spec, Status>, 'types'>,
): Resource<Spec, Status> {
  return Object.freeze(resource)
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

/** `StatefulSet.apps`, or `Service` for the core group: how a kind is named where versions do not matter. */
export function groupKindOf(
  object: Pick<Resource, 'group' | 'kind'> | Pick<KubeObject, 'apiVersion' | 'kind'>,
): string {
  const group = 'group' in object ? object.group : groupOf(object.apiVersion)
  return group === '' ? object.kind : `${object.kind}.${group}`
}

/** `statefulsets.apps`, or `services` for the core group: how RBAC and error messages name a resource. */
export function groupResourceOf(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
}

/** The group of an apiVersion: `apps` of `apps/v1`, empty for `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}

/** Is this object of this resource, whatever the version? */
export function isOf(resource: Resource, object: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return groupKindOf(resource) === groupKindOf(object)
}
