// The operator of the Website controller: `node examples/01-minimal/main.ts`. Outside this repository the first import reads:
// from 'konverge'.
import process from 'node:process'
import { runOperator } from '../../src/index.ts'
import { website } from './website.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { env: environment, stdout: output } = process
// In a pod the kubelet asks at the pod's address, port 8080, as runOperator serves it by default.
const http = environment['PORT'] === undefined ? undefined : { host: '127.0.0.1', port: Number(environment['PORT']) }
await runOperator(
  { name: 'websites', controllers: [website], environment, output, userAgent: 'websites/1.0.0', http },
  stop.signal,
)
