// Writes the status of a resource if status.ts decides that it is worth a write. Remembers only the time of the last
// write, to limit writes of progress (I8).
import { type Clock, timestampOf } from '../base/clock.ts'
import { CodedError, messageOf, unwatchedRetryMs } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { ExternalReport } from '../external/external.ts'
import type { KubeClient, Patch } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { findCondition } from '../object/condition.ts'
import type { LiveObject, StatusWithConditions } from '../object/object.ts'
import { describeRef, type Key, keyOf, refOf } from '../object/ref.ts'
import type { SagaReport } from '../saga/saga.ts'
import { conditionEvent } from './condition-events.ts'
import type { EventReport } from './context.ts'
import type { Controller } from './definition.ts'
import { withForeign } from './foreign-status.ts'
import { type Child, type DueTimes, type Outcome, untilNextMs } from './outcome.ts'
import { parentOf } from './parent.ts'
import { type PausedStatusInput, pausedStatus } from './paused-status.ts'
import type { ReconcileMetrics } from './reconcile-metrics.ts'
import {
  areSameRecords,
  assertKept,
  type JournalChange,
  lockedVersion,
  type Records,
  type ResourceStatus,
  recordFields,
  recordsOf,
  StaleRecordsError,
} from './records.ts'
import { nextStatus, type StatusReport, type StatusWrite, statusWrite } from './status.ts'
import { type StatusPart, statusPartOf } from './status-part.ts'
import { claimsProblem, isRejectedStatus, rejectedStatusProblem, reportProblem } from './status-problem.ts'
import { isAnswerDue, steeringOf } from './steering.ts'

/** Result of a reconcile, with all input of the status. */
export interface ReconcileEnd {
  /** The last state of the resource that the reconcile knows. */
  readonly object: LiveObject
  readonly outcome: Outcome
  /** Undefined when `observe` failed. */
  readonly facts: unknown
  readonly children: readonly Child[]
  readonly externals: readonly ExternalReport[]
  readonly sagas: readonly SagaReport[]
  readonly records: JournalChange
}

/** Consequences of a recorded status. */
export interface Recorded extends DueTimes {
  /** Outcome that the status reports instead, because the status function failed. */
  readonly failure?: Outcome | undefined
}

export interface StatusRecorderOptions {
  readonly controller: Controller
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ReconcileMetrics
  readonly client: KubeClient
  readonly fieldManager: string
  /** Returns the newest cached state of a resource. */
  readonly newest: (key: Key) => LiveObject | undefined
  /** Passes the response of an own write to the cache, for the next read. */
  readonly onWritten: (live: LiveObject) => void
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

/** Attempts to write one status in competition with another writer. */
const mostAttempts = 3

export class StatusRecorder {
  readonly #options: StatusRecorderOptions
  /** By uid, on the monotonic clock. One entry per existing resource. */
  readonly #writtenAtMs = new Map<string, number>()
  /** Virtual status of resources whose kind has none, by uid. One entry per existing resource. */
  readonly #kept = new Map<string, ResourceStatus>()
  /** Fields and conditions that the status function has reported in this process. Bounded by the function's names. */
  readonly #reported = { fields: new Set<string>(), conditions: new Set<string>() }
  /** True if the API server drops `lastHandledReconcileAt`, because the CRD of the kind lacks it. */
  #dropsToken = false
  readonly #part: StatusPart

  constructor(options: StatusRecorderOptions) {
    this.#options = options
    this.#part = statusPartOf(options.controller.part)
  }

  /**
   * Returns the time until a deferred write, and until the status function's next time. A status that the API server
   * rejects is written without the kind's own part. Rejects when that write is rejected too, or the signal aborts.
   */
  async record(end: ReconcileEnd, signal: AbortSignal): Promise<Recorded> {
    const reported = this.#reportOf(end)
    try {
      return await this.#recordReport(end, reported, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (reported.report === undefined || !isRejectedStatus(thrown)) throw thrown
      const problem = rejectedStatusProblem(thrown)
      this.#logProblem(end.object, problem)
      const { failure, ...due } = await this.#recordReport(end, { report: undefined, problem }, signal)
      const rejected = failure?.kind === 'retry' ? { ...failure, retryAfterMs: unwatchedRetryMs } : failure
      return { ...due, failure: rejected, lookMs: unwatchedRetryMs }
    }
  }

  async #recordReport(end: ReconcileEnd, { report, problem }: Reported, signal: AbortSignal): Promise<Recorded> {
    const { object, outcome } = end
    for (const name of Object.keys(report?.fields ?? {})) this.#reported.fields.add(name)
    for (const { type } of report?.conditions ?? []) this.#reported.conditions.add(type)
    const told = report === undefined ? unreported(outcome, problem) : outcome
    const { complaint } = steeringOf(object)
    const { stored, next: records } = end.records
    const token = this.#tokenOf(object)
    const isUnderWay = outcome.kind === 'waiting' || outcome.kind === 'deleting'
    const statusOver = (live: LiveObject): Written => {
      const since = this.#since(object, live)
      const { external: _, sagas: __, ...untouched } = since.previous ?? {}
      const previous: ResourceStatus = { ...untouched, ...recordFields(stored) }
      const next = nextStatus({ ...since, previous, report, outcome: told, records, complaint, token })
      return { live, before: this.#storedBefore(live, previous), next, stored, isUnderWay }
    }
    const write = await this.#writeOver(object, statusOver, signal)
    if (write.kind === 'now') for (const event of report?.events ?? []) this.#options.recordEvent(object, event)
    return {
      failure: told === outcome ? undefined : told,
      statusMs: write.kind === 'later' ? write.afterMs : undefined,
      lookMs: untilNextMs(report?.dueAtMs ?? [], this.#options.clock.now()),
    }
  }

  /** Reports that the resource is paused; an unchanged status is not written. */
  async recordPause(
    object: LiveObject,
    paused: Pick<PausedStatusInput, 'pause' | 'own'>,
    signal: AbortSignal,
  ): Promise<void> {
    const problem = claimsProblem(paused.own ?? [])
    if (problem !== undefined) this.#logProblem(object, `observePaused: ${problem}`)
    const own = problem === undefined ? paused.own : []
    const statusOver = (live: LiveObject): Written => {
      const { previous, ...since } = this.#since(object, live)
      const next = pausedStatus({ ...since, previous, ...paused, ...(own === undefined ? {} : { own }) })
      const before = this.#storedBefore(live, previous)
      return { live, before, next, stored: recordsOf(object), isUnderWay: false }
    }
    await this.#writeOver(object, statusOver, signal)
  }

  /** True if a client waits for the answer to a reconcile-now, so that even a first failure must be reported. */
  isAwaited(object: LiveObject): boolean {
    return isAnswerDue(this.#tokenOf(object), this.#statusOf(object))
  }

  /** True if the status says that the current spec is ready. */
  isCalledReady(object: LiveObject): boolean {
    const ready = findCondition(this.#statusOf(object)?.conditions, 'Ready')
    return ready?.status === 'True' && ready.observedGeneration === (object.metadata.generation ?? 0)
  }

  /** True if the reconcile has new journal entries, which must be stored. */
  hasNewRecords({ records }: ReconcileEnd): boolean {
    return !areSameRecords(records.stored, records.next)
  }

  /** Call when the resource is gone. */
  forget(uid: string): void {
    this.#writtenAtMs.delete(uid)
    this.#kept.delete(uid)
  }

  #statusOf(object: LiveObject): ResourceStatus | undefined {
    if (!this.#options.controller.hasStatus) return this.#kept.get(object.metadata.uid)
    return this.#part.read(statusOf(object))
  }

  /** Returns the whole status that the next one replaces, with the journal entries from which the reconcile decided. */
  #storedBefore(live: LiveObject, own: ResourceStatus | undefined): ResourceStatus | undefined {
    const { hasStatus, part } = this.#options.controller
    return hasStatus && part !== undefined ? statusOf(live) : own
  }

  #since(object: LiveObject, live: LiveObject) {
    const { generation = 0 } = object.metadata
    return { previous: this.#statusOf(live), generation, now: timestampOf(this.#options.clock) }
  }

  /** Other writers may have written the status since the reconcile began. */
  #newestOf(object: LiveObject): LiveObject {
    const newest = this.#options.newest(keyOf(object))
    return newest?.metadata.uid === object.metadata.uid ? newest : object
  }

  #tokenOf(object: LiveObject): string | undefined {
    const { part } = this.#options.controller
    // One answer cannot serve several controllers.
    return this.#dropsToken || part !== undefined ? undefined : steeringOf(object).token
  }

  /**
   * After a conflict with another writer, reads its status: the cache may be behind it, and its event may never come.
   */
  async #writeOver(
    object: LiveObject,
    statusOver: (live: LiveObject) => Written,
    signal: AbortSignal,
  ): Promise<StatusWrite> {
    const { controller, client } = this.#options
    let live = this.#newestOf(object)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#write(object, statusOver(live), signal)
      } catch (thrown) {
        if (!isKubeError(thrown, 'Conflict')) throw thrown
        const found =
          attempt < mostAttempts ? await loadIfPresent(client, controller.resource, live.metadata, signal) : undefined
        if (found?.metadata.uid !== object.metadata.uid) throw new StaleRecordsError(thrown)
        live = found
      }
    }
  }

  async #write(
    object: LiveObject,
    { live, before, next, stored, isUnderWay }: Written,
    signal: AbortSignal,
  ): Promise<StatusWrite> {
    const { clock, controller, client, fieldManager, metrics, onWritten } = this.#options
    metrics.conditions.observe(object, next.conditions ?? [])
    const { uid } = object.metadata
    const nowMs = clock.monotonicMs()
    const writtenAtMs = this.#writtenAtMs.get(uid)
    const whole = controller.hasStatus
      ? withForeign({
          live,
          next: this.#part.stored(next),
          reported: this.#reported,
          manager: fieldManager,
          part: this.#part,
        })
      : next
    const write = statusWrite({ previous: before, next: whole, isUnderWay, writtenAtMs, nowMs })
    if (write.kind !== 'now') return write
    if (!controller.hasStatus) {
      this.#keep(object, next)
      return write
    }
    // The uid protects another object of the same name from this status. The version protects newer journal entries and
    // conditions of others.
    const isLocked = Object.hasOwn(write.patch, 'external') || Object.hasOwn(write.patch, 'sagas')
    const resourceVersion = isLocked ? lockedVersion({ object, newest: live, stored }) : live.metadata.resourceVersion
    const lock = isLocked || Object.hasOwn(write.patch, 'conditions') ? { resourceVersion } : {}
    const patch: Patch = { type: 'merge', body: { metadata: { uid, ...lock }, status: write.patch } }
    const options = { fieldManager, subresource: 'status' } as const
    const written = await client
      .patch(controller.resource, object.metadata, patch, options, signal)
      .catch((thrown: unknown) => this.#explain(object, thrown, signal))
    onWritten(written)
    if (isLocked) assertKept(controller.name, { external: next.external ?? [], sagas: next.sagas ?? [] }, written)
    this.#writtenAtMs.set(uid, nowMs)
    // The API server can drop only a sent token: an earlier one may have been removed without the cache's knowledge.
    const { lastHandledReconcileAt: answer } = next
    const isStillDue = [object, written].every((known) => isAnswerDue(answer, statusOf(known)))
    if (isStillDue) this.#noteDroppedToken()
    return write
  }

  /** Reports the conditions of a kind without a status by an Event. */
  #keep(object: LiveObject, next: ResourceStatus): void {
    const { clock, recordEvent } = this.#options
    const { uid } = object.metadata
    const event = conditionEvent(this.#kept.get(uid), next)
    this.#kept.set(uid, next)
    this.#writtenAtMs.set(uid, clock.monotonicMs())
    if (event !== undefined) recordEvent(object, event)
  }

  /** A 404 for the status of an existing object means that its CRD has no status subresource. Always rejects. */
  async #explain(object: LiveObject, thrown: unknown, signal: AbortSignal): Promise<never> {
    const { controller, client, recordEvent } = this.#options
    if (!isKubeError(thrown, 'NotFound', 'ResourceNotFound')) throw thrown
    const live = await loadIfPresent(client, controller.resource, object.metadata, signal)
    if (live?.metadata.uid !== object.metadata.uid) throw thrown
    const { version } = controller.resource
    const message = `the CRD ${controller.name} has no status subresource in its version ${version}, so no status is written: add subresources: { status: {} } to the version, or leave status out of the controller`
    recordEvent(object, { type: 'Warning', reason: 'NoStatusSubresource', action: 'Reconcile', note: message })
    throw new CodedError({
      code: 'NoStatusSubresource',
      message,
      remedy: 'stop',
      retryAfterMs: unwatchedRetryMs,
      cause: thrown,
    })
  }

  /** A repeated token would be a write in every reconcile. Logged once per process. */
  #noteDroppedToken(): void {
    const { controller, log } = this.#options
    this.#dropsToken = true
    log.warn(
      { resource: controller.name },
      'the CRD has no status.lastHandledReconcileAt (type: string), so konverge.dev/reconcile-now works but is not answered; add the field to its schema',
    )
  }

  #reportOf({ object, records: _, ...end }: ReconcileEnd): Reported {
    try {
      const report = this.#options.controller.status({ object: parentOf(object), ...end })
      const problem = reportProblem(report)
      if (problem === undefined) return { report }
      this.#logProblem(object, problem)
      return { report: undefined, problem }
    } catch (thrown) {
      this.#logProblem(object, messageOf(thrown))
      return { report: undefined }
    }
  }

  #logProblem(object: LiveObject, error: string): void {
    const fields = { object: describeRef(refOf(object)), error }
    this.#options.log.error(fields, 'the status function failed; the kind’s own fields stay as they were')
  }
}

/** Result of the status function. */
interface Reported {
  /** Undefined: the function threw, or its result cannot be written. */
  readonly report: StatusReport<StatusWithConditions> | undefined
  /** Description of the part that cannot be written, without values. */
  readonly problem?: string
}

interface Written {
  /** The object whose status is overwritten. */
  readonly live: LiveObject
  readonly before: ResourceStatus | undefined
  readonly next: ResourceStatus
  /** The journal entries known to be in the cluster. */
  readonly stored: Records
  readonly isUnderWay: boolean
}

/** Sound: the status of a controller's own kind is written here and nowhere else. */
function statusOf({ status }: LiveObject): ResourceStatus | undefined {
  return status as ResourceStatus | undefined
}

/** Without the kind's own conditions, no resource may be Ready (I8). */
function unreported(outcome: Outcome, problem = 'its log says why'): Outcome {
  const message = `the status function of the controller failed: ${problem}`
  return outcome.kind === 'settled' || outcome.kind === 'waiting'
    ? { kind: 'retry', reason: 'StatusFailed', message }
    : outcome
}
