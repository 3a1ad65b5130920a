// Operator of the DnsRecord controller: `node examples/03-external/main.ts`; ZONE names the folder of the zone. Outside
// this repository the first import reads: from 'konverge'.
import process from 'node:process'
import { runOperator } from '../../src/index.ts'
import { DirectoryZone } from './directory-zone.ts'
import { dnsRecordController } from './dns-record.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { env: environment, stdout: output } = process
// In a pod the kubelet probes the pod's address, port 8080, where runOperator serves by default.
const http = environment['PORT'] === undefined ? undefined : { host: '127.0.0.1', port: Number(environment['PORT']) }
const zone = new DirectoryZone(environment['ZONE'] ?? 'zone')
const controllers = [dnsRecordController(zone)]
await runOperator(
  { name: 'dns-records', controllers, environment, output, userAgent: 'dns-records/1.0.0', http },
  stop.signal,
)
