// Runnables: start, restart and stop.
import { expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import type { RunnableContext } from '../../src/index.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { startCluster } from '../../src/testing/index.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

function seen() {
  const metrics = new PrometheusMetrics()
  const lines: Readonly<Record<string, unknown>>[] = []
  const write = (text: string) => void lines.push(JSON.parse(text))
  const log = createLogger({ clock: new SimClock(), destination: { write } })
  return { metrics, lines, instruments: { ...silentInstruments, metrics, log } }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

it('a runnable runs until the operator stops, with its own field manager', async () => {
  const { instruments, metrics, lines } = seen()
  await using cluster = await startCluster({ controllers: [], instruments })
  const metadata = { namespace: 'default', name: 'report' }
  let hasEnded = false
  const run = async ({ client, signal, log }: RunnableContext) => {
    await client.apply(ConfigMap, { metadata, data: { text: 'first' } })
    log.info({ text: 'first' }, 'reported')
    await aborted(signal)
    hasEnded = true
  }
  const operator = cluster.start({ name: 'shop', runnables: [{ name: 'nightly', run }] })
  await cluster.advance(60_000)
  const found = await cluster.find(ConfigMap, 'default/report')
  expect(found?.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['shop-client:nightly'])
  expect(lines).toContainEqual(expect.objectContaining({ runnable: 'nightly', text: 'first', msg: 'reported' }))
  expect(await metrics.text()).toContain('runnable_active{runnable="nightly"} 1')
  expect(hasEnded).toBe(false)
  await operator.stop()
  expect(hasEnded).toBe(true)
  expect(await metrics.text()).toContain('runnable_active{runnable="nightly"} 0')
})

it('a failing runnable restarts after growing delays, is counted, and does not affect others', async () => {
  const { instruments, metrics, lines } = seen()
  await using cluster = await startCluster({ controllers: [], instruments })
  const beganMs: number[] = []
  let beats = 0
  const failing = async () => {
    beganMs.push(cluster.clock.monotonicMs())
    throw new Error('the broker is away')
  }
  const beating = async ({ signal }: RunnableContext) => {
    beats++
    await aborted(signal)
  }
  cluster.start({
    runnables: [
      { name: 'failing', run: failing },
      { name: 'beating', run: beating },
    ],
  })
  await cluster.advance(40_000)
  const delaysMs = beganMs.slice(1).map((ms, index) => ms - (beganMs[index] ?? 0))
  expect(delaysMs.length).toBeGreaterThanOrEqual(2)
  expect(delaysMs[0]).toBeGreaterThanOrEqual(5_000)
  expect(delaysMs[1]).toBeGreaterThanOrEqual(10_000)
  expect(beats).toBe(1)
  expect(await metrics.text()).toContain(`runnable_failures_total{runnable="failing"} ${beganMs.length}`)
  const told = {
    level: 'warn',
    runnable: 'failing',
    error: 'the broker is away',
    msg: 'the runnable failed; it is begun again',
  }
  expect(lines).toContainEqual(expect.objectContaining(told))
})

it('a runnable that returns is done', async () => {
  await using cluster = await startCluster({ controllers: [] })
  let runs = 0
  const run = async () => {
    runs++
  }
  cluster.start({ runnables: [{ name: 'once', run }] })
  await cluster.advance(600_000)
  expect(runs).toBe(1)
})

it('a runnable that ignores its signal is abandoned after 5 s', async () => {
  const { instruments, lines } = seen()
  await using cluster = await startCluster({ controllers: [], instruments })
  const operator = cluster.start({ runnables: [{ name: 'deaf', run: () => new Promise(() => {}) }] })
  await cluster.advance(1_000)
  await operator.stop()
  expect(lines).toContainEqual(expect.objectContaining({ level: 'error', runnables: ['deaf'] }))
})

it.each([
  { names: ['Nightly'], message: "a runnable has a DNS label as its name, and 'Nightly' is none" },
  { names: ['a', 'a'], message: "runnables have different names; rename one of those called 'a'" },
])('runnables need unique valid names: $names', async ({ names, message }) => {
  await using cluster = await startCluster({ controllers: [] })
  const runnables = names.map((name) => ({ name, run: async () => {} }))
  expect(() => cluster.start({ runnables })).toThrow(message)
})

it.each([{ namespaces: undefined }, { namespaces: ['default', 'shop'] }])(
  'a runnable gets the served namespaces %j',
  async ({ namespaces }) => {
    await using cluster = await startCluster({ controllers: [], ...(namespaces && { namespaces }) })
    const told: (readonly string[] | undefined)[] = []
    const run = async (context: RunnableContext) => void told.push(context.namespaces)
    const operator = cluster.start({ runnables: [{ name: 'nightly', run }] })
    await cluster.advance(1_000)
    expect(told).toEqual([namespaces])
    expect(operator.namespaces).toEqual(namespaces)
  },
)
