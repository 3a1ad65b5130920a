// Other users of the machine that runs a local node. They can read no Secret, token or log of a pod, and write no file
// that a pod or the node reads.
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { newServerIdentity, type ServerIdentity } from '../../src/base/server-identity.ts'
import { valueAt } from '../../src/object/object.ts'
import { machineUserAttempts } from '../adversary/attempts/machine-user.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { secretText } from '../taint/secret-text.ts'
import { LocalCluster } from './local-cluster.ts'
import { canBeStranger, openToOthers, reachedByStranger } from './strangers.ts'

/** User of the second pod, if the node can choose: neither the node's user nor the stranger. */
const otherUser = 54_321
const pods = canBeStranger ? ['plain', 'other'] : ['plain']

let cluster: LocalCluster

beforeAll(async () => {
  cluster = await LocalCluster.start()
  const { namespace } = cluster
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'key' },
    stringData: { password: secretText('hidden') },
  })
  for (const name of pods) {
    await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name }, spec: podSpec(name) })
    await waitUntil(
      { what: `the files of pod ${name}`, everyMs: 100 },
      async () => (await cluster.log(name)) === 'written\n',
    )
  }
})

afterAll(() => cluster?.stop())

/** Mounts a Secret and a token, writes to an emptyDir, its own folder and its termination log, and keeps running. */
function podSpec(name: string) {
  const script = `set -e
    cat "$KONVERGE_ROOT/secret/password" "$KONVERGE_ROOT/var/run/secrets/kubernetes.io/serviceaccount/token" > /dev/null
    echo data > "$KONVERGE_ROOT/data/rows"; echo own > "$KONVERGE_ROOT/own"; echo end > "$KONVERGE_ROOT/dev/termination-log"
    echo written; exec sleep 1000`
  const mounts = [
    { name: 'secret', mountPath: '/secret' },
    { name: 'data', mountPath: '/data' },
  ]
  const main = { name: 'main', image: 'konverge-test/node:1', command: ['/bin/sh', '-c', script], volumeMounts: mounts }
  return {
    nodeSelector: { 'kubernetes.io/hostname': 'local' },
    terminationGracePeriodSeconds: 1,
    ...(name === 'other' ? { securityContext: { runAsUser: otherUser } } : {}),
    volumes: [
      { name: 'secret', secret: { secretName: 'key' } },
      { name: 'data', emptyDir: {} },
    ],
    containers: [main],
  }
}

describe('another user of the machine', () => {
  it(`${machineUserAttempts.podFiles.does}: ${machineUserAttempts.podFiles.sentence}`, () => {
    const files = readdirSync(cluster.nodeFolder, { recursive: true, encoding: 'utf8' }).join('\n')
    for (const file of ['password', 'token', 'termination-log', 'rows']) expect(files).toContain(file)
    expect(openToOthers(cluster.nodeFolder)).toEqual([])
    // Only root can start a process as another user; otherwise, the test checks the modes.
    if (canBeStranger) expect(reachedByStranger(cluster.nodeFolder)).toEqual([])
  })
})

describe('the port for logs', () => {
  const stranger = newServerIdentity({ commonName: 'kube-apiserver', hosts: [], nowMs: systemClock.now() })

  it.each([
    ['without a certificate', undefined],
    ['with a certificate of its own', stranger],
  ])(`${machineUserAttempts.logs.does}: ${machineUserAttempts.logs.sentence} (%s)`, async (_title, identity) => {
    expect(await statusOf(`/containerLogs/${cluster.namespace}/plain/main`, identity)).toBe(401)
    expect(await statusOf('/exec/shop/plain/main', identity)).toBe(401)
    expect(await statusOf('/nothing', identity)).toBe(401)
  })

  it('serves the API server', async () => {
    expect(await cluster.log('plain')).toBe('written\n')
  })
})

async function statusOf(path: string, identity: ServerIdentity | undefined): Promise<number | undefined> {
  const node = await cluster.objectThat({ kind: 'Node', name: 'local' }, 'there', () => true)
  const port = Number(valueAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port'))
  const shown = identity === undefined ? {} : { key: identity.key, cert: identity.certificate }
  const agent = new Agent({ rejectUnauthorized: false, ...shown })
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
      .once('error', reject)
      .end()
  })
}
