// Knows whether the cache has seen the writes of an owner's reconciles. Reconciles ask before they create a generated
// name or delete anything (I5): a decision on a stale cache would create twice or delete too much.
import { compareVersions } from './resource-version.ts'

/** Knows which events have arrived: an informer, or a view over several. */
export interface Witness {
  /** True if this version has been seen in this namespace. Always true if versions cannot be ordered. */
  hasSeen(resourceVersion: string, namespace?: string): boolean
  /** True if this object, by its UID, is gone or seen as being deleted. */
  hasSeenDeleteOf(deleted: Deleted): boolean
}

/** The API server's response to a write. */
export interface Written {
  readonly namespace?: string | undefined
  readonly resourceVersion: string
}

/** An object whose deletion the API server accepted. */
export interface Deleted {
  readonly namespace?: string | undefined
  readonly name: string
  readonly uid: string
}

interface Expected {
  readonly witness: Witness
  readonly namespace: string | undefined
  resourceVersion: string
}

interface Pending {
  readonly writes: Expected[]
  readonly deletes: Map<string, { readonly witness: Witness; readonly deleted: Deleted }>
}

/**
 * Owners whose writes may not have been seen, by uid, so that a new object of the same name starts empty. Nothing waits
 * inside; a caller whose owner is stale asks again later.
 *
 * An owner costs one entry per namespace and witness of its writes, and one per deleted object. `isFresh` drops seen
 * entries, and `forget` the owner.
 */
export class Freshness {
  readonly #owners = new Map<string, Pending>()

  /**
   * Records a write of the owner's reconcile to an object that `witness` watches; only the latest version per namespace
   * is kept.
   */
  wroteAt(ownerUid: string, witness: Witness, { namespace, resourceVersion }: Written): void {
    const { writes } = this.#pendingOf(ownerUid)
    const earlier = writes.find((write) => write.witness === witness && write.namespace === namespace)
    if (earlier === undefined) writes.push({ witness, namespace, resourceVersion })
    else if (compareVersions(resourceVersion, earlier.resourceVersion) === 'newer')
      earlier.resourceVersion = resourceVersion
  }

  /** Records that the owner's reconcile deleted an object that `witness` watches. */
  deletedAt(ownerUid: string, witness: Witness, { namespace, name, uid }: Deleted): void {
    this.#pendingOf(ownerUid).deletes.set(uid, { witness, deleted: { namespace, name, uid } })
  }

  /** True if all writes and deletions of this owner have been seen. */
  isFresh(ownerUid: string): boolean {
    const pending = this.#owners.get(ownerUid)
    if (pending === undefined) return true
    const isFresh =
      pending.writes.every((write) => write.witness.hasSeen(write.resourceVersion, write.namespace)) &&
      [...pending.deletes.values()].every(({ witness, deleted }) => witness.hasSeenDeleteOf(deleted))
    if (isFresh) this.#owners.delete(ownerUid)
    return isFresh
  }

  /** Call when the owner is gone. */
  forget(ownerUid: string): void {
    this.#owners.delete(ownerUid)
  }

  #pendingOf(ownerUid: string): Pending {
    const existing = this.#owners.get(ownerUid)
    if (existing !== undefined) return existing
    const pending: Pending = { writes: [], deletes: new Map() }
    this.#owners.set(ownerUid, pending)
    return pending
  }
}
