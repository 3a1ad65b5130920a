// Cost of tracing for an idle reconcile without a registered SDK, as a share of the reconcile. It opens two spans, its
// own and that of `observe`. Run: node bench/idle-tracer.ts
//
// Result on two shared cores of a server (Node 24.21): two idle spans add 0.7 µs, 0.05 % of a reconcile.
import process from 'node:process'
import { type Span, silentInstruments, type Tracer } from '../src/base/instrument.ts'
import { ConfigMap } from '../src/object/built-in.ts'
import { OpenTelemetryTracer } from '../src/telemetry/tracer.ts'
import { World } from '../test/reconcile/life.ts'

const rounds = 7
const turns = 2_000
const pairs = 200_000
const attributes = () => ({ 'konverge.name': 'a' })

/**
 * Microseconds per idle reconcile of a tiny kind over the model API server, including the event of the child that
 * triggers it.
 */
async function turnUs(): Promise<number> {
  const world = new World()
  world.addSite()
  const life = await world.live()
  const startedMs = performance.now()
  for (let turn = 0; turn < turns; turn++) {
    world.api.edit(ConfigMap, 'default/a-pages', { metadata: { labels: { look: String(turn) } } })
    await world.clock.advance(0)
  }
  const us = ((performance.now() - startedMs) * 1_000) / turns
  await life.drain()
  return us
}

/** Microseconds per pair of nested spans. */
async function spansUs(tracer: Tracer): Promise<number> {
  const observe = (span: Span) => {
    span.note(attributes)
    return tracer.run('observe', attributes, () => Promise.resolve())
  }
  const startedMs = performance.now()
  for (let pair = 0; pair < pairs; pair++) await tracer.run('reconcile Site', attributes, observe)
  return ((performance.now() - startedMs) * 1_000) / pairs
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < rounds; round++) found.push(await measure())
  return found.sort((left, right) => left - right)[Math.floor(rounds / 2)] ?? Number.NaN
}

const turn = await medianOf(turnUs)
const idle = new OpenTelemetryTracer()
const extra = (await medianOf(() => spansUs(idle))) - (await medianOf(() => spansUs(silentInstruments.tracer)))
process.stdout.write(
  `a turn at rest takes ${turn.toFixed(0)} µs; two idle spans add ${extra.toFixed(2)} µs, ${((100 * extra) / turn).toFixed(2)} %\n`,
)
