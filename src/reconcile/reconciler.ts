// Reconciles one key: reads the cached resource, decides the kind of reconcile, performs it and returns the verdict.
// The decisions are in turn, plan, deletion, outcome and status; this file only orders them. Invariant: an abort is
// safe at any await, because the next reconcile starts from stored state, never from memory (I3).
import { type Clock, deadline } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Log, Tracer } from '../base/instrument.ts'
import { once } from '../base/once.ts'
import type { Random, SecretSource } from '../base/random.ts'
import type { EffectGate } from '../external/protocol-runner.ts'
import type { OperatorClient } from '../kube/operator-client.ts'
import type { OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'
import type { Cause } from '../queue/cause.ts'
import type { WorkItem } from '../queue/work-queue.ts'
import type { Verdict } from '../queue/worker.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { CallRunner } from './call-runner.ts'
import type { ChildrenReconciler, Wait } from './children-reconciler.ts'
import type { EventReport, LiveReader } from './context.ts'
import { cutOff, tellLimitMs } from './cut-off.ts'
import type { Controller, ObserveContext } from './definition.ts'
import { isChange, joinedOutcome } from './external-outcome.ts'
import type { ExternalPartResult } from './external-part-result.ts'
import { foreignInventory, type Inventory } from './inventory.ts'
import { kindsNotInstalled } from './kinds-not-installed.ts'
import { logEnd, logFieldsOf } from './log-fields.ts'
import { lostInventory } from './lost-inventory.ts'
import { type LiveAction, nextAction } from './next-action.ts'
import {
  cacheCatchUp,
  earliest,
  followUpMs,
  graceLeftMs,
  isMomentary,
  isReportedAtOnce,
  type Outcome,
  outcomeOfError,
  recordCatchUp,
  spaced,
  verdictOf,
} from './outcome.ts'
import type { OutsideReconciler } from './outside-reconciler.ts'
import { Pace } from './pace.ts'
import { parentOf } from './parent.ts'
import type { ParentRecorder } from './parent-recorder.ts'
import { attributesOf } from './reconcile-attributes.ts'
import type { ReconcileMetrics } from './reconcile-metrics.ts'
import { StaleRecordsError } from './records.ts'
import type { RepairRunner } from './repair-runner.ts'
import type { ReconcileEnd, Recorded, StatusRecorder } from './status-recorder.ts'
import { nextRecheckMs, steeringOf } from './steering.ts'
import { assertCollectable } from './without-finalizer.ts'

export interface ReconcilerOptions {
  readonly identity: OperatorIdentity
  readonly controller: Controller
  readonly clock: Clock
  readonly random: Random
  readonly secrets: SecretSource
  readonly log: Log
  readonly tracer: Tracer
  readonly metrics: ReconcileMetrics
  /** Returns the cached resource. */
  readonly parentOf: (key: Key) => LiveObject | undefined
  /** Says which of the controller's kinds the API server serves. */
  readonly kinds: Pick<ObserveContext<unknown, unknown>, 'isAvailable'> & { readonly missingKinds: readonly Resource[] }
  /** Reads for the controller's own functions, for one reconcile. */
  readonly liveFor: (signal: AbortSignal) => LiveReader
  /** Requests of the author's cleanup. */
  readonly clientFor: (signal: AbortSignal) => OperatorClient
  readonly children: ChildrenReconciler
  readonly parents: ParentRecorder
  readonly repairs: RepairRunner
  readonly outside: OutsideReconciler
  readonly status: StatusRecorder
  /** Effects of a cleanup begin only while it is open, and are aborted when it closes (I9). */
  readonly gate: EffectGate
  /** Returns the desired objects in wave order, normalized. Throws a CodedError when the constructs do not build. */
  readonly desiredOf: (parent: LiveObject, facts: unknown) => readonly DesiredObject[]
  /** Returns the pre-delete objects; undefined if the controller declares none. */
  readonly partingOf: ((parent: LiveObject, facts: unknown) => readonly DesiredObject[]) | undefined
  /** Returns undefined if the resource needs no metadata. */
  readonly inventoryOf: (parent: LiveObject) => Inventory | undefined
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

/** Result of a reconcile, and the time until the next external observation. */
type Ended = ReconcileEnd & Pick<ExternalPartResult, 'lookMs'>
type RecordedOutcome = { readonly outcome: Outcome } & Recorded

export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #pace: Pace
  readonly #calls: CallRunner

  constructor(options: ReconcilerOptions) {
    this.#options = options
    const { clock, random, log, metrics, controller } = options
    this.#pace = new Pace({ clock, random })
    this.#calls = new CallRunner({ clock, log, metrics, limits: controller.limits })
  }

  forget(key: Key): void {
    this.#options.metrics.conditions.forget(key)
    this.#pace.forget(key)
  }

  /** Performs one reconcile. Rejects only when aborted. */
  async reconcile(item: WorkItem<Key>, signal: AbortSignal): Promise<Verdict> {
    const { identity, controller, parentOf: cached, inventoryOf, tracer } = this.#options
    const turn = nextAction(cached(item.key), { identity, inventoryOf, isSuspended: controller.isSuspended })
    if (turn.kind === 'forget' || turn.kind === 'leave') {
      this.forget(item.key)
      if (turn.kind === 'leave' && turn.event !== undefined) this.#options.recordEvent(turn.object, turn.event)
      return { kind: 'settled' }
    }
    const work = () => this.#turn(turn, item, signal)
    return await tracer.run(`reconcile ${turn.object.kind}`, attributesOf(turn, item), work)
  }

  async #turn(turn: LiveAction, item: WorkItem<Key>, signal: AbortSignal): Promise<Verdict> {
    const { metrics, clock, random, outside } = this.#options
    const { object } = turn
    const startedMs = clock.monotonicMs()
    const told = outside.lastReports(object)
    const { outcome, failure, statusMs, lookMs, tellMs } = await this.#takeInTime(turn, item, signal)
    metrics.observeTurn(failure ?? outcome, clock.monotonicMs() - startedMs)
    logEnd(this.#options, item, failure ?? outcome)
    // External resources that have changed since `observe` may change its facts.
    const isOvertaken = turn.kind !== 'clean' && isChange(told, outside.lastReports(object))
    const isShort = isOvertaken || isMomentary(outcome)
    const before = this.#pace.shortBefore(item.key, isShort)
    const stopRetryMs = outcome.kind === 'stopped' ? outcome.retryAfterMs : undefined
    const intervalMs = steeringOf(object).intervalMs ?? this.#options.controller.resyncMs
    return verdictOf(spaced(isShort ? outcome : (failure ?? outcome), before), {
      statusMs,
      tellMs,
      lookMs: earliest(lookMs, ...[intervalMs, stopRetryMs].map((ms) => ms && nextRecheckMs(ms, random))),
      followMs: isOvertaken ? followUpMs(before) : undefined,
      recheckMs: this.#pace.recheckMs(item, outcome),
    })
  }

  /** Calls `#take`, and aborts it at the time limit; the status then reports the timeout. */
  async #takeInTime(turn: LiveAction, item: WorkItem<Key>, signal: AbortSignal): Promise<RecordedOutcome> {
    const { clock, controller } = this.#options
    const limit = deadline(clock, controller.limits.reconcileMs, signal)
    try {
      return await this.#take(turn, item, limit.signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (!limit.hasPassed()) throw thrown
      return await this.#tellCutOff(turn, signal)
    } finally {
      limit.clear()
    }
  }

  /** Uses its own signal, because that of the reconcile has aborted. */
  async #tellCutOff(turn: LiveAction, signal: AbortSignal): Promise<RecordedOutcome> {
    const { clock, controller, log, status, parentOf: cached } = this.#options
    const newest = cached(keyOf(turn.object))
    const object = newest?.metadata.uid === turn.object.metadata.uid ? newest : turn.object
    const end = this.#failed(object, undefined, cutOff(object, controller.limits.reconcileMs))
    if (turn.kind === 'pause') return { outcome: end.outcome }
    const limit = deadline(clock, tellLimitMs, signal)
    try {
      return { outcome: end.outcome, ...(await status.record(end, limit.signal)) }
    } catch (thrown) {
      signal.throwIfAborted()
      log.warn(
        { ...logFieldsOf(object), error: messageOf(thrown) },
        'a reconcile was cut off, and its status not written',
      )
      return { outcome: end.outcome }
    } finally {
      limit.clear()
    }
  }

  async #take(
    turn: LiveAction,
    { key, causes, failures }: WorkItem<Key>,
    signal: AbortSignal,
  ): Promise<RecordedOutcome> {
    const { status } = this.#options
    try {
      if (turn.kind === 'pause') {
        const { controller } = this.#options
        const observe = (until: AbortSignal) => controller.observePaused(this.#observing(turn.object, until))
        const own = await this.#calls.run('observe', turn.object, observe, signal)
        await status.recordPause(turn.object, { pause: turn.pause, own }, signal)
        return { outcome: { kind: 'settled' } }
      }
      const end = await this.#endOf(turn, causes, signal)
      if (end === undefined) return { outcome: { kind: 'settled' } }
      const { outcome } = end
      const failingForMs = this.#pace.failingForMs(key, outcome)
      const hasGrace = turn.kind !== 'clean' && status.isCalledReady(end.object)
      const tellMs = hasGrace ? graceLeftMs(outcome, failingForMs) : undefined
      const isFirst = failures === 0 && !isReportedAtOnce(outcome)
      const isYoung = outcome.kind === 'retry' && (isFirst || tellMs !== undefined)
      const isBrief = (isYoung && !status.isAwaited(end.object)) || isMomentary(outcome)
      if (isBrief && !status.hasNewRecords(end)) return { outcome, lookMs: end.lookMs, tellMs }
      const due = await status.record(end, signal)
      return { ...due, outcome, tellMs, lookMs: earliest(end.lookMs, due.lookMs) }
    } catch (thrown) {
      signal.throwIfAborted()
      if (thrown instanceof StaleRecordsError) return { outcome: { kind: 'waiting', ...recordCatchUp } }
      return { outcome: outcomeOfError(thrown) }
    }
  }

  /** Undefined when nothing is left to report. Rejects only when aborted. */
  async #endOf(
    turn: Exclude<LiveAction, { kind: 'pause' }>,
    causes: readonly Cause[],
    signal: AbortSignal,
  ): Promise<Ended | undefined> {
    const { identity, parents } = this.#options
    const { kind, object } = turn
    try {
      if (turn.kind === 'fail') throw turn.error
      const foreign = foreignInventory(object, identity) ?? lostInventory(object, this.#options.controller)
      if (foreign !== undefined) throw foreign
      if (kind === 'clean') return await this.#clean(object, signal)
      const { missingKinds } = this.#options.kinds
      if (missingKinds.length > 0) throw kindsNotInstalled(missingKinds, this.#options.controller)
      return await this.#run(kind === 'adopt' ? await parents.adopt(object, signal) : object, causes, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      return this.#failed(object, undefined, thrown)
    }
  }

  #failed(object: LiveObject, facts: unknown, thrown: unknown): Ended {
    const { children, outside } = this.#options
    return {
      ...outside.untouched(object),
      object,
      outcome: outcomeOfError(thrown),
      facts,
      children: children.childrenOf(object),
    }
  }

  async #run(object: LiveObject, causes: readonly Cause[], signal: AbortSignal): Promise<Ended> {
    const { controller, children, desiredOf, repairs, outside } = this.#options
    let facts: unknown
    try {
      facts = await this.#observe(object, signal)
      const refusal = controller.validate({ object: parentOf(object), facts })
      if (refusal !== undefined) {
        throw new CodedError({ code: refusal.reason ?? 'InvalidSpec', message: refusal.message, remedy: 'stop' })
      }
      const desired = desiredOf(object, facts)
      assertCollectable(controller, object, desired)
      const { isApplied, ...made } = await children.makeSo(object, { desired, causes }, signal)
      const repair = isApplied
        ? controller.repair({ object: parentOf(object), facts, children: made.children })
        : undefined
      const isHeld = repair !== undefined && !(await children.mayDelete(object, signal))
      if (repair !== undefined && !isHeld) await repairs.run(object, repair, signal)
      const outcome: Outcome =
        isHeld && made.outcome.kind === 'settled' ? { kind: 'waiting', ...cacheCatchUp } : made.outcome
      // External effects may need what children store, such as a password: the children come first.
      const done = await outside.provide(object, { facts, children: made.children, isApplied }, signal)
      return { ...done, object, facts, ...made, outcome: joinedOutcome(outcome, done.outcome) }
    } catch (thrown) {
      signal.throwIfAborted()
      return this.#failed(object, facts, thrown)
    }
  }

  /**
   * Ends the sagas, applies the pre-delete objects, removes the external resources, then deletes the children in the
   * stored order. After the controller's cleanup it removes the finalizer. Undefined after the removal (I6).
   */
  async #clean(object: LiveObject, signal: AbortSignal): Promise<Ended | undefined> {
    const { children, parents, outside } = this.#options
    const deletion: Deletion = { object, factsOf: once(() => this.#factsIfAny(object, signal)) }
    const situationOf = async () => ({ facts: await deletion.factsOf(), children: children.childrenOf(object) })
    const ended = await outside.endSagas(object, situationOf, signal)
    if (!ended.isOver) return await this.#deleting(deletion, ended, ended.outcome)
    const parting = await this.#part(deletion, signal)
    if (parting !== undefined) return await this.#deleting(deletion, ended, parting)
    const done = await outside.remove(object, deletion.factsOf, signal)
    if (!done.isOver) return await this.#deleting(deletion, done, done.outcome)
    const deleted = await children.deleteNext(object, signal)
    const wait = deleted.wait ?? (await this.#cleanUp(object, signal))
    if (wait !== undefined) return await this.#deleting(deletion, done, { ...wait, kind: 'deleting' })
    await this.#tellTheEnd(deletion, done, signal)
    await parents.release(object, signal)
    // After the release, so that a repeated release makes only one Event.
    for (const event of deleted.leftAlone ?? []) this.#options.recordEvent(object, event)
    return undefined
  }

  /** Returns what the pre-delete phase waits for, or undefined when it is complete. */
  async #part({ object, factsOf }: Deletion, signal: AbortSignal): Promise<Outcome | undefined> {
    const { partingOf, children } = this.#options
    if (partingOf === undefined || children.isAbandoned(object)) return undefined
    // This phase needs the facts, so it waits for them.
    const facts = (await factsOf()) ?? (await this.#observe(object, signal))
    const desired = partingOf(object, facts)
    if (desired.length === 0) return undefined
    const { outcome } = await children.makeSo(object, { desired, causes: [] }, signal)
    if (outcome.kind === 'stopped' && outcome.reason === 'NamespaceTerminating') return undefined
    if (outcome.kind === 'waiting') return { ...outcome, kind: 'deleting' }
    return outcome.kind === 'settled' ? { kind: 'deleting', on: 'what was to be done first is done' } : outcome
  }

  /** Writes the last status, which names the retained volumes, for example. Its failure never fails a deletion. */
  async #tellTheEnd(deletion: Deletion, done: ExternalPartResult, signal: AbortSignal): Promise<void> {
    const { status, log } = this.#options
    try {
      const outcome: Outcome = { kind: 'deleting', on: 'everything is cleaned up' }
      await status.record(await this.#deleting(deletion, done, outcome), signal)
    } catch (thrown) {
      signal.throwIfAborted()
      const fields = { ...logFieldsOf(deletion.object), error: messageOf(thrown) }
      log.warn(fields, 'the last status could not be written')
    }
  }

  /** Returns what the controller waits for, or undefined when it is done. */
  async #cleanUp(object: LiveObject, signal: AbortSignal): Promise<Wait | undefined> {
    const { controller, children, gate, repairs, recordEvent, tracer, clientFor } = this.#options
    const report = (event: EventReport) => recordEvent(object, event)
    const cleanup = async (until: AbortSignal) => {
      const passage = gate.enter(until)
      const client = clientFor(passage.signal)
      const context = { ...this.#observing(object, passage.signal), client, report }
      return await controller.cleanup(context).finally(() => passage.end())
    }
    const result = await tracer.run('clean up', noAttributes, () => this.#calls.run('cleanup', object, cleanup, signal))
    if (result.kind === 'done') return undefined
    const { on, repair } = result
    if (repair === undefined) return { on }
    if (!(await children.mayDelete(object, signal))) return cacheCatchUp
    await repairs.run(object, repair, signal)
    // Another object may be next.
    return { on, afterMs: cacheCatchUp.afterMs }
  }

  async #deleting({ object, factsOf }: Deletion, done: ExternalPartResult, outcome: Outcome): Promise<Ended> {
    const children = this.#options.children.childrenOf(object)
    return { ...done, object, outcome, children, facts: await factsOf() }
  }

  /** A deletion never depends on facts; the status omits them. */
  async #factsIfAny(object: LiveObject, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#observe(object, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      this.#options.log.debug({ ...logFieldsOf(object), error: messageOf(thrown) }, 'no facts during deletion')
      return undefined
    }
  }

  #observe(object: LiveObject, signal: AbortSignal): Promise<unknown> {
    const { controller, tracer } = this.#options
    const observe = (until: AbortSignal) => controller.observe(this.#observing(object, until))
    return tracer.run('observe', noAttributes, () => this.#calls.run('observe', object, observe, signal))
  }

  #observing(object: LiveObject, signal: AbortSignal): ObserveContext<unknown, unknown> {
    const { clock, liveFor, secrets, outside, children: made, kinds } = this.#options
    const children = made.childrenOf(object).map((child) => child.object)
    const live = liveFor(signal)
    const told = { externals: outside.lastReports(object), sagas: outside.sagaReports(object) }
    return {
      object: parentOf(object),
      children,
      nowMs: clock.now(),
      live,
      secrets,
      ...told,
      isAvailable: kinds.isAvailable,
      signal,
    }
  }
}

const noAttributes = () => ({})

/** One reconcile of a deletion. */
interface Deletion {
  readonly object: LiveObject
  /** Returns undefined when `observe` failed. It runs at most once per reconcile, on first use. */
  readonly factsOf: () => Promise<unknown>
}
