// Operator of the endurance run, as a separate process: `node --expose-gc operator.ts <kubeconfig>`. It answers each
// message `sample` or `collect` with its figures; `collect` forces a garbage collection first.
import { strict as assert } from 'node:assert'
import process from 'node:process'
import { runOperator } from '../../src/index.ts'
import { type HeldLoop, HeldLoopMeter } from '../held-loop.ts'
import { sites } from './fleet.ts'

export interface Sample extends HeldLoop {
  readonly heapBytes: number
  readonly rssBytes: number
}

const [kubeconfig = ''] = process.argv.slice(2)
const { gc } = globalThis
assert(gc !== undefined, 'run with --expose-gc')
let meter = await HeldLoopMeter.start()
const stop = new AbortController()
process.on('disconnect', () => stop.abort(new Error('the bench has ended')))
process.on('message', (message) => void answer(message === 'collect'))

async function answer(collects: boolean): Promise<void> {
  const held = await meter.take()
  if (collects) {
    // A forced collection blocks the loop and does not count.
    meter.stop()
    gc?.()
    meter = await HeldLoopMeter.start()
  }
  const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage()
  const sample: Sample = { ...held, heapBytes, rssBytes }
  process.send?.(sample)
}

await runOperator(
  {
    name: 'endurance',
    controllers: [sites],
    environment: process.env,
    output: { write: (text) => isWorthALine(text) && process.stderr.write(text) },
    userAgent: 'endurance/1.0.0',
    kubeconfig,
    http: { host: '127.0.0.1', port: 0 },
    metrics: { kind: 'off' },
    leaderElection: { enabled: false },
    maxConcurrent: 16,
  },
  stop.signal,
)
meter.stop()

/** The run itself cuts watches. */
function isWorthALine(text: string): boolean {
  return /"level":"?(error|fatal|50|60)/.test(text)
}
