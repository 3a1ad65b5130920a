// Parses discovery documents into an index of the resources that the server serves. Pure. Invariant: a group version
// that did not answer is *unknown*, not absent. So an outage of one API group never looks like a removal of its
// resources. Source: apidiscovery.k8s.io/v2 (aggregated) and meta/v1 APIGroupList and APIResourceList (the older form).
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { apiVersionOf, defineResource, type Resource } from '../object/resource.ts'

/** One version of one group in the index. */
export interface GroupVersion {
  /** `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string
  /** `unknown`: the version exists, but its resources could not be read. */
  readonly state: 'served' | 'unknown'
  /** For `unknown`, the resources of an earlier index. */
  readonly resources: readonly Resource[]
}

/** In the server's order: a group's preferred version comes first. */
export type ResourceIndex = readonly GroupVersion[]

export type Finding =
  | { readonly kind: 'served'; readonly resource: Resource }
  | { readonly kind: 'absent' }
  /** The resources of `apiVersion` could not be read. */
  | { readonly kind: 'unknown'; readonly apiVersion: string }

/** A kind to find. Without a version: the preferred version of the group that has the kind. */
export interface KindQuery {
  readonly group: string
  readonly kind: string
  readonly version?: string | undefined
}

/** Finds a kind in the index. Linear in the number of group versions and resources: some hundreds. */
export function findKind(index: ResourceIndex, { group, kind, version }: KindQuery): Finding {
  const candidates = index.filter(({ apiVersion }) => {
    const slash = apiVersion.indexOf('/')
    const isOfGroup = (slash < 0 ? '' : apiVersion.slice(0, slash)) === group
    return isOfGroup && (version === undefined || apiVersion.slice(slash + 1) === version)
  })
  for (const { resources } of candidates) {
    const resource = resources.find((candidate) => candidate.kind === kind)
    if (resource !== undefined) return { kind: 'served', resource }
  }
  const unknown = candidates.find(({ state }) => state === 'unknown')
  return unknown === undefined ? { kind: 'absent' } : { kind: 'unknown', apiVersion: unknown.apiVersion }
}

/** Returns `latest`, with the resources that `previous` has for group versions that are unknown now. */
export function rememberUnknown(previous: ResourceIndex, latest: ResourceIndex): ResourceIndex {
  return latest.map((found) => {
    if (found.state === 'served' || found.resources.length > 0) return found
    const before = previous.find(({ apiVersion }) => apiVersion === found.apiVersion)
    return before === undefined ? found : { ...found, resources: before.resources }
  })
}

/** Parses an aggregated document (of `/api` or `/apis`). Undefined if the server answered in the older form. */
export function parseAggregated(document: JsonObject): ResourceIndex | undefined {
  if (document.kind !== 'APIGroupDiscoveryList') return undefined
  return objects(document.items).flatMap((item) => {
    const group = isJsonObject(item.metadata) ? text(item.metadata.name) : ''
    return objects(item.versions).map((entry) => {
      const version = text(entry.version)
      return {
        apiVersion: group === '' ? version : `${group}/${version}`,
        // The aggregator reports Stale if the server behind this version does not answer.
        state: entry.freshness === 'Stale' ? ('unknown' as const) : ('served' as const),
        resources: objects(entry.resources).flatMap((served) => aggregatedResource(served, group, version)),
      }
    })
  })
}

/**
 * Returns the apiVersions in an APIGroupList (of `/apis`) or APIVersions (of `/api`), each group's preferred version
 * first.
 */
export function parseGroupList(document: JsonObject): readonly string[] {
  if (document.kind === 'APIVersions') return texts(document.versions)
  return objects(document.groups).flatMap((group) => {
    const preferred = isJsonObject(group.preferredVersion) ? text(group.preferredVersion.groupVersion) : ''
    const all = objects(group.versions).map((version) => text(version.groupVersion))
    return [...all.filter((version) => version === preferred), ...all.filter((version) => version !== preferred)]
  })
}

/** Returns the path of the APIResourceList of an apiVersion. */
export function discoveryPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
}

/** Returns the resources in an APIResourceList, without subresources. */
export function parseResourceList(apiVersion: string, document: JsonObject): readonly Resource[] {
  const slash = apiVersion.indexOf('/')
  const group = slash < 0 ? '' : apiVersion.slice(0, slash)
  const version = apiVersion.slice(slash + 1)
  return objects(document.resources).flatMap((served) => {
    const plural = text(served.name)
    const kind = text(served.kind)
    if (plural === '' || kind === '' || plural.includes('/')) return []
    return [
      defineResource({ group, version, kind, plural, scope: served.namespaced === true ? 'Namespaced' : 'Cluster' }),
    ]
  })
}

/** Finds exactly this resource in the index: plural, version and kind. */
export function findResource(index: ResourceIndex, resource: Resource): Finding {
  const found = index.find(({ apiVersion }) => apiVersion === apiVersionOf(resource))
  if (found === undefined) return { kind: 'absent' }
  const served = found.resources.find(({ plural, kind }) => plural === resource.plural && kind === resource.kind)
  if (served !== undefined) return { kind: 'served', resource: served }
  return found.state === 'unknown' ? { kind: 'unknown', apiVersion: found.apiVersion } : { kind: 'absent' }
}

function aggregatedResource(served: JsonObject, group: string, version: string): readonly Resource[] {
  const kind = isJsonObject(served.responseKind) ? text(served.responseKind.kind) : ''
  const plural = text(served.resource)
  // An entry without a kind only holds subresources.
  if (plural === '' || kind === '') return []
  return [
    defineResource({ group, version, kind, plural, scope: served.scope === 'Namespaced' ? 'Namespaced' : 'Cluster' }),
  ]
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : []
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((item) => typeof item === 'string') : []
}
