// Metrics of one controller: durations and failures of reconciles, abandoned calls, conditions of its resources.
import type { Counter, Gauge, Histogram, Metrics } from '../base/instrument.ts'
import { ConditionMetrics, type ConditionMetricsOptions } from './condition-metrics.ts'
import type { Outcome } from './outcome.ts'

/** From a reconcile without changes (under a millisecond) to one that waits for a slow API server. */
const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export class ReconcileMetrics {
  readonly #controller: string
  readonly #durations: Histogram
  readonly #errors: Counter
  readonly conditions: ConditionMetrics
  readonly #staleSkips: Counter
  readonly #abandoned: Gauge
  readonly #abandonedTotal: Counter

  constructor(metrics: Metrics, controller: string, conditions: ConditionMetricsOptions = {}) {
    this.#controller = controller
    this.conditions = new ConditionMetrics(metrics, controller, conditions)
    this.#durations = metrics.histogram({
      name: 'reconciliation_duration_seconds',
      help: 'Duration of reconciles, by outcome, in seconds.',
      labels: ['controller', 'outcome'],
      buckets: bucketsSeconds,
    })
    this.#errors = metrics.counter({
      name: 'reconciliation_errors_total',
      help: 'Reconciles that ended with a retry or a stop, by reason.',
      labels: ['controller', 'reason'],
    })
    this.#staleSkips = metrics.counter({
      name: 'stale_sync_skips_total',
      help: 'Reconciles that postponed a deletion because a cache was stale.',
      labels: ['controller'],
    })
    this.#abandoned = metrics.gauge({
      name: 'controller_calls_abandoned',
      help: 'Running calls of observe or cleanup whose time limit has passed and whose signal has aborted.',
      labels: ['controller', 'call'],
    })
    this.#abandonedTotal = metrics.counter({
      name: 'controller_calls_abandoned_total',
      help: 'Calls of observe or cleanup that did not end after their signal aborted.',
      labels: ['controller', 'call'],
    })
  }

  /** Counts a function of the controller that still runs although its signal has aborted. */
  countAbandonedCall(call: string): void {
    this.#abandonedTotal.add({ controller: this.#controller, call })
  }

  /** Sets the number of abandoned calls that still run. */
  observeAbandonedCalls(call: string, count: number): void {
    this.#abandoned.set({ controller: this.#controller, call }, count)
  }

  /** Counts a reconcile that postponed a deletion because its cache was behind. */
  countStaleSkip(): void {
    this.#staleSkips.add({ controller: this.#controller })
  }

  observeTurn(outcome: Outcome, durationMs: number): void {
    this.#durations.observe({ controller: this.#controller, outcome: outcome.kind }, durationMs / 1000)
    if (outcome.kind === 'retry' || outcome.kind === 'stopped') {
      this.#errors.add({ controller: this.#controller, reason: outcome.reason })
    }
  }
}
