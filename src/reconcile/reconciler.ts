// One key, one turn: reads the cached resource, decides what kind of turn it needs, carries it out and says how it ended.
// The decisions are in turn, plan, deletion, outcome and status; this file only puts them in order. Safe to be cut off at
// any await: the next turn starts from what is stored, never from what this one remembered (I3).
import { unreachable } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Log, SpanAttributes, Tracer } from '../base/instrument.ts'
import type { Random, SecretSource } from '../base/random.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, parseKey } from '../object/ref.ts'
import { type Cause, describeCause } from '../queue/cause.ts'
import type { WorkItem } from '../queue/work-queue.ts'
import type { Verdict } from '../queue/worker.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { ChildrenReconciler, Wait } from './children-reconciler.ts'
import type { EventReport, LiveReader } from './context.ts'
import type { Controller, ObserveContext } from './definition.ts'
import { foreignInventory, type Inventory } from './inventory.ts'
import { logFieldsOf } from './log-fields.ts'
import { cacheCatchUp, isMomentary, type Outcome, outcomeOfError, spaced, verdictOf } from './outcome.ts'
import { parentOf } from './parent.ts'
import type { ParentRecorder } from './parent-recorder.ts'
import type { RepairRunner } from './repair-runner.ts'
import type { StatusRecorder, TurnEnd } from './status-recorder.ts'
import { nextLookMs, steeringOf } from './steering.ts'
import { nextTurn, type Turn } from './turn.ts'
import type { TurnMetrics } from './turn-metrics.ts'

export interface ReconcilerOptions {
  readonly controller: Controller
  readonly clock: Clock
  readonly random: Random
  readonly secrets: SecretSource
  readonly log: Log
  readonly tracer: Tracer
  readonly metrics: TurnMetrics
  /** The resource in memory. */
  readonly parentOf: (key: Key) => LiveObject | undefined
  /** Reads for the controller's own functions, for one turn. */
  readonly liveFor: (signal: AbortSignal) => LiveReader
  readonly children: ChildrenReconciler
  readonly parents: ParentRecorder
  readonly repairs: RepairRunner
  readonly status: StatusRecorder
  /** The objects that should exist, in wave order, normalized; throws a CodedError when the constructs do not build. */
  readonly desiredOf: (parent: LiveObject, facts: unknown) => readonly DesiredObject[]
  readonly inventoryOf: (parent: LiveObject) => Inventory
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

/** A turn that a resource takes part in. */
type LiveTurn = Exclude<Turn, { kind: 'forget' | 'leave' }>

export class Reconciler {
  readonly #options: ReconcilerOptions
  /** How many turns in a row waited for the caches. One entry per living resource that waits. */
  readonly #momentary = new Map<Key, number>()

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** One turn. Rejects only when aborted. */
  async reconcile(item: WorkItem<Key>, signal: AbortSignal): Promise<Verdict> {
    const { controller, parentOf: cached, inventoryOf, metrics, tracer } = this.#options
    const turn = nextTurn(cached(item.key), { inventoryOf, isSuspended: controller.isSuspended })
    if (turn.kind === 'forget' || turn.kind === 'leave') {
      metrics.forget(item.key)
      this.#momentary.delete(item.key)
      return { kind: 'settled' }
    }
    const name = `reconcile ${turn.object.kind}`
    return await tracer.run(name, attributesOf(turn, item), () => this.#turn(turn, item, signal))
  }

  async #turn(turn: LiveTurn, item: WorkItem<Key>, signal: AbortSignal): Promise<Verdict> {
    const { metrics, clock, random } = this.#options
    const startedMs = clock.monotonicMs()
    const { outcome, statusMs } = await this.#take(turn, item, signal)
    metrics.observeTurn(outcome, clock.monotonicMs() - startedMs)
    this.#logEnd(outcome, item)
    const { intervalMs } = steeringOf(turn.object)
    return verdictOf(this.#spaced(outcome, item.key), {
      statusMs,
      lookMs: intervalMs === undefined ? undefined : nextLookMs(intervalMs, random),
    })
  }

  /** Waits for the caches must not take the turns of others when the watch that would end them is broken. */
  #spaced(outcome: Outcome, key: Key): Outcome {
    const before = this.#momentary.get(key) ?? 0
    if (isMomentary(outcome)) this.#momentary.set(key, before + 1)
    else this.#momentary.delete(key)
    return spaced(outcome, before)
  }

  async #take(
    turn: LiveTurn,
    { causes, failures }: WorkItem<Key>,
    signal: AbortSignal,
  ): Promise<{ outcome: Outcome; statusMs?: number | undefined }> {
    const { status } = this.#options
    try {
      if (turn.kind === 'pause') {
        await status.recordPause(turn.object, turn.pause, signal)
        return { outcome: { kind: 'settled' } }
      }
      const end = await this.#endOf(turn, causes, signal)
      if (end === undefined) return { outcome: { kind: 'settled' } }
      // A failure that has not come twice may be gone before anybody reads of it.
      if (end.outcome.kind === 'retry' && failures === 0 && !status.isAwaited(end.object)) return end
      if (isMomentary(end.outcome)) return end
      return { outcome: end.outcome, statusMs: await status.record(end, signal) }
    } catch (thrown) {
      signal.throwIfAborted()
      return { outcome: outcomeOfError(thrown) }
    }
  }

  /** Undefined when there is nothing left to tell of. Rejects only when aborted. */
  async #endOf(
    turn: Exclude<LiveTurn, { kind: 'pause' }>,
    causes: readonly Cause[],
    signal: AbortSignal,
  ): Promise<TurnEnd | undefined> {
    const { children, parents } = this.#options
    const { kind, object } = turn
    try {
      if (turn.kind === 'fail') throw turn.error
      const foreign = foreignInventory(object)
      if (foreign !== undefined) throw foreign
      if (kind === 'clean') return await this.#clean(object, signal)
      return await this.#run(kind === 'adopt' ? await parents.adopt(object, signal) : object, causes, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      return {
        object,
        outcome: outcomeOfError(thrown),
        facts: undefined,
        children: children.childrenOf(object),
        externals: [],
      }
    }
  }

  async #run(object: LiveObject, causes: readonly Cause[], signal: AbortSignal): Promise<TurnEnd> {
    const { controller, children, desiredOf, repairs } = this.#options
    let facts: unknown
    try {
      facts = await this.#observe(object, signal)
      const refusal = controller.refuse({ object: parentOf(object), facts })
      if (refusal !== undefined) {
        throw new CodedError({ code: refusal.reason ?? 'InvalidSpec', message: refusal.message, remedy: 'stop' })
      }
      const { isApplied, ...made } = await children.makeSo(
        object,
        { desired: desiredOf(object, facts), causes },
        signal,
      )
      const repair = isApplied
        ? controller.repair({ object: parentOf(object), facts, children: made.children })
        : undefined
      const isHeld = repair !== undefined && !(await children.mayDelete(object, signal))
      if (repair !== undefined && !isHeld) await repairs.run(object, repair, signal)
      const outcome: Outcome =
        isHeld && made.outcome.kind === 'settled' ? { kind: 'waiting', ...cacheCatchUp } : made.outcome
      return { object, facts, ...made, externals: [], outcome }
    } catch (thrown) {
      signal.throwIfAborted()
      return { object, outcome: outcomeOfError(thrown), facts, children: children.childrenOf(object), externals: [] }
    }
  }

  /** Deletes in the stored order, then lets the controller clean up, then lets go; undefined when it has let go (I6). */
  async #clean(object: LiveObject, signal: AbortSignal): Promise<TurnEnd | undefined> {
    const { children, parents } = this.#options
    const wait = (await children.deleteNext(object, signal)) ?? (await this.#cleanUp(object, signal))
    if (wait !== undefined) return await this.#deleting(object, wait, signal)
    await this.#tellTheEnd(object, signal)
    await parents.release(object, signal)
    return undefined
  }

  /** The last word in the status, such as which volumes stay. A deletion never fails for it. */
  async #tellTheEnd(object: LiveObject, signal: AbortSignal): Promise<void> {
    const { status, log } = this.#options
    try {
      await status.record(await this.#deleting(object, { on: 'everything is cleaned up' }, signal), signal)
    } catch (thrown) {
      signal.throwIfAborted()
      log.warn({ ...logFieldsOf(object), error: messageOf(thrown) }, 'the last status could not be written')
    }
  }

  /** Says what the controller waits for, or undefined when it is done. */
  async #cleanUp(object: LiveObject, signal: AbortSignal): Promise<Wait | undefined> {
    const { controller, children, repairs, recordEvent, tracer } = this.#options
    const report = (event: EventReport) => recordEvent(object, event)
    const context = { ...this.#observing(object, signal), report }
    const result = await tracer.run('clean up', noAttributes, () => controller.cleanup(context))
    if (result.kind === 'done') return undefined
    const { on, repair } = result
    if (repair === undefined) return { on }
    if (!(await children.mayDelete(object, signal))) return cacheCatchUp
    await repairs.run(object, repair, signal)
    // Another may be next.
    return { on, afterMs: cacheCatchUp.afterMs }
  }

  async #deleting(object: LiveObject, wait: Wait, signal: AbortSignal): Promise<TurnEnd> {
    const { children, log } = this.#options
    const outcome: Outcome = { ...wait, kind: 'deleting' }
    const end = { object, outcome, children: children.childrenOf(object), externals: [] }
    try {
      return { ...end, facts: await this.#observe(object, signal) }
    } catch (thrown) {
      // Deletion never depends on facts; the status does without them.
      signal.throwIfAborted()
      log.debug({ ...logFieldsOf(object), error: messageOf(thrown) }, 'no facts during deletion')
      return { ...end, facts: undefined }
    }
  }

  #observe(object: LiveObject, signal: AbortSignal): Promise<unknown> {
    const { controller, tracer } = this.#options
    return tracer.run('observe', noAttributes, () => controller.observe(this.#observing(object, signal)))
  }

  #observing(object: LiveObject, signal: AbortSignal): ObserveContext<unknown, unknown> {
    const { clock, liveFor, secrets, children: made } = this.#options
    const children = made.childrenOf(object).map((child) => child.object)
    const live = liveFor(signal)
    return { object: parentOf(object), children, nowMs: clock.now(), live, secrets, externals: [], signal }
  }

  #logEnd(outcome: Outcome, item: WorkItem<Key>): void {
    const { log, tracer } = this.#options
    tracer.active.note(() => ({ 'konverge.outcome': outcome.kind }))
    if (outcome.kind === 'retry' || outcome.kind === 'stopped') tracer.active.fail(outcome.reason)
    const fields = { ...parseKey(item.key), causes: item.causes.map(describeCause) }
    switch (outcome.kind) {
      case 'retry':
        return log.warn({ ...fields, reason: outcome.reason, failures: item.failures + 1 }, outcome.message)
      case 'stopped':
        return log.warn({ ...fields, reason: outcome.reason }, outcome.message)
      case 'settled':
      case 'waiting':
      case 'deleting':
        return log.debug({ ...fields, outcome: outcome.kind }, 'turn ended')
      default:
        return unreachable(outcome)
    }
  }
}

const noAttributes = () => ({})

/** Which resource, and why now. Source of the first name: OpenTelemetry's semantic conventions. */
function attributesOf({ kind, object }: LiveTurn, { causes, failures }: WorkItem<Key>): () => SpanAttributes {
  const { namespace, name, uid, generation } = object.metadata
  return () => ({
    'k8s.namespace.name': namespace,
    'konverge.name': name,
    'konverge.uid': uid,
    'konverge.generation': generation,
    'konverge.turn': kind,
    'konverge.causes': causes.map(describeCause),
    'konverge.failures': failures,
  })
}
