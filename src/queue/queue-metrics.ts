// Metrics of a queue, with the names of client-go and controller-runtime, so that existing dashboards and alerts work.
// All times are in seconds, as is usual for Prometheus.
import type { Counter, Gauge, Histogram, Metrics } from '../base/instrument.ts'
import type { Priority } from './priority.ts'

const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_000]

export class QueueMetrics {
  readonly #name: string
  readonly #depth: Gauge
  readonly #adds: Counter
  readonly #queueDuration: Histogram
  readonly #workDuration: Histogram
  readonly #retries: Counter
  readonly #unfinishedWork: Gauge
  readonly #longestRunning: Gauge

  constructor(metrics: Metrics, name: string) {
    this.#name = name
    const labels = ['name']
    this.#depth = metrics.gauge({
      name: 'workqueue_depth',
      help: 'Ready keys that wait for a worker, by priority.',
      labels: ['name', 'priority'],
    })
    this.#adds = metrics.counter({
      name: 'workqueue_adds_total',
      help: 'Keys added to the queue, without keys that were already queued.',
      labels,
    })
    this.#queueDuration = metrics.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'Time that a ready key waited for a worker, in seconds.',
      labels,
      buckets,
    })
    this.#workDuration = metrics.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'Time that a worker spent on a key, in seconds.',
      labels,
      buckets,
    })
    this.#retries = metrics.counter({
      name: 'workqueue_retries_total',
      help: 'Keys added to the queue again after a failure.',
      labels,
    })
    this.#unfinishedWork = metrics.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Sum of the ages of all running reconciles, in seconds. It grows while a reconcile is stuck.',
      labels,
    })
    this.#longestRunning = metrics.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Age of the longest running reconcile, in seconds.',
      labels,
    })
  }

  depth(priority: Priority, keys: number): void {
    this.#depth.set({ name: this.#name, priority }, keys)
  }

  added(): void {
    this.#adds.add({ name: this.#name })
  }

  taken(queuedForMs: number): void {
    this.#queueDuration.observe({ name: this.#name }, queuedForMs / 1_000)
  }

  done(workedForMs: number): void {
    this.#workDuration.observe({ name: this.#name }, workedForMs / 1_000)
  }

  retried(): void {
    this.#retries.add({ name: this.#name })
  }

  running(agesMs: readonly number[]): void {
    this.#unfinishedWork.set({ name: this.#name }, agesMs.reduce((sum, age) => sum + age, 0) / 1_000)
    this.#longestRunning.set({ name: this.#name }, agesMs.reduce((longest, age) => Math.max(longest, age), 0) / 1_000)
  }
}
