// Applies the children of one resource, or deletes them in their stored order. Invariants: the inventory on the
// resource always covers its children (I3), and nothing is deleted on the evidence of a cache alone (I5).
import type { Applier } from '../apply/applier.ts'
import type { Convergence } from '../apply/convergence.ts'
import type { ManagerOf } from '../apply/field-managers.ts'
import { leftAloneEvent, retainedEvent, unrecorded } from '../apply/left-alone.ts'
import { type Compare, leftovers, plan, type Step, undeclaredOf } from '../apply/plan.ts'
import { claimRemote, homeOf, newPlaces } from '../apply/remote-children.ts'
import type { Clock } from '../base/clock.ts'
import type { Log, Tracer } from '../base/instrument.ts'
import { isAppliedHash } from '../diff/applied-hash.ts'
import { declaredChanges } from '../diff/compare.ts'
import { describeChanges } from '../diff/describe.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'
import { type Cause, describeCause } from '../queue/cause.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { abandonedInClusterEvent, type ClusterState, clusterVerdict, hasNothingThere } from './cluster-doubt.ts'
import { nextDeletion, waitSentence } from './deletion.ts'
import type { InventoryLoader } from './inventory-loader.ts'
import type { InventoryTokens } from './inventory-tokens.ts'
import { logFieldsOf } from './log-fields.ts'
import { type Child, cacheCatchUp, type Outcome, outcomeOfTurn } from './outcome.ts'
import type { ParentRecorder } from './parent-recorder.ts'
import type { ReconcileMetrics } from './reconcile-metrics.ts'
import { settleUnread } from './unread-children.ts'
import { type Declared, declaredChildren, type VerificationTimes } from './verification-times.ts'

/** Cached view of the children of a resource. */
export interface ChildrenView {
  /** All children of the parent in the caches, of all owned kinds. */
  childrenOf(parent: LiveObject): readonly LiveObject[]
  /** The object of another owner that the constructs contribute to. */
  contributedTo(object: KubeObject): LiveObject | undefined
  /** The object whose owners a resource may join. */
  sharedWith(object: KubeObject): LiveObject | undefined
  /** The child as the author's functions see it. */
  childOf(object: LiveObject): Child
  /** True if the caches have delivered every write and deletion that reconciles of this parent made. */
  isFresh(parent: LiveObject): boolean
  /** True if the caches hold every child of this kind and namespace. */
  covers(kind: LiveObject, namespace: string | undefined): boolean
  /** Owned kinds that the API server does not serve: the caches hold none of their objects. */
  readonly unservedChildren: readonly Resource[]
}

export interface ChildrenReconcilerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly tracer: Tracer
  readonly metrics: ReconcileMetrics
  readonly view: ChildrenView
  readonly applier: Applier
  readonly compare: Compare
  readonly convergence: Pick<Convergence, 'doubt'>
  readonly verifications: VerificationTimes
  readonly managerOf: ManagerOf
  readonly parents: ParentRecorder
  readonly members: InventoryLoader
  readonly tokens: InventoryTokens
  /** State of the cluster of the children. */
  readonly clusterState: () => ClusterState
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

export interface Wanted {
  readonly desired: readonly DesiredObject[]
  /** Causes of the reconcile, for the log. */
  readonly causes: readonly Cause[]
}

/** Result of a reconcile for the children. */
export interface Made {
  readonly outcome: Outcome
  readonly children: readonly Child[]
  /** True if nothing failed; objects may still be held or in progress. */
  readonly isApplied: boolean
}

/** The reason why a deletion waits, and the longest time until the next attempt. */
export type Wait = Omit<Extract<Outcome, { kind: 'deleting' }>, 'kind'>

/** Result of one step of the deletion. */
export interface Deleted {
  /** Absent: no child with an apply order is left. */
  readonly wait?: Wait
  /** Events that name the objects that stay in the places of recorded remote children. */
  readonly leftAlone?: readonly EventReport[]
}

/** Number of field changes of a child that one log line names. */
const loggedChanges = 8

export class ChildrenReconciler {
  readonly #options: ChildrenReconcilerOptions

  constructor(options: ChildrenReconcilerOptions) {
    this.#options = options
  }

  /** The children in the caches. */
  childrenOf(parent: LiveObject): readonly Child[] {
    return this.#options.view.childrenOf(parent).map((object) => this.#options.view.childOf(object))
  }

  /**
   * Applies and prunes. Rejects when the inventory cannot be written or the signal aborts; the outcome contains other
   * failures.
   */
  async makeSo(object: LiveObject, { desired: declared, causes }: Wanted, signal: AbortSignal): Promise<Made> {
    const { view, compare, managerOf, applier, parents, members, tokens, recordEvent } = this.#options
    const state = this.#options.clusterState()
    const { cluster } = state
    const { doubt, abandoned } = clusterVerdict(object, state)
    if (doubt !== undefined) throw doubt
    const isFresh = view.isFresh(object)
    const seen = view.childrenOf(object)
    const places = newPlaces(object, declared, cluster)
    const unseen = await members.unseen(object, { seen, places }, signal)
    // An error is never absence: the inventory entry of an unreadable child stays, and the reconcile continues with the
    // others.
    const unread = settleUnread(object, unseen.unread, declared)
    const children = [...seen, ...unseen.objects]
    const claim = { parent: object, desired: declared, children, unread: unread.places, cluster, ...tokens.of(object) }
    const { desired, inventory } = claimRemote(claim)
    // The inventory entries come first: annotations that cover more than the entries would be removed again, and each
    // of these writes is an event.
    const recorded = await parents.record(object, inventory, signal)
    const parent = await parents.cover(recorded, unread.applicable, signal)
    const strangers = unrecorded({ parent: object, objects: unseen.strangers, cluster }, inventory)
    const stay = leftAloneEvent({ parent, objects: strangers, cluster })
    for (const event of [abandonedInClusterEvent(abandoned), unread.abandoned, stay])
      if (event !== undefined) recordEvent(parent, event)
    this.#verify(parent, { desired, children })
    const others = { contributedTo: view.contributedTo.bind(view), sharedWith: view.sharedWith.bind(view) }
    const wanted = plan({ parent, desired, children, ...others, compare, managerOf, cluster })
    const written = wanted.waves.flat().flatMap(describeStep)
    this.#logActions(parent, { actions: written, causes })
    const mayPrune = async (due: readonly LiveObject[]) => {
      if (!(await this.#mayDelete(parent, isFresh, signal))) return false
      const pruned = due.map((child) => `delete ${describeRef(refOf(child))}`)
      this.#logActions(parent, { before: written, actions: pruned, causes })
      return true
    }
    const report = await applier.run(parent, wanted, { mayPrune, forbidden: unread.forbidden, signal })
    const failures = [...report.failures, ...[...unseen.failures, ...unread.errors].map((error) => ({ error }))]
    const home = cluster === undefined ? homeOf(parent) : undefined
    const outcome = outcomeOfTurn({ ...report, home, failures })
    const isApplied = failures.length === unread.errors.length && unread.applicable.length === declared.length
    if (failures.length + report.gated.length > 0) return { outcome, children: report.children, isApplied }
    if (report.isPruneHeld)
      return { outcome: { kind: 'waiting', ...cacheCatchUp }, children: report.children, isApplied }
    const on = await this.#shrink(parent, { desired, was: [...wanted.prune, ...wanted.going] }, signal)
    const retained = retainedEvent({ parent, objects: undeclaredOf({ desired, children }), cluster })
    if (retained !== undefined) recordEvent(parent, retained)
    const isRest = on === undefined || outcome.kind !== 'settled'
    return { outcome: isRest ? outcome : { kind: 'waiting', on }, children: report.children, isApplied }
  }

  /**
   * Marks children for verification when a user or the resync requests it. The plan then applies them, because their
   * undeclared fields may not be defaults.
   */
  #verify(parent: LiveObject, declared: Declared): void {
    const { clock, convergence, managerOf, verifications } = this.#options
    if (!verifications.isDue(parent, clock.monotonicMs())) return
    for (const { live, item } of declaredChildren(declared)) {
      convergence.doubt({ uid: live.metadata.uid, manager: managerOf(item) })
    }
  }

  /** Performs one step of the ordered deletion. */
  async deleteNext(parent: LiveObject, signal: AbortSignal): Promise<Deleted> {
    const { view, applier, members, clock, log } = this.#options
    const state = this.#options.clusterState()
    if (hasNothingThere(parent, state)) return {}
    const { doubt, abandoned, isCutOff } = clusterVerdict(parent, state)
    if (doubt !== undefined) throw doubt
    const abandonedEvent = abandonedInClusterEvent(abandoned)
    if (isCutOff) return { leftAlone: abandonedEvent === undefined ? [] : [abandonedEvent] }
    const isFresh = view.isFresh(parent)
    const loose = await members.unseen(parent, { seen: [] }, signal)
    const children = distinct([...view.childrenOf(parent), ...loose.objects])
    const step = nextDeletion({ parent, children, cluster: state.cluster, nowMs: clock.now() })
    if (step.kind === 'delete') {
      if (!(await this.#mayDelete(parent, isFresh, signal))) return { wait: cacheCatchUp }
      for (const object of step.objects) {
        log.info({ ...logFieldsOf(parent), child: describeRef(refOf(object)) }, 'deleting child')
        await applier.delete({ parent, object, propagationPolicy: 'Foreground' }, signal)
      }
    }
    // An unreadable child may still exist: the finalizer stays, and the status reports the reason.
    const unread = settleUnread(parent, loose.unread, [])
    // The caches hold no objects of these kinds. Either the CRD was deleted with all objects, or the API server is at
    // fault.
    const doubts = await members.doubts(view.unservedChildren, signal)
    const [failure] = [...loose.failures, ...doubts, ...unread.errors]
    if (failure !== undefined) throw failure
    if (step.kind !== 'done') return { wait: { on: step.on } }
    const { cluster } = state
    const strangers = leftAloneEvent({ parent, objects: loose.strangers, cluster })
    const retained = retainedEvent({ parent, objects: children, cluster })
    const events = [strangers, retained, unread.abandoned, abandonedEvent]
    return { leftAlone: events.flatMap((event) => event ?? []) }
  }

  /**
   * Shrinks the inventory to the desired and the remaining objects. The deletion event of a cached object triggers a
   * reconcile; other objects are read again. Returns a sentence about objects that are still being deleted, or
   * undefined.
   */
  async #shrink(
    parent: LiveObject,
    { desired, was }: { readonly desired: readonly DesiredObject[]; readonly was: readonly LiveObject[] },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { view, parents, members, clock, clusterState } = this.#options
    const seen = was.filter((child) => view.covers(child, child.metadata.namespace))
    const known = { seen: view.childrenOf(parent) }
    const again = seen.length === was.length ? undefined : await members.unseen(parent, known, signal)
    const [failure] =
      again === undefined ? [] : [...again.failures, ...settleUnread(parent, again.unread, desired).errors]
    if (failure !== undefined) throw failure
    const { prune, going } = leftovers({
      parent,
      desired,
      children: again?.objects ?? [],
      cluster: clusterState().cluster,
    })
    const unseen = [...prune, ...going]
    await parents.shrink(parent, { desired, left: [...seen, ...unseen] }, signal)
    return unseen.length === 0 ? undefined : waitSentence(unseen, clock.now())
  }

  /** True if the resource is being deleted and its user abandons its children in an unreachable cluster. */
  isAbandoned(parent: LiveObject): boolean {
    return clusterVerdict(parent, this.#options.clusterState()).isCutOff
  }

  /** True if the operator may delete objects for this resource now. */
  async mayDelete(parent: LiveObject, signal: AbortSignal): Promise<boolean> {
    return await this.#mayDelete(parent, this.#options.view.isFresh(parent), signal)
  }

  /**
   * True if the decision came from a cache that had all own writes, and the resource is unchanged on the API server
   * (I5).
   */
  async #mayDelete(parent: LiveObject, isFresh: boolean, signal: AbortSignal): Promise<boolean> {
    const { members, metrics } = this.#options
    if (isFresh && (await members.isCurrent(parent, signal))) return true
    metrics.countStaleSkip()
    return false
  }

  #logActions(object: LiveObject, { before = [], actions, causes }: Actions): void {
    if (actions.length === 0) return
    const { log, tracer } = this.#options
    log.info({ ...logFieldsOf(object), causes: causes.map(describeCause), actions }, 'applying')
    tracer.active.note(() => ({ 'konverge.actions': [...before, ...actions] }))
  }
}

/** Log lines about one reconcile. */
interface Actions {
  readonly actions: readonly string[]
  /** Actions that are already in the log. */
  readonly before?: readonly string[]
  readonly causes: readonly Cause[]
}

function describeStep({ desired: { object, lasting, policies }, action }: Step): readonly string[] {
  const name = describeRef(refOf(object))
  if (action.kind === 'create') return [`create ${name}`]
  if (action.kind !== 'change') return []
  const { comparison, live } = action
  if (comparison.kind === 'unowned' && !policies.contribute) return [`change ${name}: take ownership`]
  const declared = comparison.kind === 'unowned' ? declaredChanges({ desired: lasting, live }) : comparison.changes
  const changes = declared.filter(({ path }) => !isAppliedHash(path))
  const lines = describeChanges(object, changes, { limit: loggedChanges })
  return [`change ${name}: ${lines.length === 0 ? 'declared otherwise inside an atomic value' : lines.join(', ')}`]
}

/** Removes duplicates by uid. */
function distinct(objects: readonly LiveObject[]): readonly LiveObject[] {
  return [...new Map(objects.map((object) => [object.metadata.uid, object])).values()]
}
