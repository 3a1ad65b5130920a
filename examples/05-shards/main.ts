// One replica of an operator whose replicas share the Websites: `node examples/05-shards/main.ts`, in any number of
// processes. Outside this repository the first import reads: from 'konverge'.
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
    sharding: { kind: 'hash' },
    // In a pod both follow from its environment.
    leaderElection: { leaseNamespace: environment['LEASE_NAMESPACE'] },
    http: environment['PORT'] === undefined ? undefined : { host: '127.0.0.1', port: Number(environment['PORT']) },
  },
  stop.signal,
)
