// Writes the operator's metadata on a resource: finalizer, labels and annotations of the inventory, and the list of its
// remote children in the status. Invariant: the inventory covers the children before any of them is created, and
// shrinks after they are gone.
// A resource with correct metadata is not written (I1, I3, I4).
import type { ChildCluster } from '../apply/child-cluster.ts'
import {
  areSameEntries,
  entriesFor,
  hasOtherInventory,
  type InventoryEntry,
  inventoryEntriesOf,
  maxInventoryEntries,
} from '../apply/remote-children.ts'
import { CodedError, unwatchedRetryMs } from '../base/errors.ts'
import type { KubeClient, Patch } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { Controller } from './definition.ts'
import { adoptionPatch, isAdopted, releasePatch } from './finalizer.ts'
import {
  coveringMarks,
  type Inventory,
  inventoryOf,
  isMarked,
  joined,
  kindsAtHome,
  noMarks,
  type Reach,
  reachOf,
  recordedReach,
  settledMarks,
} from './inventory.ts'
import { keptOf } from './kept-parent.ts'
import { noInventory } from './lost-inventory.ts'
import { withoutOthersRecords } from './status-part.ts'

export interface ParentRecorderOptions {
  readonly client: KubeClient
  readonly identity: OperatorIdentity
  readonly controller: Controller
  /** The cluster of all children, if it is not that of the parents. */
  readonly cluster?: ChildCluster | undefined
  /** Returns the newest cached state of a resource. */
  readonly newest: (key: Key) => LiveObject | undefined
  /** Passes the response of an own write to the cache, so that the next read sees it before its event. */
  readonly onWritten: (live: LiveObject) => void
}

export class ParentRecorder {
  readonly #options: ParentRecorderOptions

  constructor(options: ParentRecorderOptions) {
    this.#options = options
  }

  /** Adds finalizer and inventory. */
  async adopt(object: LiveObject, signal: AbortSignal): Promise<LiveObject> {
    const { controller, identity } = this.#options
    const inventory = inventoryOf(object, controller, identity)
    return inventory === undefined ? object : await this.#mark(object, inventory, signal)
  }

  /** Before an apply: extends the inventory to the places of these objects. */
  async cover(object: LiveObject, desired: readonly DesiredObject[], signal: AbortSignal): Promise<LiveObject> {
    if (!this.#needsMarks(object)) return object
    const reach = joined(recordedReach(object, this.#options.identity.part), this.#reachOf(object, desired))
    return await this.#mark(object, coveringMarks(object, reach, this.#options.identity), signal)
  }

  /** After an apply and prune without error: shrinks the inventory to the desired and `left` objects. */
  async shrink(
    object: LiveObject,
    { desired, left }: { readonly desired: readonly DesiredObject[]; readonly left: readonly LiveObject[] },
    signal: AbortSignal,
  ): Promise<LiveObject> {
    if (!this.#needsMarks(object)) return object
    const { cluster, controller, identity } = this.#options
    const kept = entriesFor(object, [...desired.map((item) => item.object), ...left], cluster)
    if (!controller.finalizer && left.length === 0) {
      // The inventory entries come first: the metadata exist for them.
      const recorded = await this.record(object, kept, signal)
      return await this.#patch(recorded, noMarks(recorded, identity), signal)
    }
    const stays = cluster === undefined ? reachOf(object, left) : nowhere
    const marks = settledMarks(object, joined(this.#reachOf(object, desired), stays), identity)
    return await this.record(await this.#mark(object, marks, signal), kept, signal)
  }

  /**
   * Writes the list of remote children in the status, locked to the version of the decision. Rejects with a CodedError
   * `RecordsNotKept` if the CRD lacks the field, or `TooManyRemoteChildren`.
   */
  async record(object: LiveObject, inventory: readonly InventoryEntry[], signal: AbortSignal): Promise<LiveObject> {
    if (areSameEntries(inventoryEntriesOf(object), inventory)) return object
    const { controller } = this.#options
    if (!controller.hasStatus) throw noStatus(object.kind)
    if (controller.part !== undefined) throw notRecorded(controller.part)
    if (hasOtherInventory(object)) throw noInventory(object)
    if (inventory.length > maxInventoryEntries) throw tooMany(inventory.length)
    const written = await this.#writeInventory(object, inventory, signal)
    const kept = inventoryEntriesOf(written)
    if (areSameEntries(kept, inventory)) return written
    // Entries that the CRD kept in part, as without their cluster, must not be taken for other children.
    if (kept.length > 0) await this.#writeInventory(written, inventoryEntriesOf(object), signal)
    throw notKept(controller.name)
  }

  async #writeInventory(
    object: LiveObject,
    inventory: readonly InventoryEntry[],
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const { controller, client, identity, onWritten } = this.#options
    const { uid, resourceVersion } = object.metadata
    const entries = inventory.length === 0 ? null : inventory.map((entry) => ({ ...entry }))
    const body = { metadata: { uid, resourceVersion }, status: { inventory: entries } }
    const options = { fieldManager: identity.statusManager, subresource: 'status' } as const
    const written = await client.patch(controller.resource, object.metadata, { type: 'merge', body }, options, signal)
    onWritten(written)
    return keptOf(controller.keep, written)
  }

  /**
   * Removes the finalizer from the newest known version: the status has just been written, and a merge patch replaces
   * the list.
   */
  async release(object: LiveObject, signal: AbortSignal): Promise<void> {
    const known = this.#options.newest(keyOf(object))
    const newest = known?.metadata.uid === object.metadata.uid ? known : object
    try {
      await this.#patch(newest, releasePatch(newest, this.#options.identity), signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound')) throw thrown
    }
  }

  /** False for a resource of a controller without finalizer, unless an earlier version of it left metadata. */
  #needsMarks(object: LiveObject): boolean {
    const { controller, identity } = this.#options
    return controller.finalizer || isMarked(object, identity)
  }

  /**
   * Includes all kinds that the controller owns, so that a new or removed child rarely causes a write of its parent.
   */
  #reachOf(object: LiveObject, desired: readonly DesiredObject[]): Reach {
    const { cluster, controller } = this.#options
    if (cluster !== undefined) return nowhere
    const own = desired.filter(({ policies }) => !policies.contribute)
    const reach = reachOf(
      object,
      own.map((item) => item.object),
    )
    return joined(reach, { kinds: kindsAtHome(controller), namespaces: [] })
  }

  async #mark(object: LiveObject, inventory: Inventory, signal: AbortSignal): Promise<LiveObject> {
    if (isAdopted(object, inventory)) return object
    return await this.#patch(object, adoptionPatch(object, inventory), signal)
  }

  async #patch(object: LiveObject, patch: Patch, signal: AbortSignal): Promise<LiveObject> {
    const { client, controller, identity, onWritten } = this.#options
    const options = { fieldManager: identity.parentManager }
    const written = await client.patch(controller.resource, object.metadata, patch, options, signal)
    onWritten(written)
    return withoutOthersRecords(keptOf(controller.keep, written), controller.part)
  }
}

const nowhere: Reach = { kinds: [], namespaces: [] }

function tooMany(count: number): CodedError<'TooManyRemoteChildren'> {
  return new CodedError({
    code: 'TooManyRemoteChildren',
    message: `the resource declares ${count} children outside of its namespace, and status.inventory holds ${maxInventoryEntries}; spread them over several resources`,
    remedy: 'stop',
  })
}

function noStatus(kind: string): CodedError<'RecordsNotKept'> {
  return new CodedError({
    code: 'RecordsNotKept',
    message: `${kind} has no status that could record a child outside of its namespace, so none is created; declare a kind of your own for it`,
    remedy: 'stop',
  })
}

function notRecorded(part: string): CodedError<'RecordsNotKept'> {
  return new CodedError({
    code: 'RecordsNotKept',
    message: `the controller '${part}' declares a child outside of the resource's namespace, which only the controller without a name can record; move it there`,
    remedy: 'stop',
  })
}

function notKept(resource: string): CodedError<'RecordsNotKept'> {
  return new CodedError({
    code: 'RecordsNotKept',
    message: `the CRD of ${resource} does not keep status.inventory, so no child is created outside of the resource's namespace; add the list that docs/remote-children.md shows to its schema, for children in another cluster with the field cluster`,
    remedy: 'stop',
    retryAfterMs: unwatchedRetryMs,
  })
}
