// One key, one turn: reads the cached resource, decides what kind of turn it needs, carries it out and says how it ended.
// The decisions are in turn, plan, deletion, outcome and status; this file only puts them in order. Safe to be cut off at
// any await: the next turn starts from what is stored, never from what this one remembered (I3).
import type { Applier } from '../apply/applier.ts'
import { type Compare, type Plan, plan, type Step } from '../apply/plan.ts'
import type { Readiness } from '../apply/readiness.ts'
import { unreachable } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { describeChanges } from '../diff/describe.ts'
import type { KubeClient, Patch } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, type Key, keyOf, parseKey, refOf } from '../object/ref.ts'
import type { WorkItem } from '../queue/work-queue.ts'
import type { Verdict } from '../queue/worker.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { EventReport, LiveReader } from './context.ts'
import { type Controller, type ObserveContext, parentOf } from './definition.ts'
import { nextDeletion } from './deletion.ts'
import { adoptionPatch, releasePatch } from './finalizer.ts'
import type { Inventory } from './inventory.ts'
import { type Child, type Outcome, outcomeOfError, outcomeOfTurn, verdictOf } from './outcome.ts'
import type { RepairRunner } from './repair-runner.ts'
import type { StatusRecorder, TurnEnd } from './status-recorder.ts'
import { nextLookMs, steeringOf } from './steering.ts'
import { nextTurn, type Turn } from './turn.ts'
import type { TurnMetrics } from './turn-metrics.ts'

/** What the reconciler needs of the cluster in memory. */
export interface ClusterView {
  parent(key: Key): LiveObject | undefined
  /** Every child of the parent that the caches hold, of all owned kinds. */
  childrenOf(parent: LiveObject): readonly LiveObject[]
  /** Somebody else's object that the constructs add to. */
  contributedTo(object: KubeObject): LiveObject | undefined
  readinessOf(object: LiveObject): Readiness
  /** Our own write, to be seen by the next read although its event has not come yet. */
  parentWritten(live: LiveObject): void
}

export interface ReconcilerOptions {
  readonly controller: Controller
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: TurnMetrics
  readonly client: KubeClient
  readonly view: ClusterView
  /** Reads for the controller's own functions, for one turn. */
  readonly liveFor: (signal: AbortSignal) => LiveReader
  readonly applier: Applier
  readonly compare: Compare
  readonly repairs: RepairRunner
  readonly status: StatusRecorder
  /** The objects that should exist, in wave order, normalized; throws a CodedError when the constructs do not build. */
  readonly desiredOf: (parent: LiveObject, facts: unknown) => readonly DesiredObject[]
  readonly inventoryOf: (parent: LiveObject) => Inventory
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

/** A turn that a resource takes part in. */
type LiveTurn = Exclude<Turn, { kind: 'forget' | 'leave' }>

const parentManager = 'konverge-parent'
/** How many field changes of a child one log line names. */
const loggedChanges = 8

export class Reconciler {
  readonly #options: ReconcilerOptions

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** One turn. Rejects only when aborted. */
  async reconcile(item: WorkItem<Key>, signal: AbortSignal): Promise<Verdict> {
    const { controller, view, inventoryOf, metrics, clock, random } = this.#options
    const startedMs = clock.monotonicMs()
    const turn = nextTurn(view.parent(item.key), { inventoryOf, isSuspended: controller.isSuspended })
    if (turn.kind === 'forget' || turn.kind === 'leave') {
      metrics.forget(item.key)
      return { kind: 'settled' }
    }
    const { outcome, statusMs } = await this.#take(turn, item, signal)
    metrics.observeTurn(outcome, clock.monotonicMs() - startedMs)
    this.#logEnd(outcome, item)
    const { intervalMs } = steeringOf(turn.object)
    return verdictOf(outcome, {
      statusMs,
      lookMs: intervalMs === undefined ? undefined : nextLookMs(intervalMs, random),
    })
  }

  async #take(
    turn: LiveTurn,
    { failures }: WorkItem<Key>,
    signal: AbortSignal,
  ): Promise<{ outcome: Outcome; statusMs?: number | undefined }> {
    const { status } = this.#options
    try {
      if (turn.kind === 'pause') {
        await status.recordPause(turn.object, turn.pause, signal)
        return { outcome: { kind: 'settled' } }
      }
      const end = await this.#endOf(turn.kind, turn.object, signal)
      if (end === undefined) return { outcome: { kind: 'settled' } }
      // A failure that has not come twice may be gone before anybody reads of it.
      if (end.outcome.kind === 'retry' && failures === 0 && !status.isAwaited(end.object)) return end
      return { outcome: end.outcome, statusMs: await status.record(end, signal) }
    } catch (thrown) {
      signal.throwIfAborted()
      return { outcome: outcomeOfError(thrown) }
    }
  }

  /** Undefined when there is nothing left to tell of. Rejects only when aborted. */
  async #endOf(kind: 'adopt' | 'run' | 'clean', object: LiveObject, signal: AbortSignal): Promise<TurnEnd | undefined> {
    try {
      if (kind === 'clean') return await this.#clean(object, signal)
      return await this.#run(kind === 'adopt' ? await this.#adopt(object, signal) : object, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      return { object, outcome: outcomeOfError(thrown), facts: undefined, children: this.#childrenOf(object) }
    }
  }

  async #adopt(object: LiveObject, signal: AbortSignal): Promise<LiveObject> {
    return await this.#patchParent(object, adoptionPatch(object, this.#options.inventoryOf(object)), signal)
  }

  async #run(object: LiveObject, signal: AbortSignal): Promise<TurnEnd> {
    const { controller, view, desiredOf, compare, applier, repairs } = this.#options
    let facts: unknown
    try {
      facts = await controller.observe(this.#observing(object, signal))
      const refusal = controller.refuse({ object: parentOf(object), facts })
      if (refusal !== undefined) {
        throw new CodedError({ code: refusal.reason ?? 'InvalidSpec', message: refusal.message, remedy: 'stop' })
      }
      const desired = desiredOf(object, facts)
      const children = view.childrenOf(object)
      const contributedTo = view.contributedTo.bind(view)
      const planned = plan({ parent: object, desired, children, contributedTo, compare })
      this.#logPlan(object, planned)
      const report = await applier.run(object, planned, signal)
      const found = report.children.map(this.#asChild)
      const repair =
        report.failures.length === 0
          ? controller.repair({ object: parentOf(object), facts, children: found })
          : undefined
      if (repair !== undefined) await repairs.run(object, repair, signal)
      return { object, outcome: outcomeOfTurn({ ...report, children: found }), facts, children: found }
    } catch (thrown) {
      signal.throwIfAborted()
      return { object, outcome: outcomeOfError(thrown), facts, children: this.#childrenOf(object) }
    }
  }

  /** Deletes in the stored order, then lets the controller clean up, then lets go; undefined when it has let go (I6). */
  async #clean(object: LiveObject, signal: AbortSignal): Promise<TurnEnd | undefined> {
    const on = (await this.#deleteChildren(object, signal)) ?? (await this.#cleanUp(object, signal))
    if (on !== undefined) return await this.#deleting(object, on, signal)
    await this.#tellTheEnd(object, signal)
    await this.#release(object, signal)
    return undefined
  }

  /** The last word in the status, such as which volumes stay. A deletion never fails for it. */
  async #tellTheEnd(object: LiveObject, signal: AbortSignal): Promise<void> {
    const { status, log } = this.#options
    try {
      await status.record(await this.#deleting(object, 'everything is cleaned up', signal), signal)
    } catch (thrown) {
      signal.throwIfAborted()
      log.warn({ ...fieldsOf(object), error: messageOf(thrown) }, 'the last status could not be written')
    }
  }

  /** One step of the ordered deletion; says what it waits for, or undefined when nothing is left that has an order. */
  async #deleteChildren(object: LiveObject, signal: AbortSignal): Promise<string | undefined> {
    const { view, applier, log } = this.#options
    const step = nextDeletion(object, view.childrenOf(object))
    if (step.kind === 'done') return undefined
    if (step.kind === 'wait') return step.on
    for (const child of step.objects) {
      log.info({ ...fieldsOf(object), child: describeRef(refOf(child)) }, 'deleting child')
      await applier.delete(child, 'Foreground', signal)
    }
    return step.on
  }

  /** Says what the controller waits for, or undefined when it is done. */
  async #cleanUp(object: LiveObject, signal: AbortSignal): Promise<string | undefined> {
    const { controller, recordEvent } = this.#options
    const report = (event: EventReport) => recordEvent(object, event)
    const result = await controller.cleanup({ ...this.#observing(object, signal), report })
    return result.kind === 'done' ? undefined : result.on
  }

  async #deleting(object: LiveObject, on: string, signal: AbortSignal): Promise<TurnEnd> {
    const { controller, log } = this.#options
    const end = { object, outcome: { kind: 'deleting', on }, children: this.#childrenOf(object) } as const
    try {
      return { ...end, facts: await controller.observe(this.#observing(object, signal)) }
    } catch (thrown) {
      // Deletion never depends on facts; the status does without them.
      signal.throwIfAborted()
      log.debug({ ...fieldsOf(object), error: messageOf(thrown) }, 'no facts during deletion')
      return { ...end, facts: undefined }
    }
  }

  /** From the newest version we know: the status has just been written, and a merge patch replaces the whole list. */
  async #release(object: LiveObject, signal: AbortSignal): Promise<void> {
    const known = this.#options.view.parent(keyOf(object))
    const newest = known?.metadata.uid === object.metadata.uid ? known : object
    try {
      await this.#patchParent(newest, releasePatch(newest), signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound')) throw thrown
    }
  }

  async #patchParent(object: LiveObject, patch: Patch, signal: AbortSignal): Promise<LiveObject> {
    const { client, controller, view } = this.#options
    const options = { fieldManager: parentManager }
    const written = await client.patch(controller.resource, object.metadata, patch, options, signal)
    view.parentWritten(written)
    return written
  }

  #observing(object: LiveObject, signal: AbortSignal): ObserveContext<unknown, unknown> {
    const { clock, liveFor } = this.#options
    return { object: parentOf(object), nowMs: clock.now(), live: liveFor(signal), signal }
  }

  readonly #asChild = (object: LiveObject): Child => ({ object, readiness: this.#options.view.readinessOf(object) })

  #childrenOf(object: LiveObject): readonly Child[] {
    return this.#options.view.childrenOf(object).map(this.#asChild)
  }

  #logPlan(object: LiveObject, { waves, prune }: Plan): void {
    const written = waves.flat().flatMap(describeStep)
    const pruned = prune.map((child) => `delete ${describeRef(refOf(child))}`)
    const actions = [...written, ...pruned]
    if (actions.length > 0) this.#options.log.info({ ...fieldsOf(object), actions }, 'applying')
  }

  #logEnd(outcome: Outcome, item: WorkItem<Key>): void {
    const { log } = this.#options
    const causes = item.causes.map(({ kind, detail }) => (detail === undefined ? kind : `${kind}: ${detail}`))
    const fields = { ...parseKey(item.key), causes }
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

function fieldsOf({ metadata: { namespace, name, generation } }: LiveObject): Record<string, unknown> {
  return { namespace, name, generation }
}

function describeStep({ desired: { object }, action }: Step): readonly string[] {
  const name = describeRef(refOf(object))
  if (action.kind === 'create') return [`create ${name}`]
  if (action.kind !== 'change') return []
  const changes =
    action.comparison.kind === 'different'
      ? describeChanges(object, action.comparison.changes, { limit: loggedChanges })
      : []
  return [`change ${name}: ${changes.length === 0 ? 'take ownership' : changes.join(', ')}`]
}
