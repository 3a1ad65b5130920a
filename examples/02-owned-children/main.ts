// The operator of the Wiki controller: `node examples/02-owned-children/main.ts`. Outside this repository the first import reads:
// from 'konverge'.
import process from 'node:process'
import { runOperator } from '../../src/index.ts'
import { wiki } from './wiki.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { env: environment, stdout: output } = process
// In a pod the kubelet probes the pod's address, port 8080, where runOperator serves by default.
const http = environment['PORT'] === undefined ? undefined : { host: '127.0.0.1', port: Number(environment['PORT']) }
await runOperator(
  { name: 'wikis', controllers: [wiki], environment, output, userAgent: 'wikis/1.0.0', http },
  stop.signal,
)
