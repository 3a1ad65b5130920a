// Reads from the API server what the caches lack: members of an inventory outside of all informers. Before a deletion,
// it also checks that the parent is still as the reconcile assumes. Invariant: an error is never absence (I5).

import type { ChildCluster } from '../apply/child-cluster.ts'
import { isChildOf, isMember } from '../apply/member-rule.ts'
import { type ChildPlace, entriesIn, homeOf, isEntryOf } from '../apply/remote-children.ts'
import type { MakerNames } from '../apply/sibling-rule.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import { deepEqual } from '../base/json.ts'
import { FieldSetPool } from '../cache/field-set-pool.ts'
import { trim } from '../cache/trim.ts'
import type { KubeClient } from '../kube/client.ts'
import type { DiscoveryClient } from '../kube/discovery-client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { ownerMarkOf } from '../object/co-owner.ts'
import { isChildManager } from '../object/identity.ts'
import { desiredVersionOf, isBeingDeleted, type KubeObject, type LiveObject } from '../object/object.ts'
import { groupKindOf, type Resource } from '../object/resource.ts'
import { applySetId, partOfLabel } from '../synth/membership.ts'
import type { Controller } from './definition.ts'
import { hasEarlierMarks, recordedReach } from './inventory.ts'
import { keptOf } from './kept-parent.ts'
import { LiveLoader } from './live-loader.ts'
import { isBeingTakenOver } from './shard-mark.ts'
import { steeringOf } from './steering.ts'
import type { UnreadChild } from './unread-children.ts'

export interface InventoryLoaderOptions {
  /** Client of the cluster of the children, as `discovery` is. */
  readonly client: KubeClient
  /** Client of the cluster of the parents. */
  readonly parents: Pick<KubeClient, 'get'>
  /**
   * The cluster of all children, if it is not that of their parents. `confirm` rejects unless the connection still
   * leads to the same cluster.
   */
  readonly cluster?: (ChildCluster & { confirm(signal: AbortSignal): Promise<void> }) | undefined
  readonly discovery: Pick<DiscoveryClient, 'find' | 'invalidate'>
  readonly controller: Controller
  readonly maker: MakerNames
  /** True if every member of this kind and namespace is cached. Undefined: the kind is cluster-scoped. */
  readonly covers: (resource: Resource, namespace: string | undefined) => boolean
}

/** Result of a search. */
export interface Members {
  readonly objects: readonly LiveObject[]
  /** Objects in the place of a recorded remote child that are not children. */
  readonly strangers: readonly LiveObject[]
  /** One per kind whose search in the parent's namespace failed; the others are complete. */
  readonly failures: readonly CodedError[]
  /** Remote children, recorded or requested, that could not be read: they may or may not exist. */
  readonly unread: readonly UnreadChild[]
}

export class InventoryLoader {
  readonly #options: InventoryLoaderOptions
  readonly #fieldSets = new FieldSetPool()
  /** Kinds that the controller no longer owns, as the server serves them. */
  readonly #found = new Map<string, Resource>()

  constructor(options: InventoryLoaderOptions) {
    this.#options = options
  }

  /**
   * Returns members that are not in `seen`. These have kinds that the controller no longer owns, or are in namespaces
   * that it does not watch. Others are remote children, recorded or at these `places`. Before a finalizer is removed,
   * `seen` is empty: nothing searches again, and the response to an own write may have been lost.
   */
  async unseen(
    parent: LiveObject,
    { seen, places = [] }: { readonly seen: readonly LiveObject[]; readonly places?: readonly ChildPlace[] },
    signal: AbortSignal,
  ): Promise<Members> {
    const objects: LiveObject[] = []
    const failures: CodedError[] = []
    const unread: UnreadChild[] = []
    const { cluster, controller } = this.#options
    const owned = controller.owns.map(({ resource }) => groupKindOf(resource))
    const kinds = [...recordedReach(parent, controller.part).kinds, ...owned]
    // In another cluster there is no child without an inventory entry.
    for (const kind of new Set(cluster === undefined ? kinds : []))
      try {
        objects.push(...(await this.#listed(kind, parent, signal)))
      } catch (thrown) {
        signal.throwIfAborted()
        failures.push(readFailed(kind, thrown, { isDeclared: this.#isDeclared(kind) }))
      }
    const recorded = entriesIn(cluster, parent).filter((entry) => !seen.some((child) => isEntryOf(entry, child)))
    const remote: readonly ChildPlace[] = [...recorded, ...places]
    for (const kind of new Set(remote.map((place) => place.kind))) {
      const found = await this.#remote(
        kind,
        remote.filter((place) => place.kind === kind),
        signal,
      )
      objects.push(...found.objects)
      unread.push(...found.unread)
    }
    const trimmed = objects.map((object) => trim(object, { keepsFieldsOf: isChildManager, fieldSets: this.#fieldSets }))
    return {
      objects: trimmed.filter((object) => isChildOf(object, parent, { maker: this.#options.maker, cluster })),
      strangers: trimmed.filter(
        (object) => !isMember(object, parent, cluster) && recorded.some((entry) => isEntryOf(entry, object)),
      ),
      failures,
      unread,
    }
  }

  /**
   * Returns doubts about kinds whose requests return 404, so that the caches hold none of their objects. One error for
   * each kind that discovery still names, or cannot answer for. No object is left of the other kinds.
   */
  async doubts(kinds: readonly Resource[], signal: AbortSignal): Promise<readonly CodedError[]> {
    const doubts: CodedError[] = []
    for (const resource of kinds) {
      const kind = groupKindOf(resource)
      try {
        if (!(await this.#isGone(kind, signal))) throw stillServed(kind)
      } catch (thrown) {
        signal.throwIfAborted()
        doubts.push(readFailed(kind, thrown, { isDeclared: true }))
      }
    }
    return doubts
  }

  /**
   * True if the API server has the same parent, with the same generation and deletion state, not paused. The cache may
   * be behind.
   */
  async isCurrent(parent: LiveObject, signal: AbortSignal): Promise<boolean> {
    const { parents, controller } = this.#options
    const found = await loadIfPresent(parents, controller.resource, parent.metadata, signal)
    const live = found && keptOf(controller.keep, found)
    return (
      live !== undefined &&
      live.metadata.uid === parent.metadata.uid &&
      deepEqual(desiredVersionOf(live) ?? null, desiredVersionOf(parent) ?? null) &&
      isBeingDeleted(live) === isBeingDeleted(parent) &&
      steeringOf(live).pause === undefined
    )
  }

  /** Returns the descriptor of a kind that the controller owns, of which a member was found, or that is retired. */
  resourceOf(object: KubeObject): Resource | undefined {
    const kind = groupKindOf(object)
    const retired = this.#options.controller.retired.find((resource) => groupKindOf(resource) === kind)
    return this.#owned(kind) ?? this.#found.get(kind) ?? retired
  }

  #isDeclared(kind: string): boolean {
    const { owns, retired } = this.#options.controller
    return [...owns.map(({ resource }) => resource), ...retired].some((resource) => groupKindOf(resource) === kind)
  }

  /** Searches in the parent's own namespace. */
  async #listed(kind: string, parent: LiveObject, signal: AbortSignal): Promise<readonly LiveObject[]> {
    const { part } = this.#options.controller
    const resource = this.#owned(kind) ?? (await this.#find(kind, signal))
    const namespace = resource?.scope === 'Cluster' ? parent.metadata.namespace : homeOf(parent)
    const isAtHome = (resource?.scope === 'Cluster') === (namespace === undefined)
    // Informers select by a label that children of an earlier version lack.
    const mayLackLabels = hasEarlierMarks(parent, part) || isBeingTakenOver(parent, part)
    const isInMemory = (found: Resource) => this.#options.covers(found, namespace) && !mayLackLabels
    if (resource === undefined || !isAtHome || isInMemory(resource)) return []
    const live = new LiveLoader({
      client: this.#options.client,
      cachedKind: () => undefined,
      mayAsk: () => true,
      signal,
    })
    // An object of several owners is in no ApplySet.
    const mark = { [ownerMarkOf(parent.metadata.uid)]: this.#options.maker.ownedBy }
    try {
      const members = await live.list(resource, { namespace, labels: { [partOfLabel]: applySetId(parent, part) } })
      return [...members, ...(await live.list(resource, { namespace, labels: mark }))]
    } catch (thrown) {
      if (isKubeError(thrown, 'ResourceNotFound') && (await this.#isGone(kind, signal))) return []
      throw thrown
    }
  }

  /**
   * Reads remote children. A forbidden child does not affect the others; after any other failure the rest is not
   * requested, and gets the same error.
   */
  async #remote(
    kind: string,
    places: readonly ChildPlace[],
    signal: AbortSignal,
  ): Promise<Pick<Members, 'objects' | 'unread'>> {
    const objects: LiveObject[] = []
    const unread: UnreadChild[] = []
    let failure: unknown
    let confirmed: Promise<void> | undefined
    // The absence of a child removes its entry, so the right cluster has to confirm it.
    const confirm = () => (confirmed ??= this.#options.cluster?.confirm(signal) ?? Promise.resolve())
    for (const place of places) {
      try {
        if (failure !== undefined) throw failure
        const resource = this.#owned(kind) ?? (await this.#find(kind, signal))
        const live = resource && (await loadIfPresent(this.#options.client, resource, place, signal))
        if (live !== undefined) objects.push(live)
        else await confirm()
      } catch (thrown) {
        signal.throwIfAborted()
        // Without an answer of discovery, whatever the reason, the child may exist.
        const isGone = isKubeError(thrown, 'ResourceNotFound') && (await this.#isGoneFrom(kind, confirm, signal))
        if (isGone) return { objects: [], unread: [] }
        signal.throwIfAborted()
        if (!isKubeError(thrown, 'Forbidden')) failure = thrown
        unread.push({ place, cause: thrown })
      }
    }
    return { objects, unread }
  }

  async #isGoneFrom(kind: string, confirm: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    try {
      await confirm()
      return await this.#isGone(kind, signal)
    } catch {
      return false
    }
  }

  #owned(kind: string): Resource | undefined {
    return this.#options.controller.owns.find(({ resource }) => groupKindOf(resource) === kind)?.resource
  }

  /**
   * A request returned 404. True if discovery, asked again, confirms that no version of the kind is served. An error is
   * no answer.
   */
  async #isGone(groupKind: string, signal: AbortSignal): Promise<boolean> {
    this.#options.discovery.invalidate()
    return (await this.#find(groupKind, signal)) === undefined
  }

  /** Undefined if the server does not serve the kind, so that no object of it can be left. */
  async #find(groupKind: string, signal: AbortSignal): Promise<Resource | undefined> {
    const dot = groupKind.indexOf('.')
    const [kind, group] = dot < 0 ? [groupKind, ''] : [groupKind.slice(0, dot), groupKind.slice(dot + 1)]
    const resource = await this.#options.discovery.find(group, kind, signal)
    if (resource !== undefined) this.#found.set(groupKind, resource)
    return resource
  }
}

function stillServed(kind: string): CodedError<'KindUnavailable'> {
  const message = `the API server answers requests for ${kind} with 404, but its discovery names the kind; see "kubectl api-resources"`
  return new CodedError({ code: 'KindUnavailable', message, remedy: 'retry' })
}

/** The rights on kinds that have left `owns` are derived from `retired`. */
function readFailed(kind: string, thrown: unknown, { isDeclared }: { readonly isDeclared: boolean }): CodedError {
  const { code, remedy, retryAfterMs } =
    thrown instanceof CodedError ? thrown : { code: 'InternalError', remedy: 'retry' as const, retryAfterMs: undefined }
  const remains = isKubeError(thrown, 'Forbidden') && !isDeclared
  const advice = remains ? `; or name the kind in 'retired' of the controller, and install again` : ''
  const message = `cannot look for ${kind} objects that are no longer declared: ${messageOf(thrown)}${advice}`
  return new CodedError({ code, message, remedy, retryAfterMs, cause: thrown })
}
