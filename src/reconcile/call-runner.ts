// Calls of a controller's own asynchronous functions. Invariant: each call ends within its limit plus one second, even
// if the function ignores its signal.
// A call that keeps running is abandoned: counted and logged. It delays neither its reconcile nor a shutdown. The
// number of abandoned calls of one resource is bounded (I12).
import { type Clock, withinLimit } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { ReconcileLimits } from './definition.ts'
import { logFieldsOf } from './log-fields.ts'
import type { ReconcileMetrics } from './reconcile-metrics.ts'

export type LimitedCall = 'observe' | 'cleanup'

export interface CallRunnerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ReconcileMetrics
  readonly limits: ReconcileLimits
}

interface Rule {
  readonly code: 'ObserveTimeout' | 'CleanupTimeout'
  readonly option: 'observeMs' | 'cleanupMs'
  /**
   * Number of abandoned calls of one resource at which another call may still begin. A repeated `observe` is safe, and
   * a hanging server may respond again long before the call to it ends. A cleanup is safe to repeat, but not to run
   * twice at once.
   */
  readonly mostAbandoned: number
}

const rules: Readonly<Record<LimitedCall, Rule>> = {
  observe: { code: 'ObserveTimeout', option: 'observeMs', mostAbandoned: 2 },
  cleanup: { code: 'CleanupTimeout', option: 'cleanupMs', mostAbandoned: 0 },
}

export class CallRunner {
  readonly #options: CallRunnerOptions
  /** Abandoned calls that still run, by function and uid. */
  readonly #abandoned = new Map<string, number>()

  constructor(options: CallRunnerOptions) {
    this.#options = options
  }

  /**
   * Rejects with a CodedError `ObserveTimeout` or `CleanupTimeout`, with the function's own error, or with the signal's
   * reason.
   */
  async run<T>(
    call: LimitedCall,
    object: LiveObject,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { clock, limits } = this.#options
    const { code, option, mostAbandoned } = rules[call]
    const what = `${call} of ${describeRef(refOf(object))}`
    if (this.#abandonedOf(call, object) > mostAbandoned) throw stillRuns(code, what)
    const limitMs = limits[option]
    const tooLate = () => timedOut(code, `${what} did not end within ${limitMs / 1_000} s`, option)
    const running = { isAbandoned: false, hasEnded: true }
    const watched = async (until: AbortSignal) => {
      running.hasEnded = false
      try {
        return await work(until)
      } finally {
        running.hasEnded = true
        if (running.isAbandoned) this.#count(call, object, -1)
      }
    }
    try {
      return await withinLimit({ clock, limitMs, signal, tooLate }, watched)
    } finally {
      if (!running.hasEnded) {
        running.isAbandoned = true
        this.#abandon(call, object)
      }
    }
  }

  #abandon(call: LimitedCall, object: LiveObject): void {
    const { log, metrics } = this.#options
    this.#count(call, object, 1)
    metrics.countAbandonedCall(call)
    const more = { abandoned: this.#abandonedOf(call, object) }
    log.error({ ...logFieldsOf(object), ...more }, `${call} did not end when its signal aborted; it is left behind`)
  }

  #abandonedOf(call: LimitedCall, object: LiveObject): number {
    return this.#abandoned.get(keyOf(call, object)) ?? 0
  }

  #count(call: LimitedCall, object: LiveObject, change: 1 | -1): void {
    const key = keyOf(call, object)
    const count = this.#abandonedOf(call, object) + change
    if (count === 0) this.#abandoned.delete(key)
    else this.#abandoned.set(key, count)
    const ofCall = [...this.#abandoned].filter(([other]) => other.startsWith(`${call}/`))
    this.#options.metrics.observeAbandonedCalls(
      call,
      ofCall.reduce((sum, [, calls]) => sum + calls, 0),
    )
  }
}

function keyOf(call: LimitedCall, { metadata: { uid } }: LiveObject): string {
  return `${call}/${uid}`
}

function timedOut(code: string, what: string, option: string): CodedError {
  const message = `${what}: let what it calls end when its signal aborts, or raise limits.${option} of the controller`
  return new CodedError({ code, message, remedy: 'retry' })
}

function stillRuns(code: string, what: string): CodedError {
  const message = `an earlier call of ${what} has not ended although its signal aborted; another begins when it has ended, or after a restart of the operator`
  return new CodedError({ code, message, remedy: 'retry' })
}
