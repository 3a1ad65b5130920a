// Metrics port over prom-client, with a registry of its own, so that two operators in one process never share series. A
// wrong use of a metric (other labels, other kind) throws immediately instead of at the scrape.
import * as prom from 'prom-client'
import { assert } from '../base/assert.ts'
import type { Counter, Gauge, Histogram, MetricLabels, MetricOptions, Metrics } from '../base/instrument.ts'

export interface PrometheusMetricsOptions {
  /** Value of the label `operator` on every series. Default: no such label. */
  readonly operator?: string
  /** Value of the label `shard` on every series. Default: no such label. */
  readonly shard?: string | undefined
  /** Exposes `process_…` and `nodejs_…` too: CPU, memory, event-loop lag. Default: false. */
  readonly processMetrics?: boolean
  /**
   * Shared registry: only metrics that this class creates have the label `operator`. Default: a registry of its own.
   */
  readonly registry?: MetricsRegistry | undefined
}

/** Registry of prom-client. */
export type MetricsRegistry = prom.Registry<prom.RegistryContentType>

/** Content of a scrape. */
export interface Exposition {
  readonly contentType: string
  /** Returns all series, in the text format that `contentType` names. */
  text(): Promise<string>
}

interface Made {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly labels: string
  readonly metric: Counter | Gauge | Histogram
}

export class PrometheusMetrics implements Metrics, Exposition {
  readonly #registry: MetricsRegistry
  /** Labels of every series that this instance creates. */
  readonly #own: MetricLabels
  readonly #made = new Map<string, Made>()

  constructor({ operator, shard, processMetrics = false, registry }: PrometheusMetricsOptions = {}) {
    const labels = { ...(operator === undefined ? {} : { operator }), ...(shard === undefined ? {} : { shard }) }
    this.#registry = registry ?? new prom.Registry()
    this.#own = registry === undefined ? {} : labels
    if (registry === undefined) this.#registry.setDefaultLabels(labels)
    if (processMetrics) prom.collectDefaultMetrics({ register: this.#registry })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  counter(options: MetricOptions): Counter {
    return this.#once('counter', options, () => {
      const counter = this.#shared(options, prom.Counter) ?? new prom.Counter(this.#configurationOf(options))
      const own = this.#own
      return {
        add: (labels, amount = 1) => counter.inc({ ...labels, ...own }, amount),
        remove: (labels) => counter.remove({ ...labels, ...own }),
      } satisfies Counter
    })
  }

  gauge(options: MetricOptions): Gauge {
    return this.#once('gauge', options, () => {
      const gauge = this.#shared(options, prom.Gauge) ?? new prom.Gauge(this.#configurationOf(options))
      const own = this.#own
      return {
        set: (labels, value) => gauge.set({ ...labels, ...own }, value),
        remove: (labels) => gauge.remove({ ...labels, ...own }),
      } satisfies Gauge
    })
  }

  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram {
    return this.#once('histogram', options, () => {
      const configuration = { ...this.#configurationOf(options), buckets: [...options.buckets] }
      const histogram = this.#shared(options, prom.Histogram) ?? new prom.Histogram(configuration)
      const own = this.#own
      return {
        observe: (labels, value) => histogram.observe({ ...labels, ...own }, value),
        remove: (labels) => histogram.remove({ ...labels, ...own }),
      } satisfies Histogram
    })
  }

  #configurationOf({ name, help, labels }: MetricOptions) {
    return { name, help, labelNames: [...labels, ...Object.keys(this.#own)], registers: [this.#registry] }
  }

  /** Returns the metric that another operator has created in the same registry. */
  #shared<M extends object>({ name }: MetricOptions, kind: new (...args: never[]) => M): M | undefined {
    const found = this.#registry.getSingleMetric(name)
    assert(found === undefined || found instanceof kind, `metric ${name} is in the registry, and not made by konverge`)
    return found
  }

  #once<M extends Made['metric']>(kind: Made['kind'], { name, labels }: MetricOptions, make: () => M): M {
    const made = this.#made.get(name)
    if (made === undefined) {
      const metric = make()
      this.#made.set(name, { kind, labels: labels.join(), metric })
      return metric
    }
    assert(made.kind === kind && made.labels === labels.join(), `metric ${name} is made alike everywhere`)
    // Sound: the same method, with the same M, created a metric of this kind.
    return made.metric as M
  }
}
