// What does one controller see of the cluster? Its own resources, the children it made and the kinds it watches, each held
// as an informer that is shared with every other controller; and for each event, who is to have a turn.

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
  /** Which of the controller's own resources this process looks after. */
  readonly labelSelector?: string | undefined
  /** Where the children are, if not in the cluster of the controller's resources. */
  readonly elsewhere?: { readonly cluster: ChildCluster; readonly informers: Informers } | undefined
  /** Of those, and of their children, the objects that this process keeps in memory. Default: all. */
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

/** One kind that a controller looks at. */
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
  /** An object of our own kind can be parent and child: then the write of a child is news to its own reconcile. */
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
        // The same for all controllers of the operator, so that they share one informer of a kind.
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

  /** The ApplySet of the resource at this key, whether or not it exists. */
  setOf(key: Key): string {
    const { resource } = this.#controller
    return this.#setOf({ apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: parseKey(key) })
  }

  #setOf(parent: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
    return applySetId(parent, this.#controller.part, this.#cluster?.homeUid)
  }

  /** Every kind, with the informer that has to be in step, or to know that the kind is not served, before a turn may be taken. */
  get kinds(): readonly HeldKind[] {
    const { resource } = this.#controller
    return [{ resource, optional: false, isAtHome: true, informer: this.#parents }, ...this.dependencies]
  }

  /** All kinds but the controller's own. */
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

  /** The kinds that no turn can do without and that the API server does not serve. */
  get missingKinds(): readonly Resource[] {
    const missing = this.dependencies.filter(({ optional, informer }) => !optional && !informer.isServed)
    return [...new Map(missing.map(({ resource }) => [groupKindOf(resource), resource])).values()]
  }

  /** Owned kinds that the API server does not serve: memory shows none of their objects. */
  get unservedChildren(): readonly Resource[] {
    return [...this.#children.values()].flatMap(({ owned, informer }) => (informer.isServed ? [] : [owned.resource]))
  }

  /** Names of all kinds, optional ones too, that the API server does not serve. */
  get unavailableKinds(): readonly string[] {
    const missing = this.dependencies.filter(({ informer }) => !informer.isServed)
    return [...new Set(missing.map(({ resource }) => groupKindOf(resource)))].sort()
  }

  /** Is this kind, which the controller owns or watches, served? */
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

  /** Found by owner reference and by inventory label; `isMember` decides. */
  childrenOf(parent: LiveObject): readonly LiveObject[] {
    const set = this.#setOf(parent)
    const found = [...this.#children.values()].flatMap(({ informer }) => [
      ...informer.byOwner(parent.metadata.uid),
      ...informer.byLabel(partOfLabel, set),
    ])
    const members = found.filter((child) => isChildOf(child, parent, { maker: this.#maker, cluster: this.#cluster }))
    return [...new Map(members.map((child) => [child.metadata.uid, child])).values()]
  }

  /** The answer to a write that was locked to the version it was decided from: its event is no news. */
  parentWritten(live: LiveObject): void {
    // The answer to the patch that takes the last finalizer off is an object that is gone.
    if (isBeingDeleted(live) && (live.metadata.finalizers ?? []).length === 0) return
    this.#ownWrites.parents.record(live, live)
    this.#parents.recordWrite(live)
  }

  /** The answer to a status write. A user may have changed the rest meanwhile, so that its event may be news. */
  statusWritten(live: LiveObject): void {
    this.#parents.recordWrite(live)
  }

  /** The answer to an apply. Somebody else's object has a cache of its own, and its event is news to other resources. */
  written({ live, parent, role }: Written): void {
    if (role === 'contribution') {
      this.#watchOf(live)?.informer.recordWrite(live)
      if (live.metadata.uid === parent.metadata.uid) this.#parents.recordWrite(live)
      return
    }
    // That an object is released is news to the owner that releases it: nothing of it is left.
    if (isMember(live, parent, this.#cluster)) this.#ownWrites.children.record(live, parent)
    const informer = this.#children.get(groupKindOf(live))?.informer
    informer?.recordWrite(live)
    if (informer !== undefined) this.#freshness.wroteAt(parent.metadata.uid, informer, live.metadata)
  }

  childDeleted(object: LiveObject, parent: LiveObject): void {
    const informer = this.#children.get(groupKindOf(object))?.informer
    if (informer !== undefined) this.#freshness.deletedAt(parent.metadata.uid, informer, object.metadata)
  }

  /** Have the caches seen every child that this parent's turns wrote and deleted? */
  isFresh(parent: LiveObject): boolean {
    return this.#freshness.isFresh(parent.metadata.uid)
  }

  /** Is every child of this kind and namespace in memory? Undefined: the kind is cluster-scoped. */
  covers(kind: Parameters<typeof groupKindOf>[0], namespace: string | undefined): boolean {
    return this.#children.get(groupKindOf(kind))?.informer.covers(namespace) ?? false
  }

  /** As memory holds it, and ready by the rule of its kind, or by its own predicates. */
  childOf(live: LiveObject, predicates: readonly ReadyPredicate[] = []): Child {
    const held = this.#children.get(groupKindOf(live))
    const object = keptOf(held?.keep, live)
    return { object, readiness: readinessOf(object, { hasStatus: held?.owned.hasStatus, predicates }) }
  }

  scopeOf(apiVersion: string, kind: string, role: Role): Resource['scope'] | undefined {
    return resourceIn(this.#controller, { apiVersion, kind }, role)?.scope
  }

  /** Somebody else's object that the constructs add to, as its watch shows it; or a resource of the controller. */
  contributedTo(object: KubeObject): LiveObject | undefined {
    const { resource, keep, metadataOnly } = this.#controller
    const watched = this.#watchOf(object)
    const isHeldWhole = keep === undefined && !metadataOnly && isOf(resource, object)
    const informer = watched?.informer ?? (isHeldWhole ? this.#parents : undefined)
    return informer?.get(keyOf(object))
  }

  /** The object in memory whose owners the owner of `object` may join; undefined: there is none, or it has other owners. */
  sharedWith(object: KubeObject): LiveObject | undefined {
    const live = this.#children.get(groupKindOf(object))?.informer.get(keyOf(object))
    return live !== undefined && mayJoin(object, live) ? live : undefined
  }

  #watchOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): HeldWatch | undefined {
    return this.#watched.find(({ watch }) => watch.contributes === true && isOf(watch.resource, object))
  }

  /**
   * A watched kind in memory, for reads; children are no good for it, as foreign objects are missing among them, nor is a
   * watch of metadata, as all else is missing.
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

  /** Calls back for every turn that an event asks for, and for every parent and child that is gone. Returns what ends it. */
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
          // What one owner writes is news to the others.
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

/** Kinds to look for in memory, because no mark on a resource says where children of an earlier version of the controller are. */
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

/** Parents by the label value of their children. The controllers of a kind share its informer. */
const setIndexOf = ({ name }: Controller) => `konverge.dev/apply-set/${name}`

/** Both hold. */
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

/** Informers are shared by controllers, and each may call its indexes as it likes. */
function indexName({ name }: Controller, { resource }: Watch, index: string): string {
  return `${name}/${groupKindOf(resource)}/${index}`
}

function indexesOf(controller: Controller, watch: Watch): Readonly<Record<string, IndexFunction<LiveObject>>> {
  const indexes = Object.entries(watch.indexes ?? {})
  return Object.fromEntries(indexes.map(([index, valuesOf]) => [indexName(controller, watch, index), valuesOf]))
}
