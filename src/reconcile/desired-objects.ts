// Desired objects of a controller's resources as they are applied: synthesized once per change of the inputs,
// normalized, and with the applied hash. Invariant: the same inputs give the same objects, by identity, because holds
// depend on it.
import type { ChildCluster } from '../apply/child-cluster.ts'
import { givingBack, isContributedTo, withoutContributed } from '../apply/self-contribution.ts'
import { withAppliedHash } from '../diff/applied-hash.ts'
import { normalize } from '../diff/normalize.ts'
import { type OperatorIdentity, selfContributionManagerOf } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import type { DesiredObject, DesiredSet } from '../synth/desired.ts'
import { SynthMemo } from '../synth/memo.ts'
import { type SynthInput, synthesize } from '../synth/synth.ts'
import type { ControllerView } from './controller-view.ts'
import type { Controller } from './definition.ts'
import { withoutMissing } from './kinds-not-installed.ts'
import { type ParentOf, parentOf } from './parent.ts'

/** Number of resources whose synthesized objects stay in memory; about 10 KiB each. */
const memoCapacity = 10_000

/** Facts about the kinds that a controller declares. */
export type KindsView = Pick<ControllerView, 'scopeOf' | 'unavailableKinds' | 'contributedTo'>

export class DesiredObjects {
  readonly #identity: OperatorIdentity
  readonly #controller: Controller
  readonly #view: KindsView
  readonly #memo = new SynthMemo({ capacity: memoCapacity })
  readonly #homeCluster: string | undefined
  readonly #selfManager: string
  readonly #known = new WeakMap<KubeObject, KubeObject>()

  /** `cluster`: the cluster of the objects, if it is not the cluster of the resources. */
  constructor(identity: OperatorIdentity, controller: Controller, view: KindsView, cluster?: ChildCluster) {
    this.#identity = identity
    this.#controller = controller
    this.#view = view
    this.#homeCluster = cluster?.homeUid
    this.#selfManager = selfContributionManagerOf(identity, controller.name)
  }

  of(parent: LiveObject, facts: unknown): readonly DesiredObject[] {
    const live = this.#view.contributedTo(parent)
    if (live === undefined || !isContributedTo(live, this.#selfManager)) return this.#declared(parent, facts)
    const objects = this.#declared(withoutContributed(parent, live, this.#selfManager), facts)
    return objects.some(({ policies }) => policies.isSelf) ? objects : [...objects, givingBack(parent)]
  }

  #declared(parent: LiveObject, facts: unknown): readonly DesiredObject[] {
    const { desired } = this.#controller
    const make = () => this.#synthesize(parent, (chart) => desired(chart, { object: asDeclared(parent), facts }))
    return this.#normalized(this.#memo.get({ parent, facts }, make))
  }

  /**
   * Returns the pre-delete objects of a resource that is being deleted, with its status. Not memoized, because the
   * phase is short.
   */
  atParting(parent: LiveObject, facts: unknown): readonly DesiredObject[] {
    const { preDelete } = this.#controller
    if (preDelete === undefined) return []
    return this.#normalized(this.#synthesize(parent, (chart) => preDelete(chart, { object: parentOf(parent), facts })))
  }

  #synthesize(parent: LiveObject, build: SynthInput['build']): DesiredSet {
    return synthesize({
      parent,
      operatorName: this.#identity.name,
      shardName: this.#identity.shard,
      controllerName: this.#controller.name,
      part: this.#controller.part,
      homeCluster: this.#homeCluster,
      build,
      scopeOf: (apiVersion, kind, role) => this.#view.scopeOf(apiVersion, kind, role),
    })
  }

  #normalized({ objects }: DesiredSet): readonly DesiredObject[] {
    return withoutMissing(objects, this.#view.unavailableKinds).map((item) => {
      const { contribute } = item.policies
      const sent = (object: KubeObject) => this.#once(object, () => asSent(object, item.lasting, contribute))
      return { ...item, object: sent(item.object), lasting: sent(item.lasting) }
    })
  }

  /** Returns the same object for the same input, because holds depend on its identity. */
  #once(object: KubeObject, make: () => KubeObject): KubeObject {
    const known = this.#known.get(object) ?? make()
    this.#known.set(object, known)
    return known
  }

  forget(uid: string): void {
    this.#memo.forget(uid)
  }
}

/** Normalizes, and adds the applied hash by which later comparisons know the declaration. */
function asSent(object: KubeObject, lasting: KubeObject, isContribution: boolean): KubeObject {
  return isContribution ? normalize(object) : withAppliedHash(normalize(object), normalize(lasting))
}

/**
 * The part that the key of the memo covers. Constructs must not depend on status or versions, which change without a
 * new synthesis.
 */
function asDeclared({ status: _, ...object }: LiveObject): ParentOf<unknown, unknown> {
  const { resourceVersion: __, managedFields: ___, ...metadata } = object.metadata
  return parentOf({ ...object, metadata: { ...metadata, resourceVersion: '' } })
}
