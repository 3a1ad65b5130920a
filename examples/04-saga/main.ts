// Operator of the Archive controller: `node examples/04-saga/main.ts`; ROOT names the parent of the folders. Outside
// this repository the first import reads: from 'konverge'.
import process from 'node:process'
import { runOperator } from '../../src/index.ts'
import { archiveController } from './archive.ts'
import { DirectoryFiles } from './directory-files.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { env: environment, stdout: output } = process
// In a pod the kubelet probes the pod's address, port 8080, where runOperator serves by default.
const http = environment['PORT'] === undefined ? undefined : { host: '127.0.0.1', port: Number(environment['PORT']) }
const files = new DirectoryFiles(environment['ROOT'] ?? 'archives')
const controllers = [archiveController(files)]
await runOperator(
  { name: 'archives', controllers, environment, output, userAgent: 'archives/1.0.0', http },
  stop.signal,
)
