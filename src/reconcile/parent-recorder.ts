// Writes our marks on a resource: finalizer, labels and annotations of the inventory, and the list of its remote children in the
// status. The inventory covers the children before any of them is created, and shrinks when they are gone; a parent whose marks
// are right is not written (I1, I3, I4).
import {
  areSameEntries,
  entriesFor,
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
import { groupKindOf } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { Controller } from './definition.ts'
import { adoptionPatch, isAdopted, releasePatch } from './finalizer.ts'
import {
  coveringMarks,
  type Inventory,
  inventoryOf,
  joined,
  type Reach,
  reachOf,
  recordedReach,
  settledMarks,
} from './inventory.ts'

export interface ParentRecorderOptions {
  readonly client: KubeClient
  readonly identity: OperatorIdentity
  readonly controller: Controller
  /** The newest state that memory has of a resource. */
  readonly newest: (key: Key) => LiveObject | undefined
  /** Our own write, to be seen by the next read although its event has not come yet. */
  readonly onWritten: (live: LiveObject) => void
}

export class ParentRecorder {
  readonly #options: ParentRecorderOptions

  constructor(options: ParentRecorderOptions) {
    this.#options = options
  }

  /** Puts finalizer and inventory on. */
  async adopt(object: LiveObject, signal: AbortSignal): Promise<LiveObject> {
    const { controller, identity } = this.#options
    return await this.#mark(object, inventoryOf(object, controller, identity), signal)
  }

  /** Before an apply: the inventory reaches wherever these objects will be. */
  async cover(object: LiveObject, desired: readonly DesiredObject[], signal: AbortSignal): Promise<LiveObject> {
    const reach = joined(recordedReach(object), this.#reachOf(object, desired))
    return await this.#mark(object, coveringMarks(object, reach, this.#options.identity), signal)
  }

  /** After an apply and prune without error: the inventory reaches no further than what is desired or still `left`. */
  async shrink(
    object: LiveObject,
    { desired, left }: { readonly desired: readonly DesiredObject[]; readonly left: readonly LiveObject[] },
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const reach = joined(this.#reachOf(object, desired), reachOf(object, left))
    const kept = entriesFor(object, [...desired.map((item) => item.object), ...left])
    const marks = settledMarks(object, reach, this.#options.identity)
    return await this.record(await this.#mark(object, marks, signal), kept, signal)
  }

  /**
   * Makes this the list of remote children in the status. Locked to the version that it was decided from; rejects with a
   * CodedError `RecordsNotKept` if the CRD has no room for it, or `TooManyRemoteChildren`.
   */
  async record(object: LiveObject, inventory: readonly InventoryEntry[], signal: AbortSignal): Promise<LiveObject> {
    if (areSameEntries(inventoryEntriesOf(object), inventory)) return object
    const { controller, client, identity, onWritten } = this.#options
    if (!controller.hasStatus) throw noStatus(object.kind)
    if (inventory.length > maxInventoryEntries) throw tooMany(inventory.length)
    const { uid, resourceVersion } = object.metadata
    const entries = inventory.length === 0 ? null : inventory.map((entry) => ({ ...entry }))
    const body = { metadata: { uid, resourceVersion }, status: { inventory: entries } }
    const options = { fieldManager: identity.statusManager, subresource: 'status' } as const
    const written = await client.patch(controller.resource, object.metadata, { type: 'merge', body }, options, signal)
    onWritten(written)
    if (!areSameEntries(inventoryEntriesOf(written), inventory)) throw notKept(controller.name)
    return written
  }

  /** Takes the finalizer off the newest version we know: the status has just been written, and a merge patch replaces the list. */
  async release(object: LiveObject, signal: AbortSignal): Promise<void> {
    const known = this.#options.newest(keyOf(object))
    const newest = known?.metadata.uid === object.metadata.uid ? known : object
    try {
      await this.#patch(newest, releasePatch(newest, this.#options.identity), signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound')) throw thrown
    }
  }

  /** All kinds that the controller owns are in it, so that a child more or less seldom is a write of its parent. */
  #reachOf(object: LiveObject, desired: readonly DesiredObject[]): Reach {
    const owned = this.#options.controller.owns.map(({ resource }) => groupKindOf(resource))
    const own = desired.filter(({ policies }) => !policies.contribute)
    const reach = reachOf(
      object,
      own.map((item) => item.object),
    )
    return joined(reach, { kinds: owned, namespaces: [] })
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
    return written
  }
}

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

function notKept(resource: string): CodedError<'RecordsNotKept'> {
  return new CodedError({
    code: 'RecordsNotKept',
    message: `the CRD of ${resource} does not keep status.inventory, so no child is created outside of the resource's namespace; add the list that "Children in other namespaces" in docs/writing-a-controller.md shows to its schema`,
    remedy: 'stop',
    retryAfterMs: unwatchedRetryMs,
  })
}
