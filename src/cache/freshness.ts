// Has the cache seen what this owner's own turns wrote? Asked before a generated name is created or anything is deleted
// (I5): a turn that acts on a cache behind its own writes creates twice or deletes what it should keep.
import { compareVersions } from './resource-version.ts'

/** Who can tell what has been seen: an informer, or a view over several. */
export interface Witness {
  /** Has this version been seen in this namespace? Always true where versions cannot be ordered. */
  hasSeen(resourceVersion: string, namespace?: string): boolean
  /** Is this very object gone, or seen to be going? */
  hasSeenDeleteOf(deleted: Deleted): boolean
}

/** What the API server answered to a write. */
export interface Written {
  readonly namespace?: string | undefined
  readonly resourceVersion: string
}

/** Whose delete the API server accepted. */
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
 * The owners whose writes may not have been seen, by uid: a namesake starts afresh. Nothing waits inside; a caller that
 * finds its owner stale comes back later.
 *
 * An owner costs one entry per namespace and witness it wrote through and per object it deleted, until `isFresh` finds it seen or `forget` drops it.
 */
export class Freshness {
  readonly #owners = new Map<string, Pending>()

  /** The owner's turn wrote an object that `witness` watches; only the latest version per namespace is kept. */
  wroteAt(ownerUid: string, witness: Witness, { namespace, resourceVersion }: Written): void {
    const { writes } = this.#pendingOf(ownerUid)
    const earlier = writes.find((write) => write.witness === witness && write.namespace === namespace)
    if (earlier === undefined) writes.push({ witness, namespace, resourceVersion })
    else if (compareVersions(resourceVersion, earlier.resourceVersion) === 'newer')
      earlier.resourceVersion = resourceVersion
  }

  /** The owner's turn deleted an object that `witness` watches. */
  deletedAt(ownerUid: string, witness: Witness, { namespace, name, uid }: Deleted): void {
    this.#pendingOf(ownerUid).deletes.set(uid, { witness, deleted: { namespace, name, uid } })
  }

  /** Has everything that this owner wrote and deleted been seen? */
  isFresh(ownerUid: string): boolean {
    const pending = this.#owners.get(ownerUid)
    if (pending === undefined) return true
    const isFresh =
      pending.writes.every((write) => write.witness.hasSeen(write.resourceVersion, write.namespace)) &&
      [...pending.deletes.values()].every(({ witness, deleted }) => witness.hasSeenDeleteOf(deleted))
    if (isFresh) this.#owners.delete(ownerUid)
    return isFresh
  }

  /** The owner is gone. */
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
