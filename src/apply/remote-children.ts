// Remote children: children outside of the namespace of their parent, or in another cluster. Labels, field managers and
// owner references prove nothing there, because users of that namespace can write them.
// Invariant: a remote object is a child only if the parent's status names its kind, namespace and name, and holds the
// digest of its token. Only the operator writes the status, and it records the digest before the object is created.
import { createHash } from 'node:crypto'
import { isJsonObject } from '../base/json.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { groupKindOf } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { tokenAnnotation } from '../synth/membership.ts'
import type { ChildCluster } from './child-cluster.ts'

/** Place of a remote child, existing or desired. */
export interface ChildPlace {
  /** Named as by `groupKindOf`, e.g. `StorageClass.storage.k8s.io`. */
  readonly kind: string
  /** Absent: the kind is cluster-scoped. */
  readonly namespace?: string
  readonly name: string
  /** UID of the namespace kube-system of its cluster. Absent: the cluster of the parent. */
  readonly cluster?: string
}

/** One remote child in `status.inventory` of its parent. */
export interface InventoryEntry extends ChildPlace {
  /** SHA-256 of the token, base64url. */
  readonly tokenDigest: string
  /**
   * True if the child is never deleted. Absent: not recorded, by an earlier version or because the schema of the kind
   * lacks the field.
   */
  readonly retained?: boolean
}

/** Limit of the remote children of one resource: about 150 KiB of status. */
export const maxInventoryEntries = 1_000

type Located = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>

/** Returns the namespace of a parent; for a Namespace, its own name. */
export function homeOf({ apiVersion, kind, metadata }: Located): string | undefined {
  return metadata.namespace ?? (apiVersion === 'v1' && kind === 'Namespace' ? metadata.name : undefined)
}

/** `cluster`: the cluster of the child, if it is not that of its parent; all children there are remote. */
export function isRemote(child: Located, parent: Located, cluster?: ChildCluster): boolean {
  const { namespace } = child.metadata
  return cluster !== undefined || (namespace !== parent.metadata.namespace && namespace !== homeOf(parent))
}

/** Empty if another writer uses the field for something else. */
export function inventoryEntriesOf(parent: LiveObject): readonly InventoryEntry[] {
  const inventory = inventoryIn(parent)
  return isInventory(inventory) ? inventory : []
}

/**
 * True if the status has an inventory that is no list of remote children, as that of Flux: another writer uses the
 * field.
 */
export function hasOtherInventory(parent: LiveObject): boolean {
  const inventory = inventoryIn(parent)
  return inventory !== undefined && inventory !== null && !isInventory(inventory)
}

function inventoryIn({ status }: LiveObject): unknown {
  return (status as { readonly inventory?: unknown } | null | undefined)?.inventory
}

function isInventory(value: unknown): value is readonly InventoryEntry[] {
  return Array.isArray(value) && value.every(isEntry)
}

function isEntry(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { kind, name, tokenDigest, namespace = '', cluster = '' } = value
  return [kind, name, tokenDigest, namespace, cluster].every((text) => typeof text === 'string')
}

/**
 * Returns the entries of one cluster: this one, or that of the parent. Empty while the identity of this cluster is not
 * known.
 */
export function entriesIn(cluster: ChildCluster | undefined, parent: LiveObject): readonly InventoryEntry[] {
  if (cluster !== undefined && cluster.uid === undefined) return []
  return inventoryEntriesOf(parent).filter((entry) => entry.cluster === cluster?.uid)
}

/** Compares only entries of the cluster that the object is in. */
export function isEntryOf(entry: ChildPlace, { apiVersion, kind, metadata }: Located): boolean {
  const { namespace, name } = metadata
  return entry.name === name && entry.namespace === namespace && entry.kind === groupKindOf({ apiVersion, kind })
}

/** True if the object has the token whose digest its parent recorded for it. */
export function isRecorded(child: KubeObject, parent: LiveObject, cluster?: ChildCluster): boolean {
  return recordOf(child, parent, cluster) !== undefined
}

/** True for an object that claims to be a remote child. */
export function hasToken(object: KubeObject): boolean {
  return tokenOf(object) !== undefined
}

/** Returns the inventory entry of the object in its parent; undefined: it has none, or another token. */
export function recordOf(child: KubeObject, parent: LiveObject, cluster?: ChildCluster): InventoryEntry | undefined {
  const token = tokenOf(child)
  if (token === undefined) return undefined
  const entry = entriesIn(cluster, parent).find((known) => isEntryOf(known, child))
  return entry?.tokenDigest === digestOf(token) ? entry : undefined
}

export interface Claim {
  /** The desired objects; the remote ones have their tokens. */
  readonly desired: readonly DesiredObject[]
  /** The content of `status.inventory` before the apply. */
  readonly inventory: readonly InventoryEntry[]
}

export interface ClaimInput {
  readonly parent: LiveObject
  readonly desired: readonly DesiredObject[]
  /** The cluster of all children, if it is not that of the parent. */
  readonly cluster?: ChildCluster | undefined
  /** All children of the parent: from the cache, and recorded ones that are not cached from the API server. */
  readonly children: readonly LiveObject[]
  /** Children that could not be read. A recorded one may exist, with the recorded token. */
  readonly unread: readonly ChildPlace[]
  /** Returns the token for a new object; the same for the same object during the process. */
  readonly newToken: (object: KubeObject) => string
  readonly withToken: (desired: DesiredObject, token: string) => DesiredObject
}

/**
 * A child that exists keeps its token. Undesired recorded children stay recorded until they are gone. An unread child
 * is held. If recorded, it keeps its entry, because a new token would disown it. If new, it gets none, because its
 * absence could not be proven later.
 */
export function claimRemote({ parent, desired, cluster, children, unread, newToken, withToken }: ClaimInput): Claim {
  const recorded = entriesIn(cluster, parent)
  const remote = children.filter((child) => isRemote(child, parent, cluster))
  const entries: InventoryEntry[] = []
  const claimed = desired.map((item) => {
    if (item.policies.contribute || !isRemote(item.object, parent, cluster)) return item
    const { object } = item
    if (unread.some((place) => isEntryOf(place, object))) {
      entries.push(...recorded.filter((entry) => isEntryOf(entry, object)))
      return { ...item, policies: { ...item.policies, hold: 'cannot be read' } }
    }
    const live = remote.find((child) => isSameObject(child, object))
    const token = (live === undefined ? undefined : tokenOf(live)) ?? newToken(object)
    entries.push({ ...placeOf(object, cluster), tokenDigest: digestOf(token), retained: item.policies.retain })
    return withToken(item, token)
  })
  const mayExist = (entry: InventoryEntry) =>
    remote.some((child) => isEntryOf(entry, child)) || unread.some((place) => isSamePlace(place, entry))
  const left = recorded.filter((entry) => !entries.some((known) => isSamePlace(known, entry)) && mayExist(entry))
  return { desired: claimed, inventory: sorted([...entries, ...left]) }
}

/** Returns the places of desired remote children that the inventory does not have yet. */
export function newPlaces(
  parent: LiveObject,
  desired: readonly DesiredObject[],
  cluster?: ChildCluster,
): readonly ChildPlace[] {
  const recorded = entriesIn(cluster, parent)
  return desired
    .filter(({ object, policies }) => !policies.contribute && isRemote(object, parent, cluster))
    .filter(({ object }) => !recorded.some((entry) => isEntryOf(entry, object)))
    .map(({ object }) => placeOf(object, cluster))
}

/** `ConfigMap shop/a`: a place in messages. */
export function describePlace({ kind, namespace, name }: ChildPlace): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** Returns the entries of the recorded children among these objects. */
export function entriesFor(
  parent: LiveObject,
  objects: readonly Located[],
  cluster?: ChildCluster,
): readonly InventoryEntry[] {
  return entriesIn(cluster, parent).filter((entry) => objects.some((object) => isEntryOf(entry, object)))
}

/** True if the stored entries need no write. A schema may drop `retained`, so its absence is no reason for one. */
export function areSameEntries(stored: readonly InventoryEntry[], wanted: readonly InventoryEntry[]): boolean {
  return (
    stored.length === wanted.length &&
    stored.every((entry, at) => {
      const other = wanted[at]
      if (other === undefined || !isSamePlace(entry, other) || entry.tokenDigest !== other.tokenDigest) return false
      return entry.retained === undefined || entry.retained === other.retained
    })
  )
}

/** Returns the object with its token, for the creation and later applies. */
export function tokenized(object: KubeObject, token: string): KubeObject {
  const annotations = Object.freeze({ ...object.metadata.annotations, [tokenAnnotation]: token })
  return Object.freeze({ ...object, metadata: Object.freeze({ ...object.metadata, annotations }) })
}

function placeOf({ apiVersion, kind, metadata: { namespace, name } }: Located, cluster?: ChildCluster): ChildPlace {
  const place = { kind: groupKindOf({ apiVersion, kind }), ...(namespace === undefined ? {} : { namespace }), name }
  return cluster?.uid === undefined ? place : { ...place, cluster: cluster.uid }
}

function tokenOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[tokenAnnotation]
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function isSameObject(one: Located, other: Located): boolean {
  const { namespace, name } = one.metadata
  return (
    namespace === other.metadata.namespace && name === other.metadata.name && groupKindOf(one) === groupKindOf(other)
  )
}

export function isSamePlace(one: ChildPlace, other: ChildPlace): boolean {
  const isSameName = one.kind === other.kind && one.namespace === other.namespace && one.name === other.name
  return isSameName && one.cluster === other.cluster
}

function sorted(entries: readonly InventoryEntry[]): readonly InventoryEntry[] {
  const key = ({ kind, namespace = '', name }: InventoryEntry) => `${kind} ${namespace}/${name}`
  return [...entries].sort((left, right) => (key(left) < key(right) ? -1 : 1))
}
