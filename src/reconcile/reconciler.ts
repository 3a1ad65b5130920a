// One key, one turn: reads the cached resource, decides what kind of turn it needs, carries it out and says how it ended.
// The decisions are in turn, plan, deletion, outcome and status; this file only puts them in order. Safe to be cut off at
// any await: the next turn starts from what is stored, never from what this one remembered (I3).
import type { Applier } from '../apply/applier.ts'
import { type Compare, type Plan, plan, type Step } from '../apply/plan.ts'
import { readinessOf } from '../apply/readiness.ts'
import { unreachable } from '../base/assert.ts'
import { type Clock, timestampOf } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { describeChanges } from '../diff/describe.ts'
import type { KubeClient, Patch } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { LiveObject, StatusWithConditions } from '../object/object.ts'
import { describeRef, type Key, keyOf, parseKey, refOf } from '../object/ref.ts'
import type { WorkItem } from '../queue/work-queue.ts'
import type { Verdict } from '../queue/worker.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { EventReport, LiveReader } from './context.ts'
import type { Controller, ParentOf } from './definition.ts'
import { nextDeletion } from './deletion.ts'
import { adoptionPatch, releasePatch } from './finalizer.ts'
import type { Inventory } from './inventory.ts'
import { type Child, type Outcome, outcomeOfError, outcomeOfTurn, verdictOf } from './outcome.ts'
import { nextStatus, type StatusReport, statusWrite } from './status.ts'
import { nextTurn } from './turn.ts'
import type { TurnMetrics } from './turn-metrics.ts'

/** What the reconciler needs of the cluster in memory. */
export interface ClusterView {
  parent(key: Key): LiveObject | undefined
  /** Every child of the parent that the caches hold, of all owned kinds. */
  childrenOf(parent: LiveObject): readonly LiveObject[]
  /** Our own write, to be seen by the next read although its event has not come yet. */
  parentWritten(live: LiveObject): void
}

export interface ReconcilerOptions {
  readonly controller: Controller
  readonly clock: Clock
  readonly log: Log
  readonly metrics: TurnMetrics
  readonly client: KubeClient
  readonly view: ClusterView
  /** Reads for the controller's own functions, for one turn. */
  readonly liveFor: (signal: AbortSignal) => LiveReader
  readonly applier: Applier
  readonly compare: Compare
  /** The objects that should exist, in wave order, normalized; throws a CodedError when the constructs do not build. */
  readonly desiredOf: (parent: LiveObject, facts: unknown) => readonly DesiredObject[]
  readonly inventoryOf: (parent: LiveObject) => Inventory
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

/** How a turn ended, and what the status may say about it. */
interface TurnEnd {
  readonly outcome: Outcome
  readonly facts?: unknown
  readonly children: readonly Child[]
}

const parentManager = 'konverge-parent'
const statusManager = 'konverge-status'
/** How many field changes of a child one log line names. */
const loggedChanges = 8

export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #log: Log
  /** When this process last wrote a status, by uid: progress is damped from it. One entry per living resource. */
  readonly #statusWrittenAtMs = new Map<string, number>()

  constructor(options: ReconcilerOptions) {
    this.#options = options
    this.#log = options.log
  }

  /** One turn. Rejects only when aborted. */
  async reconcile(item: WorkItem<Key>, signal: AbortSignal): Promise<Verdict> {
    const { view, inventoryOf, metrics, clock } = this.#options
    const startedMs = clock.monotonicMs()
    const turn = nextTurn(view.parent(item.key), inventoryOf)
    if (turn.kind === 'forget' || turn.kind === 'leave') {
      metrics.forget(item.key)
      return { kind: 'settled' }
    }
    const { outcome, statusDueMs } = await this.#take(turn.kind, turn.object, item, signal)
    metrics.observeTurn(outcome, clock.monotonicMs() - startedMs)
    this.#logEnd(outcome, item)
    return verdictOf(outcome, statusDueMs)
  }

  /** Drops what is kept of a resource that is gone. */
  forget(uid: string): void {
    this.#statusWrittenAtMs.delete(uid)
  }

  async #take(
    kind: 'adopt' | 'run' | 'clean',
    object: LiveObject,
    item: WorkItem<Key>,
    signal: AbortSignal,
  ): Promise<{ outcome: Outcome; statusDueMs?: number | undefined }> {
    try {
      if (kind === 'clean') return await this.#clean(object, item, signal)
      const adopted = kind === 'adopt' ? await this.#adopt(object, signal) : object
      const end = await this.#run(adopted, signal)
      return { outcome: end.outcome, statusDueMs: await this.#writeStatus(adopted, end, item, signal) }
    } catch (thrown) {
      signal.throwIfAborted()
      return { outcome: this.#outcomeOf(thrown, item) }
    }
  }

  async #adopt(object: LiveObject, signal: AbortSignal): Promise<LiveObject> {
    return await this.#patchParent(object, adoptionPatch(object, this.#options.inventoryOf(object)), signal)
  }

  async #run(object: LiveObject, signal: AbortSignal): Promise<TurnEnd> {
    const { controller, liveFor, view, desiredOf, compare, applier } = this.#options
    let facts: unknown
    try {
      facts = await controller.observe({ object: parentOf(object), live: liveFor(signal), signal })
      const refusal = controller.refuse({ object: parentOf(object), facts })
      if (refusal !== undefined)
        throw new CodedError({ code: refusal.reason ?? 'InvalidSpec', message: refusal.message, remedy: 'stop' })
      const planned = plan({
        parent: object,
        desired: desiredOf(object, facts),
        children: view.childrenOf(object),
        compare,
      })
      this.#logPlan(object, planned)
      const report = await applier.run(object, planned, signal)
      const children = report.children.map(asChild)
      return { outcome: outcomeOfTurn({ ...report, children }), facts, children }
    } catch (thrown) {
      signal.throwIfAborted()
      return { outcome: outcomeOfError(thrown), facts, children: view.childrenOf(object).map(asChild) }
    }
  }

  /** Deletes in order, then lets the controller clean up, then lets go. Reads the stored order only (I6). */
  async #clean(
    object: LiveObject,
    item: WorkItem<Key>,
    signal: AbortSignal,
  ): Promise<{ outcome: Outcome; statusDueMs?: number | undefined }> {
    const { controller, liveFor, view, applier, recordEvent } = this.#options
    const step = nextDeletion(object, view.childrenOf(object))
    if (step.kind === 'delete') {
      for (const child of step.objects) {
        this.#log.info({ ...this.#fieldsOf(object), child: describeRef(refOf(child)) }, 'deleting child')
        await applier.delete(child, 'Foreground', signal)
      }
    }
    if (step.kind !== 'done') return await this.#reportDeletion(object, step.on, item, signal)
    const result = await controller.cleanup({
      object: parentOf(object),
      live: liveFor(signal),
      signal,
      report: (event) => recordEvent(object, event),
    })
    if (result.kind === 'waiting') return await this.#reportDeletion(object, result.on, item, signal)
    await this.#reportDeletion(object, 'cleaned up', item, signal)
    await this.#release(object, signal)
    return { outcome: { kind: 'settled' } }
  }

  async #reportDeletion(
    object: LiveObject,
    on: string,
    item: WorkItem<Key>,
    signal: AbortSignal,
  ): Promise<{ outcome: Outcome; statusDueMs?: number | undefined }> {
    const { controller, liveFor, view } = this.#options
    const outcome: Outcome = { kind: 'deleting', on }
    let facts: unknown
    try {
      facts = await controller.observe({ object: parentOf(object), live: liveFor(signal), signal })
    } catch (thrown) {
      // Deletion never depends on facts; the status does without them.
      signal.throwIfAborted()
      this.#log.debug({ ...this.#fieldsOf(object), error: messageOf(thrown) }, 'no facts during deletion')
    }
    const end: TurnEnd = { outcome, facts, children: view.childrenOf(object).map(asChild) }
    return { outcome, statusDueMs: await this.#writeStatus(object, end, item, signal) }
  }

  async #release(object: LiveObject, signal: AbortSignal): Promise<void> {
    const { view } = this.#options
    const newest = view.parent(keyOf(object)) ?? object
    try {
      await this.#patchParent(newest, releasePatch(newest), signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound')) throw thrown
    }
  }

  async #patchParent(object: LiveObject, patch: Patch, signal: AbortSignal): Promise<LiveObject> {
    const { client, controller, view } = this.#options
    const written = await client.patch(
      controller.resource,
      object.metadata,
      patch,
      { fieldManager: parentManager },
      signal,
    )
    view.parentWritten(written)
    return written
  }

  /** Returns after how long a deferred write is due. */
  async #writeStatus(
    object: LiveObject,
    end: TurnEnd,
    item: WorkItem<Key>,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { clock, controller, client, view, metrics } = this.#options
    // A failure that has not come twice may be gone before anybody reads of it.
    if (end.outcome.kind === 'retry' && item.failures === 0) return undefined
    const previous = object.status as StatusWithConditions | undefined
    const next = nextStatus({
      previous,
      report: this.#reportOf(object, end),
      outcome: end.outcome,
      generation: object.metadata.generation ?? 0,
      now: timestampOf(clock),
    })
    metrics.observeConditions(object, next.conditions ?? [])
    const { uid } = object.metadata
    const nowMs = clock.monotonicMs()
    const write = statusWrite({ previous, next, writtenAtMs: this.#statusWrittenAtMs.get(uid), nowMs })
    if (write.kind === 'none') return undefined
    if (write.kind === 'later') return write.afterMs
    const patch: Patch = { type: 'merge', body: { metadata: { uid }, status: write.patch } }
    const options = { fieldManager: statusManager, subresource: 'status' } as const
    const written = await client.patch(controller.resource, object.metadata, patch, options, signal)
    this.#statusWrittenAtMs.set(uid, nowMs)
    view.parentWritten(written)
    return undefined
  }

  #reportOf(object: LiveObject, { facts, children, outcome }: TurnEnd): StatusReport<StatusWithConditions> | undefined {
    try {
      return this.#options.controller.status({ object: parentOf(object), facts, children, outcome })
    } catch (thrown) {
      this.#log.error(
        { ...this.#fieldsOf(object), error: messageOf(thrown) },
        'the status function threw; the kind’s own fields stay as they were',
      )
      return undefined
    }
  }

  /** A write that lost a race is an ordinary event: the newer state is on its way and makes the next turn. */
  #outcomeOf(thrown: unknown, { key }: WorkItem<Key>): Outcome {
    const outcome = outcomeOfError(thrown)
    if (outcome.kind === 'stopped') this.#log.error({ key, reason: outcome.reason }, outcome.message)
    return outcome
  }

  #logPlan(object: LiveObject, { waves, prune }: Plan): void {
    const written = waves.flat().flatMap(describeStep)
    const pruned = prune.map((child) => `delete ${describeRef(refOf(child))}`)
    const actions = [...written, ...pruned]
    if (actions.length > 0) this.#log.info({ ...this.#fieldsOf(object), actions }, 'applying')
  }

  #logEnd(outcome: Outcome, item: WorkItem<Key>): void {
    const fields = {
      ...parseKey(item.key),
      causes: item.causes.map(({ kind, detail }) => (detail === undefined ? kind : `${kind}: ${detail}`)),
    }
    switch (outcome.kind) {
      case 'retry':
        return this.#log.warn({ ...fields, reason: outcome.reason, failures: item.failures + 1 }, outcome.message)
      case 'stopped':
        return this.#log.warn({ ...fields, reason: outcome.reason }, outcome.message)
      case 'settled':
      case 'waiting':
      case 'deleting':
        return this.#log.debug({ ...fields, outcome: outcome.kind }, 'turn ended')
      default:
        return unreachable(outcome)
    }
  }

  #fieldsOf({ metadata: { namespace, name, generation } }: LiveObject): Record<string, unknown> {
    return { namespace, name, generation }
  }
}

function asChild(object: LiveObject): Child {
  return { object, readiness: readinessOf(object) }
}

/** Sound: the informer of the controller's own resource holds nothing else, and the CRD requires `spec`. */
function parentOf(object: LiveObject): ParentOf<unknown, unknown> {
  return object as ParentOf<unknown, unknown>
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
