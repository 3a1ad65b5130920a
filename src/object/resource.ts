// Descriptors of resources: a kind as the API server serves it, with group, version, plural path and scope. The
// descriptor has the wire types of its Spec and Status, so that it alone types a controller.
import type { KubeObject, LiveObject } from './object.ts'

/** Descriptor of a kind as the API server serves it. `Spec` and `Status` are its wire types. */
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

/** A live object of this resource; it has a spec if the descriptor declares one. */
export type ObjectOf<R extends Resource> =
  R extends Resource<infer Spec, infer Status>
    ? LiveObject<Spec, Status> & (unknown extends Spec ? unknown : { readonly spec: Spec })
    : never

/**
 * Declares a resource. Type arguments: the wire types of spec and status.
 *
 * @example
 * const Website = defineResource<WebsiteSpec, WebsiteStatus>({
 *   group: 'example.com', version: 'v1', kind: 'Website', plural: 'websites', scope: 'Namespaced',
 * })
 */
export function defineResource<Spec = unknown, Status = unknown>(
  resource: Omit<Resource<Spec, Status>, 'types'>,
): Resource<Spec, Status> {
  return Object.freeze(resource)
}

/** Returns the apiVersion: `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

/** `StatefulSet.apps`, or `Service` for the core group: the name of a kind without its version. */
export function groupKindOf(
  object: Pick<Resource, 'group' | 'kind'> | Pick<KubeObject, 'apiVersion' | 'kind'>,
): string {
  const group = 'group' in object ? object.group : groupOf(object.apiVersion)
  return group === '' ? object.kind : `${object.kind}.${group}`
}

/** `statefulsets.apps`, or `services` for the core group: the name of a resource in RBAC and error messages. */
export function groupResourceOf(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
}

/** The group of an apiVersion: `apps` of `apps/v1`, empty for `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}

/** Returns true if the object is of this resource, in any version. */
export function isOf(resource: Resource, object: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return groupKindOf(resource) === groupKindOf(object)
}
