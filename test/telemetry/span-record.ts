// Spans for tests: the tracer over OpenTelemetry's SDK, which keeps finished spans in memory.
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { OpenTelemetryTracer } from '../../src/telemetry/tracer.ts'

export interface SpanTree {
  readonly [name: string]: SpanTree
}

export function recordSpans() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const spans = () => exporter.getFinishedSpans()
  return {
    tracer: new OpenTelemetryTracer({ provider }),
    spans,
    /** Names of spans with their children, in the order in which they ended. */
    tree: () => treeBelow(spans(), undefined),
    reset: () => exporter.reset(),
  }
}

function treeBelow(spans: readonly ReadableSpan[], parentId: string | undefined): SpanTree {
  const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parentId)
  return Object.fromEntries(children.map((span) => [span.name, treeBelow(spans, span.spanContext().spanId)]))
}
