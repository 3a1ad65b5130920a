// Operator of the Storefront controller: `EDGE_KUBECONFIG=edge.kubeconfig node examples/multi-cluster/main.ts`.
// KUBECONFIG names the hub cluster. Outside this repository the first import reads: from 'konverge'.
import process from 'node:process'
import { runOperator } from '../../src/index.ts'
import { storefront } from './storefront.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { env: environment, stdout: output } = process
const http = environment['PORT'] === undefined ? undefined : { host: '127.0.0.1', port: Number(environment['PORT']) }
const clusters = { edge: { kubeconfig: environment['EDGE_KUBECONFIG'] ?? 'edge.kubeconfig' } }
await runOperator(
  {
    name: 'storefronts',
    controllers: [storefront],
    clusters,
    environment,
    output,
    userAgent: 'storefronts/1.0.0',
    http,
  },
  stop.signal,
)
