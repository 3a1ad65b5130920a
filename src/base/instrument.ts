// How does a part let itself be seen? Through these ports, handed in as `instruments`; telemetry/ implements them over pino,
// prom-client and OpenTelemetry, tests use `silentInstruments`. So no room depends on a logging, metrics or tracing library.

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
  /** Forgets the series with exactly these labels, so that it is no longer exposed. */
  remove(labels: MetricLabels): void
}

export interface Gauge {
  set(labels: MetricLabels, value: number): void
  /** Forgets the series with exactly these labels, so that it is no longer exposed. */
  remove(labels: MetricLabels): void
}

export interface Histogram {
  observe(labels: MetricLabels, value: number): void
  /** Forgets the series with exactly these labels, so that it is no longer exposed. */
  remove(labels: MetricLabels): void
}

/** Making a metric of a name that exists already gives the existing one. */
export interface Metrics {
  counter(options: MetricOptions): Counter
  gauge(options: MetricOptions): Gauge
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram
}

/** Values by name; what is undefined is left out. Never a secret value (I11). */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** One piece of work, as a trace shows it. */
export interface Span {
  /** Adds what became known meanwhile; asked only if somebody records. */
  note(attributes: () => SpanAttributes): void
  /** The work failed, by the code of its error. */
  fail(code: string): void
}

export interface Tracer {
  /** The span that the caller works under. */
  readonly active: Span
  /**
   * Does the work under a span, which is a child of the span that the caller works under. A rejection fails the span with
   * its code, and is passed on.
   *
   * @example await tracer.run('observe', () => ({}), () => controller.observe(context))
   */
  run<T>(name: string, attributes: () => SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>
}

export interface Instruments {
  readonly log: Log
  readonly metrics: Metrics
  readonly tracer: Tracer
}

const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silentLog }
const silentMetrics: Metrics = {
  counter: () => ({ add: () => {}, remove: () => {} }),
  gauge: () => ({ set: () => {}, remove: () => {} }),
  histogram: () => ({ observe: () => {}, remove: () => {} }),
}

/** A span that nobody records. */
export const silentSpan: Span = { note: () => {}, fail: () => {} }

/** Reports nothing. */
export const silentInstruments: Instruments = {
  log: silentLog,
  metrics: silentMetrics,
  tracer: { active: silentSpan, run: (_, __, work) => work(silentSpan) },
}
