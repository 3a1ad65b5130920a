// Reads for `observe` outside of a running operator: only kinds with an index are in memory, everything else comes from
// the API server on request. Invariant: only declared kinds are read.
import type { KubeClient, ListPage } from '../kube/client.ts'
import { assertListEnds } from '../kube/list-pages.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import { groupKindOf, type Resource } from '../object/resource.ts'
import type { LiveReader } from './context.ts'
import type { Watch } from './declared-kinds.ts'
import { isDeclaredRead } from './declared-read.ts'
import type { Controller } from './definition.ts'
import { type CachedKind, LiveLoader } from './live-loader.ts'

export interface WatchedKindsOptions {
  readonly client: KubeClient
  readonly controller: Controller
  /** Namespaces that the operator serves; undefined: all. */
  readonly namespaces: readonly string[] | undefined
  /** Optional kinds that are not installed are not read. */
  readonly isServed: (resource: Resource) => boolean
  readonly signal: AbortSignal
}

/** Loads every watched kind that has an index, because `byIndex` is synchronous. */
export async function loadReader(options: WatchedKindsOptions): Promise<LiveReader> {
  const { client, controller, namespaces, isServed, signal } = options
  const isWatched = (resource: Resource) =>
    controller.watches.some((watch) => watch.metadataOnly !== true && isSameKind(watch.resource, resource))
  const held = new Map<string, CachedKind>()
  for (const watch of controller.watches) {
    if (watch.indexes === undefined || watch.metadataOnly === true || !isServed(watch.resource)) continue
    const objects = await listed(watch, options)
    held.set(groupKindOf(watch.resource), cachedKindOf(watch, objects, namespaces))
  }
  const loader = new LiveLoader({
    client,
    cachedKind: (resource) => held.get(groupKindOf(resource)),
    mayAsk: (resource, verb) => isWatched(resource) || isDeclaredRead(controller, resource, verb),
    signal,
  })
  return namespaces === undefined ? loader : confined(loader, namespaces, isWatched)
}

const pageSize = 500

async function listed(
  { resource, labelSelector, keep }: Watch,
  { client, namespaces, signal }: WatchedKindsOptions,
): Promise<readonly LiveObject[]> {
  const found: LiveObject[] = []
  for (const namespace of resource.scope === 'Cluster' ? [undefined] : (namespaces ?? [undefined])) {
    let asked: string | undefined
    for (let pages = 1; ; pages++) {
      const rest = asked === undefined ? {} : { continueToken: asked }
      const options = { namespace, labelSelector, limit: pageSize, ...rest }
      const { items, continueToken: answered }: ListPage = await client.list(resource, options, signal)
      found.push(...items)
      if (answered === undefined) break
      assertListEnds(`list ${resource.kind}`, { pages, asked, answered })
      asked = answered
    }
  }
  return keep === undefined ? found : found.map(keep)
}

function cachedKindOf(
  { resource, labelSelector, indexes = {} }: Watch,
  objects: readonly LiveObject[],
  namespaces: readonly string[] | undefined,
): CachedKind {
  const byKey = new Map<Key, LiveObject>(objects.map((object) => [keyOf(object), object]))
  const isIn = ({ metadata }: LiveObject, namespace: string | undefined) =>
    namespace === undefined || metadata.namespace === namespace
  return {
    selectedLabel: labelSelector,
    covers: (namespace) =>
      resource.scope === 'Cluster' ||
      namespaces === undefined ||
      (namespace !== undefined && namespaces.includes(namespace)),
    get: (key) => byKey.get(key),
    select: ({ namespace, labels = {} }) =>
      objects.filter((object) => isIn(object, namespace) && hasLabels(object, labels)),
    byIndex: (index, value) => {
      const valuesOf = Object.hasOwn(indexes, index) ? indexes[index] : undefined
      return valuesOf === undefined ? undefined : objects.filter((object) => valuesOf(object).includes(value))
    },
  }
}

/** Confines a list of a watched kind without a namespace to the operator's namespaces. */
function confined(
  loader: LiveLoader,
  namespaces: readonly string[],
  isWatched: (resource: Resource) => boolean,
): LiveReader {
  return {
    find: (resource, at) => loader.find(resource, at),
    byIndex: (resource, index, value) => loader.byIndex(resource, index, value),
    list: async (resource, selection) => {
      const isWhole = selection.namespace === undefined && resource.scope === 'Namespaced' && isWatched(resource)
      if (!isWhole) return await loader.list(resource, selection)
      const lists = namespaces.map((namespace) => loader.list(resource, { ...selection, namespace }))
      return (await Promise.all(lists)).flat()
    },
  }
}

function hasLabels({ metadata: { labels = {} } }: LiveObject, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([label, value]) => labels[label] === value)
}

function isSameKind(one: Resource, other: Resource): boolean {
  return groupKindOf(one) === groupKindOf(other)
}
