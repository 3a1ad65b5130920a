// What does one controller see of the cluster? Its own resources, the children it made and the kinds it watches, each held
// as an informer that is shared with every other controller; and for each event, who is to have a turn.

import type { Written } from '../apply/applier.ts'
import { isMember } from '../apply/member-rule.ts'
import { type Readiness, readinessOf } from '../apply/readiness.ts'
import { assert } from '../base/assert.ts'
import { Freshness } from '../cache/freshness.ts'
import type { InformerEvent } from '../cache/informer.ts'
import type { InformerView } from '../cache/informer-view.ts'
import type { Informers } from '../cache/informers.ts'
import type { IndexFunction } from '../cache/store.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import { groupKindOf, isOf, type Resource } from '../object/resource.ts'
import type { Role } from '../synth/draft.ts'
import type { ReadyPredicate } from '../synth/field-policies.ts'
import { applySetId, managedByLabel, partOfLabel } from '../synth/membership.ts'
import { type Controller, type Owned, resourceIn, type Watch } from './definition.ts'
import type { CachedKind } from './live-loader.ts'
import { type Trigger, triggersOfChild, triggersOfKind, triggersOfParent, triggersOfWatched } from './triggers.ts'

export interface ControllerViewOptions {
  readonly operatorName: string
  readonly controller: Controller
  readonly informers: Informers
  /** Which of the controller's own resources this process looks after. */
  readonly labelSelector?: string | undefined
}

interface HeldChild {
  readonly owned: Required<Owned>
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
  readonly informer: InformerView
}

export class ControllerView {
  readonly #controller: Controller
  readonly #parents: InformerView
  readonly #children: ReadonlyMap<string, HeldChild>
  readonly #watched: readonly HeldWatch[]
  /**
   * The version of our last write to each living object, by uid. Its event holds nothing that the reconcile that wrote it did not
   * know, and would only overtake its backoff. One of our own kind can be parent and child: then the write of a child is
   * news to its own reconcile.
   */
  readonly #ownWrites = { parents: new Map<string, string>(), children: new Map<string, string>() }
  readonly #freshness = new Freshness()

  constructor({ operatorName, controller, informers, labelSelector }: ControllerViewOptions) {
    this.#controller = controller
    this.#parents = informers.informerFor({
      resource: controller.resource,
      labelSelector: joinedSelector(labelSelector, controller.labelSelector),
      fieldSelector: controller.fieldSelector,
      indexes: { fields: { ...controller.indexes, [setIndex]: setsOf } },
    })
    this.#children = new Map(
      controller.owns.map((owned) => {
        // The same for all controllers of the operator, so that they share one informer of a kind.
        const selected = { labelSelector: `${managedByLabel}=${operatorName}`, indexes: { labels: [partOfLabel] } }
        const request = { resource: owned.resource, ...selected }
        return [groupKindOf(owned.resource), { owned, informer: informers.informerFor(request) }]
      }),
    )
    this.#watched = controller.watches.map((watch) => {
      const { resource, labelSelector, metadataOnly, keep } = watch
      return {
        watch,
        informer: informers.informerFor({
          resource,
          labelSelector,
          metadataOnly,
          transform: keep,
          indexes: { fields: indexesOf(controller, watch) },
        }),
      }
    })
  }

  /** Every kind, with the informer that has to be in step, or to know that the kind is not served, before a turn may be taken. */
  get kinds(): readonly HeldKind[] {
    return [{ resource: this.#controller.resource, optional: false, informer: this.#parents }, ...this.#dependencies]
  }

  /** All kinds but the controller's own. */
  get #dependencies(): readonly HeldKind[] {
    return [
      ...[...this.#children.values()].map(({ owned, informer }) => ({ ...owned, informer })),
      ...this.#watched.map(({ watch: { resource, optional = false }, informer }) => ({ resource, optional, informer })),
    ]
  }

  /** The kinds that no turn can do without and that the API server does not serve. */
  get missingKinds(): readonly Resource[] {
    const missing = this.#dependencies.filter(({ optional, informer }) => !optional && !informer.isServed)
    return [...new Map(missing.map(({ resource }) => [groupKindOf(resource), resource])).values()]
  }

  /** Owned kinds that the API server does not serve: memory shows none of their objects. */
  get unservedChildren(): readonly Resource[] {
    return [...this.#children.values()].flatMap(({ owned, informer }) => (informer.isServed ? [] : [owned.resource]))
  }

  /** Names of all kinds, optional ones too, that the API server does not serve. */
  get unavailableKinds(): readonly string[] {
    const missing = this.#dependencies.filter(({ informer }) => !informer.isServed)
    return [...new Set(missing.map(({ resource }) => groupKindOf(resource)))].sort()
  }

  /** Is this kind, which the controller owns or watches, served? */
  readonly isAvailable = (resource: Resource): boolean => {
    const kind = groupKindOf(resource)
    const isDeclared = this.#dependencies.some((held) => groupKindOf(held.resource) === kind)
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
    const set = applySetId(parent)
    const found = [...this.#children.values()].flatMap(({ informer }) => [
      ...informer.byOwner(parent.metadata.uid),
      ...informer.byLabel(partOfLabel, set),
    ])
    const members = found.filter((child) => isMember(child, parent))
    return [...new Map(members.map((child) => [child.metadata.uid, child])).values()]
  }

  /** The answer to a write that was locked to the version it was decided from: its event is no news. */
  parentWritten(live: LiveObject): void {
    // The answer to the patch that takes the last finalizer off is an object that is gone.
    if (isBeingDeleted(live) && (live.metadata.finalizers ?? []).length === 0) return
    this.#ownWrites.parents.set(live.metadata.uid, live.metadata.resourceVersion)
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
      return
    }
    this.#ownWrites.children.set(live.metadata.uid, live.metadata.resourceVersion)
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

  /** By the rule of its kind, or by its own predicates. */
  readinessOf(object: LiveObject, predicates: readonly ReadyPredicate[] = []): Readiness {
    const hasStatus = this.#children.get(groupKindOf(object))?.owned.hasStatus
    return readinessOf(object, { hasStatus, predicates })
  }

  scopeOf(apiVersion: string, kind: string, role: Role): Resource['scope'] | undefined {
    return resourceIn(this.#controller, { apiVersion, kind }, role)?.scope
  }

  /** Somebody else's object that the constructs add to, as its watch shows it. */
  contributedTo(object: KubeObject): LiveObject | undefined {
    return this.#watchOf(object)?.informer.get(keyOf(object))
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
    const lookup = (index: string, value: string) => this.#parents.byIndex(index, value).map(keyOf)
    const parentAt = (key: Key) => this.#parents.get(key)
    const parentsOfSet = (set: string) => this.#parents.byIndex(setIndex, set)
    const each = (triggers: readonly Trigger[]) => {
      for (const wish of triggers) trigger(wish)
    }
    const ends = [
      ...this.#dependencies.map(({ resource, informer }) =>
        informer.addServedHandler((isServed) => each(triggersOfKind(resource, isServed, this.#parents.list()))),
      ),
      this.#parents.addHandler((event: InformerEvent) => {
        if (event.kind === 'deleted') {
          gone(event.object)
          this.#freshness.forget(event.object.metadata.uid)
        }
        if (!isOwnWrite(this.#ownWrites.parents, event)) each(triggersOfParent(event))
      }),
      ...[...this.#children.values()].map(({ owned, informer }) =>
        informer.addHandler((event: InformerEvent) => {
          if (event.kind === 'deleted') gone(event.object)
          const kind = { parent: resource, owned, parentsOfSet, parentAt }
          if (!isOwnWrite(this.#ownWrites.children, event)) each(triggersOfChild(kind, event))
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

/** Forgets an object that is gone. */
function isOwnWrite(versions: Map<string, string>, { kind, object }: InformerEvent): boolean {
  const { uid, resourceVersion } = object.metadata
  if (kind === 'deleted') versions.delete(uid)
  return kind !== 'deleted' && versions.get(uid) === resourceVersion
}

/** Parents by the label value of their children. One function for all controllers, as they share informers. */
const setIndex = 'konverge.dev/apply-set'
const setsOf = (parent: LiveObject) => [applySetId(parent)]

/** Both hold. */
function joinedSelector(...selectors: readonly (string | undefined)[]): string | undefined {
  const given = selectors.filter((selector) => selector !== undefined && selector !== '')
  return given.length === 0 ? undefined : given.join(',')
}

/** Informers are shared by controllers, and each may call its indexes as it likes. */
function indexName({ name }: Controller, { resource }: Watch, index: string): string {
  return `${name}/${groupKindOf(resource)}/${index}`
}

function indexesOf(controller: Controller, watch: Watch): Readonly<Record<string, IndexFunction<LiveObject>>> {
  const indexes = Object.entries(watch.indexes ?? {})
  return Object.fromEntries(indexes.map(([index, valuesOf]) => [indexName(controller, watch, index), valuesOf]))
}
