// Process that starts a cluster as a test does, answers one request and reports it: bench/apiserver/start.ts waits for
// it.
import { writeSync } from 'node:fs'
import { startCluster } from 'konverge/testing'

const cluster = await startCluster()
const { status } = await cluster.server.answer({
  method: 'GET',
  path: '/api/v1/namespaces',
  query: new URLSearchParams(),
  header: (name) => (name === 'authorization' ? 'Bearer admin' : undefined),
  body: '',
})
writeSync(1, `${status}\n`)
await cluster.stop()
