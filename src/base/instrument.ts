// Ports for logs, metrics and traces, passed as `instruments`. telemetry/ implements them with pino, prom-client and
// OpenTelemetry; tests use `silentInstruments`. Invariant: no other module depends on such a library.

/** Structured log fields. Never a secret value (I11). */
export type LogFields = Readonly<Record<string, unknown>>

/** Structured log with levels. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** Returns a log that adds `fields` to every line. */
  with(fields: LogFields): Log
}

/** Label values by label name; the names are fixed at the creation of the metric. */
export type MetricLabels = Readonly<Record<string, string>>

export interface MetricOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface Counter {
  add(labels: MetricLabels, amount?: number): void
  /** Removes the series with exactly these labels from the exposition. */
  remove(labels: MetricLabels): void
}

export interface Gauge {
  set(labels: MetricLabels, value: number): void
  /** Removes the series with exactly these labels from the exposition. */
  remove(labels: MetricLabels): void
}

export interface Histogram {
  observe(labels: MetricLabels, value: number): void
  /** Removes the series with exactly these labels from the exposition. */
  remove(labels: MetricLabels): void
}

/** A second metric of the same name returns the existing one. */
export interface Metrics {
  counter(options: MetricOptions): Counter
  gauge(options: MetricOptions): Gauge
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram
}

/** Values by name; undefined values are left out. Never a secret value (I11). */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** One piece of work in a trace. */
export interface Span {
  /** Adds attributes during the work; called only if the span is recorded. */
  note(attributes: () => SpanAttributes): void
  /** Marks the work as failed, with the code of its error. */
  fail(code: string): void
}

export interface Tracer {
  /** Span of the current caller. */
  readonly active: Span
  /**
   * Runs the work in a child span of the caller's span. A rejection fails the span with its code, and is passed on.
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

/** A span that is not recorded. */
export const silentSpan: Span = { note: () => {}, fail: () => {} }

/** Instruments that discard everything. */
export const silentInstruments: Instruments = {
  log: silentLog,
  metrics: silentMetrics,
  tracer: { active: silentSpan, run: (_, __, work) => work(silentSpan) },
}
