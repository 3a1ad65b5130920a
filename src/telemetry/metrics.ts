// How do numbers get to Prometheus? The Metrics port over prom-client with a registry of its own: two operators in one
// process never share series. A bug in the use of a metric (other labels, other kind) throws at once, not at scrape time.
import * as prom from 'prom-client'
import { assert } from '../base/assert.ts'
import type { Counter, Gauge, Histogram, MetricOptions, Metrics } from '../base/instrument.ts'

export interface PrometheusMetricsOptions {
  /** The value of the label `operator` on every series. Default: no such label. */
  readonly operator?: string
  /** Also expose `process_…` and `nodejs_…`: CPU, memory, event-loop lag. Default: false. */
  readonly processMetrics?: boolean
}

/** What a scrape answers. */
export interface Exposition {
  readonly contentType: string
  /** All series, in the text format that `contentType` names. */
  text(): Promise<string>
}

interface Made {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly labels: string
  readonly metric: Counter | Gauge | Histogram
}

export class PrometheusMetrics implements Metrics, Exposition {
  readonly #registry = new prom.Registry()
  readonly #made = new Map<string, Made>()

  constructor({ operator, processMetrics = false }: PrometheusMetricsOptions = {}) {
    if (operator !== undefined) this.#registry.setDefaultLabels({ operator })
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
      const counter = new prom.Counter(this.#configurationOf(options))
      return {
        add: (labels, amount = 1) => counter.inc(labels, amount),
        remove: (labels) => counter.remove(labels),
      } satisfies Counter
    })
  }

  gauge(options: MetricOptions): Gauge {
    return this.#once('gauge', options, () => {
      const gauge = new prom.Gauge(this.#configurationOf(options))
      return {
        set: (labels, value) => gauge.set(labels, value),
        remove: (labels) => gauge.remove(labels),
      } satisfies Gauge
    })
  }

  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram {
    return this.#once('histogram', options, () => {
      const histogram = new prom.Histogram({ ...this.#configurationOf(options), buckets: [...options.buckets] })
      return {
        observe: (labels, value) => histogram.observe(labels, value),
        remove: (labels) => histogram.remove(labels),
      } satisfies Histogram
    })
  }

  #configurationOf({ name, help, labels }: MetricOptions) {
    return { name, help, labelNames: [...labels], registers: [this.#registry] }
  }

  #once<M extends Made['metric']>(kind: Made['kind'], { name, labels }: MetricOptions, make: () => M): M {
    const made = this.#made.get(name)
    if (made === undefined) {
      const metric = make()
      this.#made.set(name, { kind, labels: labels.join(), metric })
      return metric
    }
    assert(made.kind === kind && made.labels === labels.join(), `metric ${name} is made alike everywhere`)
    // Sound: an equal kind was made by the same method, with the same M.
    return made.metric as M
  }
}
