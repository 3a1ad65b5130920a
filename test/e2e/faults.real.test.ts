// What does the operator do when the cluster is not as it should be? A control plane of its own, because these tests break it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { KubectlObjects } from './kubectl-objects.ts'
import { operatorKubeconfig } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { installDefinitions, operatorWrites, Stores } from './stores.ts'

const image = 'valkey/valkey:8.0'
let cluster: ControlPlane
let kubeconfig: string
let operator: OperatorProcess | undefined

beforeAll(async () => {
  cluster = await startControlPlane({ kwok: { nodes: 2 }, auditLog: true })
  kubeconfig = await operatorKubeconfig(cluster)
})
afterEach(async () => {
  await operator?.stop()
  operator = undefined
})
afterAll(async () => await cluster.stop())

const startOperator = (kubeconfig: string, ...args: readonly string[]) => {
  operator = new OperatorProcess(kubeconfig, args)
  return operator
}

describe('an operator', () => {
  it('waits for a missing CRD, says so, and goes on when it appears', async () => {
    const running = startOperator(kubeconfig)
    await running.until('the reason why it is not ready', async () => {
      const { status, text } = await running.get('/readyz')
      return status === 503 && text.includes('install its CRD')
    })
    expect((await running.get('/healthz')).status).toBe(200)
    await installDefinitions(cluster)
    await running.ready()
    const stores = new Stores(new KubectlObjects(cluster), 'after-crd')
    await stores.createNamespace()
    await stores.apply({ name: 'late', spec: { image } })
    await stores.condition('late', 'Ready', 'True', 'AllReplicasReady')
  })

  it('lets a namespace go that is deleted with stores in it', async () => {
    const stores = new Stores(new KubectlObjects(cluster), 'to-be-deleted')
    await stores.createNamespace()
    await startOperator(kubeconfig).ready()
    await stores.apply({ name: 'gone', spec: { image } })
    await stores.condition('gone', 'Ready', 'True', 'AllReplicasReady')
    await cluster.kubectl('delete', 'namespace', stores.namespace, '--wait=false')
    await waitUntil({ what: 'the namespace to go', limitMs: 90_000, everyMs: 500 }, async () => {
      const { stdout } = await cluster.kubectl('get', 'namespace', stores.namespace, '--ignore-not-found')
      return stdout === ''
    })
  })

  // From here on the API server goes down and comes back, and the cluster's own controllers back off a little longer each time.
  it('goes on after the API server was restarted', async () => {
    const stores = new Stores(new KubectlObjects(cluster), 'after-restart')
    await stores.createNamespace()
    await startOperator(kubeconfig, '--namespaces', stores.namespace).ready()
    await stores.apply({ name: 'before', spec: { image } })
    await stores.condition('before', 'Ready', 'True', 'AllReplicasReady')
    await cluster.restartApiServer()
    await stores.apply({ name: 'after', spec: { image } })
    await stores.condition('after', 'Ready', 'True', 'AllReplicasReady', 120_000)
    await operator?.ready()
  })

  it('lists again after etcd was compacted, misses nothing, and writes nothing twice', async () => {
    const stores = new Stores(new KubectlObjects(cluster), 'after-compaction')
    await stores.createNamespace()
    await startOperator(kubeconfig, '--namespaces', stores.namespace).ready()
    await stores.apply({ name: 'kept', spec: { image } }, { name: 'changed', spec: { image } })
    await stores.allReady(60_000)
    const before = operatorWrites(await cluster.auditEvents()).length
    await cluster.compactEtcd()
    await stores.patch('kv', 'changed', { spec: { replicas: 2 } })
    await stores.condition('changed', 'Ready', 'True', 'AllReplicasReady', 120_000)
    await operator?.ready()
    const writes = operatorWrites(await cluster.auditEvents()).slice(before)
    expect(writes.filter(({ objectRef }) => objectRef?.name?.startsWith('kept') === true)).toEqual([])
  })

  it('says in one sentence which right it lacks, and recovers when it is granted', async () => {
    const { kubeconfigPath } = await cluster.createServiceAccountKubeconfig({ namespace: 'default', name: 'poor' })
    const stores = new Stores(new KubectlObjects(cluster), 'without-rights')
    await stores.createNamespace()
    const running = startOperator(kubeconfigPath, '--namespaces', stores.namespace, '--backoff', '1-5')
    await running.until('the missing right in /readyz', async () =>
      (await running.get('/readyz')).text.includes('may not'),
    )
    const { text } = await running.get('/readyz')
    expect(text).toMatch(
      /user "system:serviceaccount:default:poor" may not (list|watch) statefulsets\.apps in namespace without-rights/,
    )
    const read = ['get', 'list', 'watch']
    const write = [...read, 'create', 'patch', 'delete']
    const to = { namespace: 'default', serviceAccount: 'poor' }
    await cluster.grant({
      to,
      rules: [
        {
          apiGroups: ['data.konverge.dev'],
          resources: ['replicatedkvstores', 'replicatedkvstores/status'],
          verbs: write,
        },
        { apiGroups: [''], resources: ['pods', 'persistentvolumeclaims'], verbs: read },
        { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: read },
        { apiGroups: ['apps'], resources: ['statefulsets'], verbs: write },
        { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: write },
        { apiGroups: [''], resources: ['serviceaccounts'], verbs: write },
        // Services may be read, but not yet written.
        { apiGroups: [''], resources: ['services'], verbs: read },
      ],
    })
    await running.ready(90_000)
    await stores.apply({ name: 'poor', spec: { image } })
    const message = await stores.condition('poor', 'Degraded', 'True', 'Forbidden')
    expect(message).toMatch(
      /user "system:serviceaccount:default:poor" may not (create|patch) services in namespace without-rights/,
    )
    // The rest of the same resource, and of the operator, keeps working.
    expect(await stores.get('serviceaccount', 'poor')).toBeDefined()
    await cluster.grant({ to, rules: [{ apiGroups: [''], resources: ['services'], verbs: write }] })
    await stores.condition('poor', 'Ready', 'True', 'AllReplicasReady', 90_000)
  })

  it('with wrong credentials ends with one sentence', async () => {
    const kubeconfig = join(cluster.connection.folder, 'wrong.kubeconfig')
    const { url, caFile } = cluster.connection
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': caFile } }],
      users: [{ name: 'u', user: { token: 'not-a-token' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }
    await writeFile(kubeconfig, JSON.stringify(config))
    const running = startOperator(kubeconfig)
    expect((await running.exit()).code).toBe(1)
    expect(running.stderr).toMatch(/^konverge: .*credentials.*\n$/)
    expect(running.stderr).not.toContain('not-a-token')
  })

  it('without a cluster ends with one sentence', async () => {
    const own = await startControlPlane({ controllers: false })
    const kubeconfig = own.connection.kubeconfigPath
    await own.stopApiServer()
    try {
      const running = startOperator(kubeconfig)
      expect((await running.exit()).code).toBe(1)
      expect(running.stderr).toMatch(/^konverge: .*127\.0\.0\.1.*\n$/)
    } finally {
      await own.stop()
    }
  })

  it('ends in order although the API server is gone', async () => {
    const running = await startOperator(kubeconfig).ready()
    await cluster.stopApiServer()
    try {
      const exit = await running.stop()
      expect(exit.code).toBe(0)
      expect(exit.afterMs).toBeLessThan(10_000)
    } finally {
      await cluster.startApiServer()
    }
  })
})
