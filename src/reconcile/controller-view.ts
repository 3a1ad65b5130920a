// A controller's view of the cluster: its own resources, their children and the watched kinds. Each kind is an informer
// that all controllers share. The view maps each event to the resources to reconcile.

import type { Written } from '../apply/applier.ts'
import type { ChildCluster } from '../apply/child-cluster.ts'
import { mayJoin } from '../apply/co-owner-rule.ts'
import { isChildOf, isMember } from '../apply/member-rule.ts'
import { readinessOf } from '../apply/readiness.ts'
import { hasToken } from '../apply/remote-children.ts'
import { isOfSibling, type MakerNames } from '../apply/sibling-rule.ts'
import { assert } from '../base/assert.ts'
import type { InformerEvent } from '../cache/change-handler.ts'
import { Freshness } from '../cache/freshness.ts'
import type { InformerView } from '../cache/informer-view.ts'
import type { Informers } from '../cache/informers.ts'
import type { IndexFunction } from '../cache/store.ts'
import { isCoOwned } from '../object/co-owner.ts'
import { childManagerOf, type OperatorIdentity, ownedByValue } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { type Key, keyOf, parseKey } from '../object/ref.ts'
import { apiVersionOf, groupKindOf, isOf, type Resource } from '../object/resource.ts'
import type { Role } from '../synth/draft.ts'
import type { ReadyPredicate } from '../synth/field-policies.ts'
import { applySetId, childrenSelector, partOfLabel } from '../synth/membership.ts'
import type { Owned, Watch } from './declared-kinds.ts'
import { type Controller, resourceIn } from './definition.ts'
import { keepOfChild } from './kept-child.ts'
import { type Keep, keptOf } from './kept-parent.ts'
import type { CachedKind } from './live-loader.ts'
import type { Child } from './outcome.ts'
import { OwnWrites } from './own-writes.ts'
import type { Shard } from './shard.ts'
import { type Trigger, triggersOfChild, triggersOfParent, triggersOfWatched } from './triggers.ts'

export interface ControllerViewOptions {
  readonly identity: OperatorIdentity
  readonly controller: Controller
  readonly informers: Informers
  /** Selects the controller's own resources that this process manages. */
  readonly labelSelector?: string | undefined
  /** The cluster of the children, if it is not the cluster of the controller's resources. */
  readonly elsewhere?: { readonly cluster: ChildCluster; readonly informers: Informers } | undefined
  /** Selects the resources and children that this process caches. Default: all. */
  readonly shard?: Pick<Shard, 'keeps' | 'keepsChild'> | undefined
}

interface HeldChild {
  readonly owned: Required<Owned>
  readonly keep: Keep | undefined
  readonly informer: InformerView
}

interface HeldWatch {
  readonly watch: Watch
  readonly informer: InformerView
}

/** One kind that a controller reads from a cache. */
export interface HeldKind {
  readonly resource: Resource
  readonly optional: boolean
  /** True in the cluster of the controller's resources. */
  readonly isAtHome: boolean
  readonly informer: InformerView
}

export class ControllerView {
  readonly #controller: Controller
  readonly #maker: MakerNames
  readonly #cluster: ChildCluster | undefined
  readonly #parents: InformerView
  readonly #children: ReadonlyMap<string, HeldChild>
  readonly #watched: readonly HeldWatch[]
  /** An object of the controller's own kind can be parent and child: its write changes its own reconcile. */
  readonly #ownWrites = { parents: new OwnWrites(), children: new OwnWrites() }
  readonly #freshness = new Freshness()

  constructor({ identity, controller, informers, labelSelector, elsewhere, shard }: ControllerViewOptions) {
    this.#controller = controller
    this.#maker = { manager: childManagerOf(identity, controller.name), ownedBy: ownedByValue(controller.name) }
    this.#cluster = elsewhere?.cluster
    const homeCluster = elsewhere?.cluster.homeUid
    const ours = childrenSelector({ operatorName: identity.name, shardName: identity.shard, homeCluster })
    this.#parents = informers.informerFor({
      resource: controller.resource,
      namespaces: controller.namespaces,
      labelSelector: joinedSelector(labelSelector, controller.labelSelector),
      fieldSelector: controller.fieldSelector,
      metadataOnly: controller.metadataOnly,
      transform: controller.keep,
      keepsWhole: true,
      indexes: {
        fields: {
          ...parentIndexesOf(controller),
          [setIndexOf(controller)]: (parent) => [this.#setOf(parent)],
        },
      },
      keeps: shard && ((parent) => shard.keeps(this.#setOf(parent))),
    })
    this.#children = new Map(
      [...controller.owns, ...retiredOf(controller)].map((owned) => {
        // Equal for all controllers of the operator, so that they share one informer per kind.
        const selected = { labelSelector: ours, indexes: { labels: [partOfLabel] }, keeps: shard?.keepsChild }
        const keep = keepOfChild(owned)
        const request = { resource: owned.resource, ...selected, transform: keep, keepsWhole: true }
        const informer =
          elsewhere === undefined
            ? informers.informerFor({ ...request, namespaces: controller.namespaces })
            : elsewhere.informers.informerFor(request)
        return [groupKindOf(owned.resource), { owned, keep, informer }]
      }),
    )
    this.#watched = controller.watches.map((watch) => {
      const { resource, labelSelector, metadataOnly, keep, namespaces = controller.namespaces } = watch
      return {
        watch,
        informer: informers.informerFor({
          resource,
          namespaces,
          labelSelector,
          metadataOnly,
          transform: keep,
          indexes: { fields: indexesOf(controller, watch) },
        }),
      }
    })
  }

  /** Returns the ApplySet id of the resource at this key, whether or not the resource exists. */
  setOf(key: Key): string {
    const { resource } = this.#controller
    return this.#setOf({ apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: parseKey(key) })
  }

  #setOf(parent: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
    return applySetId(parent, this.#controller.part, this.#cluster?.homeUid)
  }

  /**
   * All kinds with their informers. Before a reconcile, each informer has to be synced, or know that its kind is not
   * served.
   */
  get kinds(): readonly HeldKind[] {
    const { resource } = this.#controller
    return [{ resource, optional: false, isAtHome: true, informer: this.#parents }, ...this.dependencies]
  }

  /** All kinds except the controller's own. */
  get dependencies(): readonly HeldKind[] {
    return [
      ...[...this.#children.values()].map(({ owned: { resource, optional }, informer }) => {
        return { resource, optional, isAtHome: this.#cluster === undefined, informer }
      }),
      ...this.#watched.map(({ watch: { resource, optional = false }, informer }) => {
        return { resource, optional, isAtHome: true, informer }
      }),
    ]
  }

  /** Required kinds that the API server does not serve. */
  get missingKinds(): readonly Resource[] {
    const missing = this.dependencies.filter(({ optional, informer }) => !optional && !informer.isServed)
    return [...new Map(missing.map(({ resource }) => [groupKindOf(resource), resource])).values()]
  }

  /** Owned kinds that the API server does not serve: the caches hold none of their objects. */
  get unservedChildren(): readonly Resource[] {
    return [...this.#children.values()].flatMap(({ owned, informer }) => (informer.isServed ? [] : [owned.resource]))
  }

  /** Names of all kinds, optional ones included, that the API server does not serve. */
  get unavailableKinds(): readonly string[] {
    const missing = this.dependencies.filter(({ informer }) => !informer.isServed)
    return [...new Set(missing.map(({ resource }) => groupKindOf(resource)))].sort()
  }

  /** True if the API server serves this kind, which the controller owns or watches. */
  readonly isAvailable = (resource: Resource): boolean => {
    const kind = groupKindOf(resource)
    const isDeclared = this.dependencies.some((held) => groupKindOf(held.resource) === kind)
    assert(isDeclared, `isAvailable is asked about ${kind}, which ${this.#controller.name} owns or watches`)
    return !this.unavailableKinds.includes(kind)
  }

  parent(key: Key): LiveObject | undefined {
    return this.#parents.get(key)
  }

  get parents(): readonly LiveObject[] {
    return this.#parents.list()
  }

  /** Finds children by owner reference and by inventory label; `isMember` decides. */
  childrenOf(parent: LiveObject): readonly LiveObject[] {
    const set = this.#setOf(parent)
    const found = [...this.#children.values()].flatMap(({ informer }) => [
      ...informer.byOwner(parent.metadata.uid),
      ...informer.byLabel(partOfLabel, set),
    ])
    const members = found.filter((child) => isChildOf(child, parent, { maker: this.#maker, cluster: this.#cluster }))
    return [...new Map(members.map((child) => [child.metadata.uid, child])).values()]
  }

  /** Records the response to a write with a resourceVersion lock: its event brings no change. */
  parentWritten(live: LiveObject): void {
    // The response to the patch that removes the last finalizer is an object that no longer exists.
    if (isBeingDeleted(live) && (live.metadata.finalizers ?? []).length === 0) return
    this.#ownWrites.parents.record(live, live)
    this.#parents.recordWrite(live)
  }

  /** Records the response to a status write. Its event may bring changes of other writers. */
  statusWritten(live: LiveObject): void {
    this.#parents.recordWrite(live)
  }

  /** Records the response to an apply. The event of another owner's object is a change for other resources. */
  written({ live, parent, role }: Written): void {
    if (role === 'contribution') {
      this.#watchOf(live)?.informer.recordWrite(live)
      if (live.metadata.uid === parent.metadata.uid) this.#parents.recordWrite(live)
      return
    }
    // The release of an object is a change for the owner that releases it.
    if (isMember(live, parent, this.#cluster)) this.#ownWrites.children.record(live, parent)
    const informer = this.#children.get(groupKindOf(live))?.informer
    informer?.recordWrite(live)
    if (informer !== undefined) this.#freshness.wroteAt(parent.metadata.uid, informer, live.metadata)
  }

  childDeleted(object: LiveObject, parent: LiveObject): void {
    const informer = this.#children.get(groupKindOf(object))?.informer
    if (informer !== undefined) this.#freshness.deletedAt(parent.metadata.uid, informer, object.metadata)
  }

  /** True if the caches have delivered every write and deletion that reconciles of this parent made. */
  isFresh(parent: LiveObject): boolean {
    return this.#freshness.isFresh(parent.metadata.uid)
  }

  /** True if the caches hold every child of this kind and namespace. Undefined: the kind is cluster-scoped. */
  covers(kind: Parameters<typeof groupKindOf>[0], namespace: string | undefined): boolean {
    return this.#children.get(groupKindOf(kind))?.informer.covers(namespace) ?? false
  }

  /** Returns the child as the cache holds it, with its readiness by the rule of its kind or by its predicates. */
  childOf(live: LiveObject, predicates: readonly ReadyPredicate[] = []): Child {
    const held = this.#children.get(groupKindOf(live))
    const object = keptOf(held?.keep, live)
    return { object, readiness: readinessOf(object, { hasStatus: held?.owned.hasStatus, predicates }) }
  }

  scopeOf(apiVersion: string, kind: string, role: Role): Resource['scope'] | undefined {
    return resourceIn(this.#controller, { apiVersion, kind }, role)?.scope
  }

  /** Returns the object that the constructs contribute to: from its watch, or a resource of the controller. */
  contributedTo(object: KubeObject): LiveObject | undefined {
    const { resource, keep, metadataOnly } = this.#controller
    const watched = this.#watchOf(object)
    const isHeldWhole = keep === undefined && !metadataOnly && isOf(resource, object)
    const informer = watched?.informer ?? (isHeldWhole ? this.#parents : undefined)
    return informer?.get(keyOf(object))
  }

  /** Returns the cached object whose owners the owner of `object` may join, if there is one. */
  sharedWith(object: KubeObject): LiveObject | undefined {
    const live = this.#children.get(groupKindOf(object))?.informer.get(keyOf(object))
    return live !== undefined && mayJoin(object, live) ? live : undefined
  }

  #watchOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): HeldWatch | undefined {
    return this.#watched.find(({ watch }) => watch.contributes === true && isOf(watch.resource, object))
  }

  /**
   * Returns a watched kind for reads from the cache. Caches of children lack unmanaged objects, and watches of metadata
   * lack all other fields.
   */
  cachedKind(resource: Resource): CachedKind | undefined {
    const held = this.#watched.find(
      ({ watch }) => watch.metadataOnly !== true && groupKindOf(watch.resource) === groupKindOf(resource),
    )
    if (held === undefined) return undefined
    const { informer, watch } = held
    return {
      selectedLabel: watch.labelSelector,
      covers: (namespace) => informer.covers(namespace),
      get: (key) => informer.get(key),
      select: (selection) => informer.select(selection),
      byIndex: (index, value) =>
        Object.hasOwn(watch.indexes ?? {}, index)
          ? informer.byIndex(indexName(this.#controller, watch, index), value)
          : undefined,
    }
  }

  /** Calls back for each reconcile that an event triggers, and each object that is gone. Returns its removal. */
  onTrigger(trigger: (trigger: Trigger) => void, gone: (object: LiveObject) => void): () => void {
    const { resource } = this.#controller
    const lookup = (index: string, value: string) => {
      assertDeclared(this.#controller, index)
      return this.#parents.byIndex(parentIndexName(this.#controller, index), value).map(keyOf)
    }
    const parentAt = (key: Key) => this.#parents.get(key)
    const parentsOfSet = (set: string) => this.#parents.byIndex(setIndexOf(this.#controller), set)
    const each = (triggers: readonly Trigger[]) => {
      for (const wish of triggers) trigger(wish)
    }
    const ends = [
      this.#parents.addHandler((event: InformerEvent) => {
        if (event.kind === 'deleted') {
          gone(event.object)
          this.#freshness.forget(event.object.metadata.uid)
        }
        if (this.#ownWrites.parents.authorOf(event) === undefined) each(triggersOfParent(event))
      }),
      ...[...this.#children.values()].map(({ owned, informer }) =>
        informer.addHandler((event: InformerEvent) => {
          if (event.kind === 'deleted') gone(event.object)
          const { ownedBy } = this.#maker
          const kind = { parent: resource, ownedBy, owned, parentsOfSet, parentAt, cluster: this.#cluster }
          if (!hasToken(event.object) && isOfSibling(event.object, this.#maker)) return
          const author = this.#ownWrites.children.authorOf(event)
          // The write of one owner is a change for the others.
          if (author !== undefined && !isCoOwned(event.object)) return
          each(triggersOfChild(kind, event).filter(({ key }) => key !== author))
        }),
      ),
      ...this.#watched.map(({ watch, informer }) =>
        informer.addHandler((event: InformerEvent) => {
          if (event.kind === 'deleted') gone(event.object)
          each(triggersOfWatched(watch, lookup, event))
        }),
      ),
    ]
    return () => {
      for (const end of ends) end()
    }
  }
}

/** Kinds to look for in the caches: no annotation of a resource records the children of an earlier version. */
function retiredOf({ finalizer, retired }: Controller): readonly Required<Owned>[] {
  if (finalizer) return []
  return retired.map((resource) => ({
    resource,
    statusMatters: false,
    hasStatus: true,
    dropStatus: [],
    optional: true,
  }))
}

/** Index of the parents by the label value of their children. The controllers of a kind share its informer. */
const setIndexOf = ({ name }: Controller) => `konverge.dev/apply-set/${name}`

/** Joins selectors so that all must match. */
function joinedSelector(...selectors: readonly (string | undefined)[]): string | undefined {
  const given = selectors.filter((selector) => selector !== undefined && selector !== '')
  return given.length === 0 ? undefined : given.join(',')
}

function assertDeclared({ name, indexes }: Controller, index: string): void {
  const isDeclared = Object.hasOwn(indexes, index)
  assert(isDeclared, `keysFor looks up declared indexes, and ${name} declares no '${index}': add it to indexes`)
}

function parentIndexName({ name }: Controller, index: string): string {
  return `${name}/${index}`
}

function parentIndexesOf(controller: Controller): Controller['indexes'] {
  const indexes = Object.entries(controller.indexes)
  return Object.fromEntries(indexes.map(([index, valuesOf]) => [parentIndexName(controller, index), valuesOf]))
}

/** Controllers share informers, and each may name its indexes freely. */
function indexName({ name }: Controller, { resource }: Watch, index: string): string {
  return `${name}/${groupKindOf(resource)}/${index}`
}

function indexesOf(controller: Controller, watch: Watch): Readonly<Record<string, IndexFunction<LiveObject>>> {
  const indexes = Object.entries(watch.indexes ?? {})
  return Object.fromEntries(indexes.map(([index, valuesOf]) => [indexName(controller, watch, index), valuesOf]))
}
