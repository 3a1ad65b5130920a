// Applies a plan, wave by wave. The requests of a wave run in parallel. A failure postpones its dependents, and the
// prunes that prune-waits.ts names, until a later reconcile, and nothing else. Invariant: plan.ts decides what to
// write, never this file.
import { unreachable } from '../base/assert.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import { inParallel } from '../base/parallel-runner.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { Role } from '../synth/draft.ts'
import type { ReadyPredicate } from '../synth/field-policies.ts'
import type { ApplyReport, Child, ChildFailure } from './apply-report.ts'
import { type Apply, ApplyRunner } from './apply-runner.ts'
import { type Accepted, ChangeRunner, type ChangeRunnerOptions } from './change-runner.ts'
import {
  abandonedParts,
  deletePreconditions,
  departureOf,
  departurePatch,
  emptyPart,
  partManagersOf,
} from './co-owner-rule.ts'
import { ContributionFights } from './contribution-fights.ts'
import { ContributionPace } from './contribution-pace.ts'
import { valueChanges } from './contribution-rule.ts'
import { holdOffMs } from './convergence.ts'
import { partManagerOf } from './field-managers.ts'
import { type Action, type Compare, decide, identityOf, type Plan, type Step } from './plan.ts'
import { pruneWaits } from './prune-waits.ts'
import { type ChildPlace, isRemote } from './remote-children.ts'
import { fieldsDropped } from './unknown-fields.ts'

export interface ApplierOptions extends ChangeRunnerOptions {
  /** Returns a live object as the author's functions see it. */
  readonly childOf: (object: LiveObject, predicates: readonly ReadyPredicate[]) => Child
  /** Called for every accepted write, so that the caches show it. */
  readonly onWritten: (written: Written) => void
}

export interface Written {
  readonly live: LiveObject
  /** The resource of the reconcile that wrote the object. */
  readonly parent: LiveObject
  readonly role: Role
}

export interface Deletion {
  readonly parent: LiveObject
  /** As this reconcile read it: only the object with this uid is deleted (I5). */
  readonly object: LiveObject
  readonly propagationPolicy: 'Background' | 'Foreground'
}

export interface RunOptions {
  /** Called before anything is pruned, and only then. */
  readonly mayPrune: (children: readonly LiveObject[]) => Promise<boolean>
  /** Recorded children that the operator may not read. */
  readonly forbidden: readonly ChildPlace[]
  readonly signal: AbortSignal
}

/**
 * Concurrent requests of one wave: enough to use the connection, few enough to leave connections to other resources.
 */
const mostAtOnce = 16

/** State of a running plan. */
interface Progress {
  readonly parent: LiveObject
  readonly live: Map<string, LiveObject>
  /** Readiness predicates of an object, by identity; they replace the rule of its kind. */
  readonly predicates: ReadonlyMap<string, readonly ReadyPredicate[]>
  readonly failures: ChildFailure[]
  readonly gated: string[]
  /** Reason why an object is not as declared, by identity; undefined: it is held, or depends on such an object. */
  readonly heldBack: Map<string, CodedError | undefined>
  writes: number
}

export class Applier {
  readonly #options: ApplierOptions
  readonly #changes: ChangeRunner
  readonly #applies: ApplyRunner
  /** Resources of one controller that contribute to one object share a field manager. */
  readonly #fights = new ContributionFights()
  readonly #selfPace = new ContributionPace(holdOffMs)

  constructor(options: ApplierOptions) {
    this.#options = options
    this.#changes = new ChangeRunner(options)
    this.#applies = new ApplyRunner(options)
  }

  /** Never rejects because of a child: failures are in the report. Rejects with the signal's reason when aborted. */
  async run(
    parent: LiveObject,
    { waves, prune }: Plan,
    { mayPrune, forbidden, signal }: RunOptions,
  ): Promise<ApplyReport> {
    const steps = waves.flat()
    const progress: Progress = {
      parent,
      live: new Map(),
      predicates: new Map(steps.map(({ desired }) => [identityOf(desired.object), desired.policies.readyWhen])),
      failures: [],
      gated: [],
      heldBack: new Map(),
      writes: 0,
    }
    // Objects of a later wave count as live even if an earlier wave stops this reconcile.
    for (const { action } of steps) {
      if (action.kind === 'create' || action.kind === 'refuse' || action.live === undefined) continue
      progress.live.set(identityOf(action.live), action.live)
    }
    for (const wave of waves) await inParallel(wave, mostAtOnce, (step) => this.#attempt(step, progress, signal))
    const { live, failures, gated, heldBack } = progress
    const waits = pruneWaits({ parent, cluster: this.#options.cluster, steps, heldBack, forbidden })
    const due = prune.filter((child) => !waits(child))
    const isPruneHeld = due.length > 0 && !(await mayPrune(due))
    if (!isPruneHeld) await this.#prune(due, progress, signal)
    const { writes } = progress
    return {
      children: steps.flatMap(({ desired }) => this.#childOf(desired, live)),
      failures,
      gated,
      writes,
      isPruneHeld,
      pruneWaits: prune.length - due.length,
    }
  }

  /** An object of another owner to which the controller contributes is no child. */
  #childOf({ object, policies }: DesiredObject, live: ReadonlyMap<string, LiveObject>): readonly Child[] {
    const found = policies.contribute ? undefined : live.get(identityOf(object))
    return found === undefined ? [] : [this.#options.childOf(found, policies.readyWhen)]
  }

  async #attempt(step: Step, progress: Progress, signal: AbortSignal): Promise<void> {
    const { action, desired, follows } = step
    const { heldBack, gated } = progress
    const identity = identityOf(desired.object)
    if (follows.some((dependency) => heldBack.has(dependency))) {
      heldBack.set(identity, undefined)
      return
    }
    const gate = action.kind === 'leave' ? undefined : this.#gateOf(step, progress)
    if (gate !== undefined) {
      heldBack.set(identity, undefined)
      gated.push(gate)
      return
    }
    try {
      await this.#carryOut(action, desired, progress, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      const error = asCoded(thrown, desired.object)
      heldBack.set(identity, error)
      progress.failures.push({ ref: refOf(desired.object), error })
    }
  }

  async #carryOut(action: Action, desired: DesiredObject, progress: Progress, signal: AbortSignal): Promise<void> {
    switch (action.kind) {
      case 'leave':
        return action.why === 'equal' ? await this.#leave(desired, action.live, progress, signal) : undefined
      case 'hold':
        return holdBack(desired, action.on, progress)
      case 'refuse':
        throw action.error
      case 'change':
        return await this.#change(desired, action, progress, signal)
      case 'create':
        return await this.#create(desired, progress, signal)
      default:
        return unreachable(action)
    }
  }

  async #leave(desired: DesiredObject, live: LiveObject, progress: Progress, signal: AbortSignal): Promise<void> {
    this.#assertWhole(desired, live)
    if (!desired.policies.coOwn) return
    for (const uid of abandonedParts(live, this.#options.managerOf(desired))) {
      try {
        await this.#release(progress.parent, live, uid, signal)
      } catch (thrown) {
        // Another owner was faster. The event of its write triggers another decision.
        if (!isKubeError(thrown, 'Conflict', 'NotFound')) throw thrown
        return
      }
      progress.writes++
    }
  }

  /**
   * An object that the label-filtered cache lacks may exist: the creation is exclusive, and an existing object of the
   * name is read and judged.
   */
  async #create(desired: DesiredObject, progress: Progress, signal: AbortSignal): Promise<void> {
    const { client, clock, resourceOf, convergence } = this.#options
    const { object } = desired
    convergence.assertMayApply(object, undefined, clock.monotonicMs())
    const fieldManager = this.#options.managerOf(desired)
    const made = await this.#sendNew(object, { parent: progress.parent, fieldManager }, signal)
    if (made === undefined) {
      const live = await loadIfPresent(client, resourceOf(object), object.metadata, signal)
      if (live === undefined) throw goneAgain(object)
      return await this.#meet(desired, live, progress, signal)
    }
    this.#written(desired, { applied: object, live: made, paths: [], rivals: [] }, progress)
    // Initial-only fields are handed over at once.
    if (desired.lasting !== object) await this.#meet(desired, made, progress, signal)
  }

  /** Decides and acts on an object that the plan did not know. */
  async #meet(desired: DesiredObject, live: LiveObject, progress: Progress, signal: AbortSignal): Promise<void> {
    const { clock, convergence, managerOf, cluster } = this.#options
    const manager = managerOf(desired)
    const compare: Compare = (declared, found) =>
      convergence.compare(declared, found, { manager, nowMs: clock.monotonicMs() })
    const action = decide({ parent: progress.parent, desired, live, compare, manager, cluster })
    if (action.kind !== 'refuse') progress.live.set(identityOf(live), live)
    await this.#carryOut(action, desired, progress, signal)
  }

  /** Undefined if an object of that name exists by now. */
  async #sendNew(
    object: KubeObject,
    sender: Pick<Apply, 'parent' | 'fieldManager'>,
    signal: AbortSignal,
  ): Promise<LiveObject | undefined> {
    const { clock, convergence } = this.#options
    const body = { ...object, metadata: { ...object.metadata, resourceVersion: versionOfNone } }
    try {
      return await this.#applies.send({ ...sender, body, force: false }, signal)
    } catch (thrown) {
      if (isKubeError(thrown, 'Conflict')) return undefined
      convergence.learnRejection(object, { live: undefined, thrown, nowMs: clock.monotonicMs() })
      throw thrown
    }
  }

  async #change(
    desired: DesiredObject,
    { live, comparison }: Extract<Action, { kind: 'change' }>,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, convergence, managerOf } = this.#options
    const { lasting, policies } = desired
    convergence.assertMayApply(lasting, live, clock.monotonicMs())
    const added = policies.contribute ? valueChanges(comparison, live, managerOf(desired)) : []
    this.#fights.assertMayApply(lasting, added, clock.monotonicMs())
    if (policies.isSelf) this.#selfPace.enter(live, clock.monotonicMs())
    const changed = await this.#changes.run({ parent: progress.parent, desired, live, comparison }, signal)
    if (changed.kind === 'written') {
      this.#written(desired, changed, progress)
      if (changed.rejection !== undefined) throw changed.rejection
      const { parent } = progress
      return this.#fights.learn({ parent, desired: lasting, live, changes: added, nowMs: clock.monotonicMs() })
    }
    progress.writes++
    holdBack(desired, changed.on, progress)
  }

  #written(desired: DesiredObject, accepted: Accepted, progress: Progress): void {
    const { applied, live } = accepted
    const { clock, convergence, managerOf, onWritten } = this.#options
    const manager = managerOf(desired)
    progress.writes++
    progress.live.set(identityOf(live), live)
    onWritten({ live, parent: progress.parent, role: desired.policies.contribute ? 'contribution' : 'child' })
    convergence.learn({ ...accepted, desired: applied, declared: desired.lasting, manager, nowMs: clock.monotonicMs() })
    this.#assertWhole({ ...desired, object: applied, lasting: applied }, live)
  }

  /** Fields that the API server dropped silently are as wrong as rejected ones. */
  #assertWhole(desired: DesiredObject, live: LiveObject): void {
    const { convergence, fieldValidation, managerOf } = this.#options
    const dropped =
      fieldValidation === 'Strict' ? convergence.droppedFields(desired.lasting, live, managerOf(desired)) : []
    if (dropped.length > 0) throw fieldsDropped(desired.object, dropped)
  }

  /**
   * Returns a sentence about the declared dependency that is not ready yet, or undefined if no dependency holds the
   * step.
   */
  #gateOf({ desired, waitsFor }: Step, { live, predicates }: Progress): string | undefined {
    for (const identity of waitsFor) {
      const dependency = live.get(identity)
      const readiness =
        dependency === undefined
          ? undefined
          : this.#options.childOf(dependency, predicates.get(identity) ?? []).readiness
      if (readiness?.kind === 'ready') continue
      const why = readiness?.message ?? 'it does not exist yet'
      return `${describeRef(refOf(desired.object))} waits for ${identity}: ${why}`
    }
    return undefined
  }

  async #prune(objects: readonly LiveObject[], progress: Progress, signal: AbortSignal): Promise<void> {
    for (const object of objects) {
      try {
        await this.delete({ parent: progress.parent, object, propagationPolicy: 'Background' }, signal)
        progress.writes++
      } catch (thrown) {
        signal.throwIfAborted()
        progress.failures.push({ ref: refOf(object), error: asCoded(thrown, object) })
      }
    }
  }

  /**
   * Deletes the object with this uid, or releases it to its other owners; a missing object is no failure. A conflict is
   * one: the name has another object, or the object still exists because the API server could not write. The caller has
   * checked that its caches are not stale.
   */
  async delete({ parent, object, propagationPolicy }: Deletion, signal: AbortSignal): Promise<void> {
    const { client, cluster, resourceOf, onDeleted } = this.#options
    // A remote child has one owner, whatever its users write on it.
    const isShared = !isRemote(object, parent, cluster)
    try {
      if (isShared && departureOf(object, parent) === 'release')
        return await this.#release(parent, object, parent.metadata.uid, signal)
      const preconditions = isShared ? deletePreconditions(object) : { uid: object.metadata.uid }
      await client.delete(resourceOf(object), object.metadata, { preconditions, propagationPolicy }, signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound')) throw thrown
      return
    }
    onDeleted(object, parent)
  }

  /**
   * Removes the part of the owner with this UID from the object: on behalf of that owner or, if it is gone, of
   * `parent`.
   */
  async #release(parent: LiveObject, object: LiveObject, ownerUid: string, signal: AbortSignal): Promise<void> {
    const { client, resourceOf, managerOf, onWritten } = this.#options
    const resource = resourceOf(object)
    let live = object
    for (const fieldManager of partManagersOf(object, ownerUid)) {
      live = await client.apply(resource, emptyPart(live), { fieldManager, force: false }, signal)
    }
    const body = departurePatch(live, ownerUid)
    const fieldManager = partManagerOf(managerOf, parent)
    if (body !== undefined)
      live = await client.patch(resource, live.metadata, { type: 'json', body }, { fieldManager }, signal)
    onWritten({ live, parent, role: 'child' })
  }
}

/**
 * No stored object has this version, so an apply with it creates an object and never changes one. The revisions of etcd
 * count from 1, and its first write makes 2. The API server checks the version only against an existing object.
 */
const versionOfNone = '1'

function goneAgain(object: KubeObject): CodedError<'Conflict'> {
  const message = `${describeRef(refOf(object))} appeared and is gone again; the next attempt creates it`
  return new CodedError({ code: 'Conflict', message, remedy: 'retry' })
}

function holdBack({ object }: DesiredObject, on: string, { heldBack, gated }: Progress): void {
  heldBack.set(identityOf(object), undefined)
  gated.push(on)
}

function asCoded(thrown: unknown, object: KubeObject): CodedError {
  if (thrown instanceof CodedError) return thrown
  const message = `${describeRef(refOf(object))}: ${messageOf(thrown)}`
  return new CodedError({ code: 'InternalError', message, remedy: 'retry', cause: thrown })
}
