// Connections to other clusters: a write passes the fence of the operator's own cluster, and an error names the faulty
// connection.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { Fence } from '../../src/kube/fence.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { type ClusterConnection, loadClusterClients } from '../../src/operator/cluster-client-loader.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

const signal = new AbortController().signal
const clock = new SimClock()
/** Nothing listens there: every request that leaves this process fails as unreachable. */
const server = 'http://127.0.0.1:9'
const config = {
  'current-context': 'edge',
  contexts: [{ name: 'edge', context: { cluster: 'edge', user: 'edge' } }],
  clusters: [{ name: 'edge', cluster: { server } }],
  users: [{ name: 'edge', user: { token: 'opaque' } }],
}

function kubeconfig(): string {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-clusters-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'edge.kubeconfig')
  writeFileSync(path, JSON.stringify(config))
  return path
}

async function load(clusters: Readonly<Record<string, ClusterConnection>>, fence?: Fence) {
  const http = { clock, instruments: silentInstruments, userAgent: 'test', environment: {}, fence }
  const loaded = await loadClusterClients(clusters, http, signal)
  onTestFinished(async () => void (await loaded.close(signal)))
  return loaded.clients
}

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }

it('a write to another cluster is sent only while the fence is open', async () => {
  const fence = new Fence(clock)
  const { edge } = await load({ edge: { kubeconfig: kubeconfig() } }, fence)
  const write = () => edge?.apply(ConfigMap, object, { fieldManager: 'test', force: false }, signal)
  await expect(write()).rejects.toMatchObject({ code: 'NotLeader' })
  await expect(edge?.get(ConfigMap, object.metadata, signal)).rejects.toMatchObject({ code: 'Unreachable' })
  fence.openUntil(clock.monotonicMs() + 10_000)
  await expect(write()).rejects.toMatchObject({ code: 'Unreachable' })
  fence.close()
  await expect(write()).rejects.toMatchObject({ code: 'NotLeader' })
})

it.each([
  [
    'a file that is missing',
    { edge: { kubeconfig: 'absent.kubeconfig' } },
    /^cannot connect to cluster edge: there is no kubeconfig at/,
  ],
  [
    'a name that is no DNS label',
    { Edge_1: { kubeconfig: 'x' } },
    /^cannot connect to cluster Edge_1: its name is no DNS label/,
  ],
])('the error for a connection with %s names it', async (_, clusters, message) => {
  await expect(load(clusters)).rejects.toMatchObject({
    code: 'ClusterConnection',
    message: expect.stringMatching(message),
  })
})
