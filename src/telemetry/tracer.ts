// Tracer port over the OpenTelemetry API. A program that embeds konverge registers an SDK to receive the spans; without
// one, nothing is recorded. Invariant: spans contain only named attributes and the code of an error.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  context,
  isSpanContextValid,
  type Tracer as OpenTelemetryApi,
  type Span as OpenTelemetrySpan,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { CodedError } from '../base/errors.ts'
import { type Span, type SpanAttributes, silentSpan, type Tracer } from '../base/instrument.ts'

export interface OpenTelemetryTracerOptions {
  /** Tracer provider. Default: the globally registered one, also if the registration comes later. */
  readonly provider?: TracerProvider
}

/**
 * Tracer that stores the active span itself, so that children find their parent with any context manager, or none. It
 * also sets the OpenTelemetry context, so that spans of an instrumented HTTP client become children.
 */
export class OpenTelemetryTracer implements Tracer {
  readonly #api: OpenTelemetryApi
  readonly #active = new AsyncLocalStorage<{ readonly span: RecordedSpan; readonly context: Context }>()

  constructor({ provider = trace }: OpenTelemetryTracerOptions = {}) {
    this.#api = provider.getTracer('konverge')
  }

  get active(): Span {
    return this.#active.getStore()?.span ?? silentSpan
  }

  run<T>(name: string, attributes: () => SpanAttributes, work: (span: Span) => Promise<T>): Promise<T> {
    const parent = this.#active.getStore()?.context ?? context.active()
    const span = this.#api.startSpan(name, {}, parent)
    if (!isSpanContextValid(span.spanContext())) return work(silentSpan)
    const recorded = new RecordedSpan(span)
    recorded.note(attributes)
    const below = trace.setSpan(parent, span)
    return context
      .with(below, () => this.#active.run({ span: recorded, context: below }, () => work(recorded)))
      .then(
        (value) => {
          span.end()
          return value
        },
        (thrown) => {
          recorded.fail(codeOf(thrown))
          span.end()
          throw thrown
        },
      )
  }
}

/** Span of an SDK; for an unsampled one, `isRecording` is false. */
class RecordedSpan implements Span {
  readonly #span: OpenTelemetrySpan

  constructor(span: OpenTelemetrySpan) {
    this.#span = span
  }

  note(attributes: () => SpanAttributes): void {
    if (!this.#span.isRecording()) return
    for (const [name, value] of Object.entries(attributes())) {
      if (value !== undefined) this.#span.setAttribute(name, typeof value === 'object' ? [...value] : value)
    }
  }

  fail(code: string): void {
    this.#span.setAttribute('error.type', code)
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message: code })
  }
}

/** Returns the code of an error, never its message, which may contain more than a trace should (I11). */
function codeOf(thrown: unknown): string {
  if (thrown instanceof CodedError) return thrown.code
  return thrown instanceof Error ? thrown.name : 'Error'
}
