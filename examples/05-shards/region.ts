// Shard of an operator that manages the Websites of one region: `node examples/05-shards/region.ts`. Outside this
// repository the first import reads: from 'konverge'.
import process from 'node:process'
import { runOperator } from '../../src/index.ts'
import { website } from '../01-minimal/website.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { env: environment, stdout: output } = process
await runOperator(
  {
    name: 'websites',
    controllers: [website],
    environment,
    output,
    userAgent: 'websites/1.0.0',
    sharding: { kind: 'selection', name: 'eu' },
    labelSelector: 'region=eu',
    http: environment['PORT'] === undefined ? undefined : { host: '127.0.0.1', port: Number(environment['PORT']) },
  },
  stop.signal,
)
