// How does a part let itself be seen? Through these ports, handed in as `instruments`; telemetry/ implements them over
// pino and prom-client, tests use `silentInstruments`. So no room depends on a logging or metrics library.

/** Structured log fields. Never a secret value (I11). */
export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** A log that adds `fields` to every line. */
  with(fields: LogFields): Log
}

/** Label values by label name; the names are fixed when the metric is made. */
export type MetricLabels = Readonly<Record<string, string>>

export interface MetricOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface Counter {
  add(labels: MetricLabels, amount?: number): void
}

export interface Gauge {
  set(labels: MetricLabels, value: number): void
  /** Forgets the series with exactly these labels, so that it is no longer exposed. */
  remove(labels: MetricLabels): void
}

export interface Histogram {
  observe(labels: MetricLabels, value: number): void
}

/** Making a metric of a name that exists already gives the existing one. */
export interface Metrics {
  counter(options: MetricOptions): Counter
  gauge(options: MetricOptions): Gauge
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram
}

export interface Instruments {
  readonly log: Log
  readonly metrics: Metrics
}

const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silentLog }
const silentMetrics: Metrics = {
  counter: () => ({ add: () => {} }),
  gauge: () => ({ set: () => {}, remove: () => {} }),
  histogram: () => ({ observe: () => {} }),
}

/** Reports nothing. */
export const silentInstruments: Instruments = { log: silentLog, metrics: silentMetrics }
