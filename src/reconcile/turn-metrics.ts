// What do turns look like from outside? The metrics of the flagship's dashboards and alerts: how long turns take, why they
// fail, and which condition every resource has.
import type { Counter, Gauge, Histogram, Metrics } from '../base/instrument.ts'
import type { Condition } from '../object/condition.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf, parseKey } from '../object/ref.ts'
import type { Outcome } from './outcome.ts'

/** From a turn that finds nothing to do (under a millisecond) to one that waits for a slow API server. */
const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export class TurnMetrics {
  readonly #controller: string
  readonly #durations: Histogram
  readonly #errors: Counter
  readonly #conditions: Gauge
  readonly #staleSkips: Counter
  readonly #abandoned: Gauge
  readonly #abandonedTotal: Counter
  /** The condition types that are exposed, by key: one entry per living resource. */
  readonly #exposed = new Map<Key, readonly string[]>()

  constructor(metrics: Metrics, controller: string) {
    this.#controller = controller
    this.#durations = metrics.histogram({
      name: 'reconciliation_duration_seconds',
      help: 'How long a turn of one resource took.',
      labels: ['controller', 'outcome'],
      buckets: bucketsSeconds,
    })
    this.#errors = metrics.counter({
      name: 'reconciliation_errors_total',
      help: 'Turns that ended in a retry or a stop, by reason.',
      labels: ['controller', 'reason'],
    })
    this.#conditions = metrics.gauge({
      name: 'resource_condition',
      help: '1 while the condition is True, 0 while it is False or Unknown.',
      labels: ['controller', 'namespace', 'name', 'type'],
    })
    this.#staleSkips = metrics.counter({
      name: 'stale_sync_skips_total',
      help: 'Turns that put off a delete because the caches had not seen what they should have.',
      labels: ['controller'],
    })
    this.#abandoned = metrics.gauge({
      name: 'controller_calls_abandoned',
      help: 'Calls of observe or cleanup that go on although their limit was reached and their signal has aborted.',
      labels: ['controller', 'call'],
    })
    this.#abandonedTotal = metrics.counter({
      name: 'controller_calls_abandoned_total',
      help: 'Calls of observe or cleanup that did not end when their signal aborted.',
      labels: ['controller', 'call'],
    })
  }

  /** A function of the controller goes on although its signal has aborted. */
  countAbandonedCall(call: string): void {
    this.#abandonedTotal.add({ controller: this.#controller, call })
  }

  /** So many of them go on. */
  observeAbandonedCalls(call: string, count: number): void {
    this.#abandoned.set({ controller: this.#controller, call }, count)
  }

  /** A turn would have deleted, but its cache was behind. */
  countStaleSkip(): void {
    this.#staleSkips.add({ controller: this.#controller })
  }

  observeTurn(outcome: Outcome, durationMs: number): void {
    this.#durations.observe({ controller: this.#controller, outcome: outcome.kind }, durationMs / 1000)
    if (outcome.kind === 'retry' || outcome.kind === 'stopped') {
      this.#errors.add({ controller: this.#controller, reason: outcome.reason })
    }
  }

  observeConditions(object: LiveObject, conditions: readonly Condition[]): void {
    const key = keyOf(object)
    const types = conditions.map(({ type }) => type)
    for (const type of this.#exposed.get(key) ?? [])
      if (!types.includes(type)) this.#conditions.remove(this.#series(key, type))
    for (const { type, status } of conditions) this.#conditions.set(this.#series(key, type), status === 'True' ? 1 : 0)
    this.#exposed.set(key, types)
  }

  /** The resource is gone, and so are its series. */
  forget(key: Key): void {
    for (const type of this.#exposed.get(key) ?? []) this.#conditions.remove(this.#series(key, type))
    this.#exposed.delete(key)
  }

  #series(key: Key, type: string): Record<string, string> {
    const { namespace = '', name } = parseKey(key)
    return { controller: this.#controller, namespace, name, type }
  }
}
