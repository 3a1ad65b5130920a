// Writes the status of a resource, if what status.ts decides is worth a write. Remembers when it last did, so that progress is
// not written too often; that is all it remembers (I8).
import { type Clock, timestampOf } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { ExternalReport } from '../external/external.ts'
import type { KubeClient, Patch } from '../kube/client.ts'
import type { LiveObject, StatusWithConditions } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { EventReport } from './context.ts'
import type { Controller } from './definition.ts'
import type { Child, Outcome } from './outcome.ts'
import { parentOf } from './parent.ts'
import { pausedStatus } from './paused-status.ts'
import { nextStatus, type StatusReport, type StatusWrite, statusWrite } from './status.ts'
import { isAnswerDue, steeringOf } from './steering.ts'
import type { TurnMetrics } from './turn-metrics.ts'

/** How a turn ended, and what the status may say about it. */
export interface TurnEnd {
  /** The resource as the turn knew it last. */
  readonly object: LiveObject
  readonly outcome: Outcome
  /** Undefined when `observe` failed. */
  readonly facts: unknown
  readonly children: readonly Child[]
  readonly externals: readonly ExternalReport[]
}

export interface StatusRecorderOptions {
  readonly controller: Controller
  readonly clock: Clock
  readonly log: Log
  readonly metrics: TurnMetrics
  readonly client: KubeClient
  /** Our own write, to be seen by the next read. */
  readonly onWritten: (live: LiveObject) => void
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

const statusManager = 'konverge-status'

export class StatusRecorder {
  readonly #options: StatusRecorderOptions
  /** By uid, on the monotonic clock. One entry per living resource. */
  readonly #writtenAtMs = new Map<string, number>()
  /** The API server drops `lastHandledReconcileAt`: the CRD of the kind does not have it. */
  #dropsToken = false

  constructor(options: StatusRecorderOptions) {
    this.#options = options
  }

  /** Returns after how long a deferred write is due. Rejects when the write was refused, or the signal aborted. */
  async record(end: TurnEnd, signal: AbortSignal): Promise<number | undefined> {
    const { object, outcome } = end
    const report = this.#reportOf(end)
    const told = report === undefined ? untold(outcome) : outcome
    const { complaint } = steeringOf(object)
    const next = nextStatus({ ...this.#since(object), report, outcome: told, complaint, token: this.#tokenOf(object) })
    const isUnderWay = outcome.kind === 'waiting' || outcome.kind === 'deleting'
    const write = await this.#write(object, next, isUnderWay, signal)
    if (write.kind === 'now') for (const event of report?.events ?? []) this.#options.recordEvent(object, event)
    return write.kind === 'later' ? write.afterMs : undefined
  }

  /** Says that the resource is left alone; nothing is written when it says so already. */
  async recordPause(object: LiveObject, pause: string, signal: AbortSignal): Promise<void> {
    await this.#write(object, pausedStatus({ ...this.#since(object), pause }), false, signal)
  }

  /** Does somebody wait for the end of this turn, so that even a first failure must be told? */
  isAwaited(object: LiveObject): boolean {
    return isAnswerDue(this.#tokenOf(object), statusOf(object))
  }

  /** The resource is gone. */
  forget(uid: string): void {
    this.#writtenAtMs.delete(uid)
  }

  #since(object: LiveObject) {
    const { generation = 0 } = object.metadata
    return { previous: statusOf(object), generation, now: timestampOf(this.#options.clock) }
  }

  #tokenOf(object: LiveObject): string | undefined {
    return this.#dropsToken ? undefined : steeringOf(object).token
  }

  async #write(
    object: LiveObject,
    next: StatusWithConditions,
    isUnderWay: boolean,
    signal: AbortSignal,
  ): Promise<StatusWrite> {
    const { clock, controller, client, metrics, onWritten } = this.#options
    metrics.observeConditions(object, next.conditions ?? [])
    const { uid } = object.metadata
    const nowMs = clock.monotonicMs()
    const writtenAtMs = this.#writtenAtMs.get(uid)
    const write = statusWrite({ previous: statusOf(object), next, isUnderWay, writtenAtMs, nowMs })
    if (write.kind !== 'now') return write
    // The uid makes sure that a namesake never gets this status.
    const patch: Patch = { type: 'merge', body: { metadata: { uid }, status: write.patch } }
    const options = { fieldManager: statusManager, subresource: 'status' } as const
    const written = await client.patch(controller.resource, object.metadata, patch, options, signal)
    onWritten(written)
    this.#writtenAtMs.set(uid, nowMs)
    // Only what was sent can be dropped: an earlier answer may have been taken away behind our cache.
    const { lastHandledReconcileAt: answer } = next
    const isStillDue = [object, written].every((known) => isAnswerDue(answer, statusOf(known)))
    if (isStillDue) this.#noteDroppedToken()
    return write
  }

  /** Asking again would be a write at every turn. Said once a process. */
  #noteDroppedToken(): void {
    const { controller, log } = this.#options
    this.#dropsToken = true
    log.warn(
      { resource: controller.name },
      'the CRD has no status.lastHandledReconcileAt (type: string), so konverge.dev/reconcile-now works but is not answered; add the field to its schema',
    )
  }

  #reportOf({ object, ...end }: TurnEnd): StatusReport<StatusWithConditions> | undefined {
    const { controller, log } = this.#options
    try {
      return controller.status({ object: parentOf(object), ...end })
    } catch (thrown) {
      const fields = { object: describeRef(refOf(object)), error: messageOf(thrown) }
      log.error(fields, 'the status function threw; the kind’s own fields stay as they were')
      return undefined
    }
  }
}

/** Sound: the status of our own kinds is written here and nowhere else. */
function statusOf({ status }: LiveObject): StatusWithConditions | undefined {
  return status as StatusWithConditions | undefined
}

/** Without the kind's own word nothing may be called ready (I8). */
function untold(outcome: Outcome): Outcome {
  const message = 'the status function of the controller failed; its log says why'
  return outcome.kind === 'settled' || outcome.kind === 'waiting'
    ? { kind: 'retry', reason: 'StatusFailed', message }
    : outcome
}
