// Can the operator do its work under exactly the roles that `konverge install` prints, and does it need all of them? On a
// cluster that asks for more than most: no initial events in watches, and owner references only by who may set them.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { konverge } from '../cli/konverge.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { KubectlObjects } from './kubectl-objects.ts'
import { printedManifests, refusalsOf, requestsOf } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { requestOf } from './real-story-server.ts'
import { type Manifest, manifestsIn, operatorNamespace, rightsIn, rightsUsed, rulesWithout } from './rights.ts'
import { Stores } from './stores.ts'

const image = 'valkey/valkey:8.0'

/** Asked for in passing, by a request that the audit log calls by another name. */
const tacit = [
  'create serviceaccounts',
  'create services',
  'create statefulsets.apps',
  'create poddisruptionbudgets.policy',
  'update replicatedkvstores/finalizers.data.konverge.dev',
]

describe('the roles of an operator for all namespaces', () => {
  let cluster: ControlPlane
  let stores: Stores
  let printed: string
  let manifests: readonly Manifest[]
  let operator: OperatorProcess | undefined
  const start = async () => {
    const { kubeconfigPath } = await cluster.serviceAccountKubeconfig({
      namespace: operatorNamespace,
      name: 'konverge',
    })
    operator = await new OperatorProcess(kubeconfigPath, [
      '--backoff',
      '1-2',
      '--leader-elect',
      '--lease-namespace',
      operatorNamespace,
    ]).ready()
  }
  const stop = async () => {
    await operator?.stop()
    operator = undefined
  }

  beforeAll(async () => {
    cluster = await startControlPlane({
      kwok: { nodes: 2 },
      auditLog: true,
      apiServerFlags: [
        '--feature-gates=WatchList=false',
        '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
      ],
    })
    stores = new Stores(new KubectlObjects(cluster), 'shop')
    await stores.createNamespace()
    printed = await printedManifests()
    manifests = manifestsIn(printed)
  })
  afterAll(async () => {
    await stop()
    await cluster?.stop()
  })

  it('come with all else that the operator needs, and installing again changes nothing', async () => {
    const file = join(cluster.folder, 'install.yaml')
    await writeFile(file, printed)
    const kubectl = async (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await cluster.kubectl(...args)
      expect(exitCode, stderr).toBe(0)
      return stdout
    }
    const versions = async () =>
      await kubectl(
        'get',
        '-f',
        file,
        '-o',
        'jsonpath={range .items[*]}{.metadata.resourceVersion} {.kind} {.metadata.name}{"\\n"}{end}',
      )
    await kubectl('apply', '--server-side', '-f', file)
    await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd/replicatedkvstores.data.konverge.dev')
    // That the pods come at all shows that they are as restricted as the namespace demands.
    await kubectl('-n', operatorNamespace, 'rollout', 'status', 'deployment/konverge', '--timeout=60s')
    await kubectl(
      '-n',
      operatorNamespace,
      'wait',
      '--for=jsonpath={.status.currentHealthy}=2',
      'pdb/konverge',
      '--timeout=60s',
    )
    const before = await versions()
    expect(before.trim().split('\n')).toHaveLength(manifests.length)
    await kubectl('apply', '--server-side', '-f', file)
    expect(await versions()).toBe(before)
  })

  it('let it create, scale, change, prune and delete, and nothing is refused', async () => {
    await start()
    await stores.apply({ name: 'cart', spec: { image, replicas: 2, storageClassName: 'fast' } })
    await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
    await leaveBehind(cluster, stores, 'cart')
    for (const kind of ['service', 'serviceaccount']) {
      await waitUntil(
        { what: `the ${kind} of an earlier version to be pruned`, limitMs: 30_000 },
        async () => (await stores.get(kind, 'cart-of-old')) === undefined,
      )
    }
    // A rollout that gets stuck, and is mended.
    await stores.patch('kv', 'cart', { spec: { image: 'kv:missing' } })
    await stores.condition('cart', 'Ready', 'False', 'ImagePullFailed', 90_000)
    await stores.patch('kv', 'cart', { spec: { image: 'valkey/valkey:8.1' } })
    await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
    await stores.patch('kv', 'cart', { spec: { storage: { size: '2Gi' } } })
    await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
    await stores.patch('kv', 'cart', { spec: { replicas: 1 } })
    await waitUntil(
      { what: 'the PodDisruptionBudget to go', limitMs: 30_000 },
      async () => (await stores.get('pdb', 'cart')) === undefined,
    )
    await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
    await stores.delete('kv', 'cart')
    await stop()
    expect(await refusalsOf(cluster, operatorNamespace)).toEqual([])
  })

  it('let it tell that it may not let a resource go, again and again', async () => {
    await start()
    await stores.apply({ name: 'held', spec: { image } })
    await stores.condition('held', 'Ready', 'True', 'AllReplicasReady')
    await withoutRight('patch replicatedkvstores.data.konverge.dev', async () => {
      await stores.startDelete('kv', 'held')
      const message = await stores.condition('held', 'Degraded', 'True', 'Forbidden')
      expect(message).toContain('may not patch replicatedkvstores.data.konverge.dev')
    })
    await waitUntil(
      { what: 'the store to go', limitMs: 30_000 },
      async () => (await stores.store('held')) === undefined,
    )
    // What was repeated and not yet written is written now.
    await stop()
  })

  it.each(tacit)('are not enough without %s, and a store says so', async (right) => {
    if (operator === undefined) await start()
    const name = `tacit-${tacit.indexOf(right)}`
    await withoutRight(right, async () => {
      await stores.apply({ name, spec: { image, replicas: 2 } })
      const message = await stores.condition(name, 'Degraded', 'True', 'Forbidden')
      expect(message).toContain(right.startsWith('create') ? `may not ${right}` : "can't set finalizers on")
    })
    await stores.condition(name, 'Ready', 'True', 'AllReplicasReady')
  })

  it('hold nothing to spare: every other right has been used', async () => {
    await stop()
    const used = rightsUsed((await requestsOf(cluster, operatorNamespace)).map(requestOf))
    expect(rightsIn(manifests).filter((right) => !used.has(right) && !tacit.includes(right))).toEqual([])
  })

  /** Takes a right away for as long as `use` takes. */
  async function withoutRight(right: string, use: () => Promise<void>): Promise<void> {
    const name = `${operatorNamespace}:konverge`
    const rules = manifests.find(({ kind }) => kind === 'ClusterRole')?.rules ?? []
    const set = (to: object) =>
      cluster.kubectl('patch', 'clusterrole', name, '--type=merge', '-p', JSON.stringify({ rules: to }))
    const fewer = rulesWithout(rules, right)
    expect(rightsIn([{ kind: 'ClusterRole', metadata: { name }, rules: fewer }])).not.toContain(right)
    await set(fewer)
    try {
      await use()
    } finally {
      await set(rules)
    }
  }
})

describe('the roles of an operator for some namespaces', () => {
  const cluster = attachToControlPlane()
  const namespace = 'confined-system'
  const first = new Stores(new KubectlObjects(cluster), 'confined-a')
  const second = new Stores(new KubectlObjects(cluster), 'confined-b')
  const namespaces = ['--namespaces', `${first.namespace},${second.namespace}`]
  const install = () =>
    konverge(['install', '--kubeconfig', cluster.kubeconfigPath, '--namespace', namespace, ...namespaces])

  it('are installed without kubectl once the namespaces exist, and installing again changes nothing', async () => {
    await first.createNamespace()
    expect(await install()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^konverge: .*confined-b.* not found.*\n$/),
    })
    await second.createNamespace()
    const installed = await install()
    expect(installed).toMatchObject({ exitCode: 0, stderr: '' })
    expect(installed.stdout).toMatch(/^applied CustomResourceDefinition .*\n(applied .*\n)+$/)
    const rolesOf = async () => {
      const flags = ['-l', 'konverge.dev/operator', '-o', 'yaml', '--show-managed-fields']
      return (await cluster.kubectl('get', 'clusterrole,role,rolebinding,service', '-A', ...flags)).stdout
    }
    const before = await rolesOf()
    expect((await install()).stdout).toBe(installed.stdout)
    expect(await rolesOf()).toBe(before)
  })

  it('are not installed over what somebody else has set', async () => {
    const image = '{"spec":{"template":{"spec":{"containers":[{"name":"operator","image":"theirs:1"}]}}}}'
    const theirs = ['--field-manager=their-tool', '--type=strategic', '-p', image]
    const patched = await cluster.kubectl('-n', namespace, 'patch', 'deployment', 'konverge', ...theirs)
    expect(patched.exitCode, patched.stderr).toBe(0)
    const refused = await install()
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toMatch(/^konverge: apply Deployment confined-system\/konverge.*their-tool.*image.*\n$/)
  })

  it('are enough in these, and give nothing in others', async () => {
    const { kubeconfigPath } = await cluster.serviceAccountKubeconfig({ namespace, name: 'konverge' })
    const operator = await new OperatorProcess(kubeconfigPath, [
      ...namespaces,
      '--leader-elect',
      '--lease-namespace',
      namespace,
    ]).ready()
    try {
      for (const stores of [first, second]) {
        await stores.apply({ name: 'inside', spec: { image, storageClassName: 'standard' } })
        await stores.condition('inside', 'Ready', 'True', 'AllReplicasReady')
        await stores.delete('kv', 'inside')
      }
    } finally {
      await operator.stop()
    }
    expect(await refusalsOf(cluster, namespace)).toEqual([])
    const subject = `--as=system:serviceaccount:${namespace}:konverge`
    const may = async (where: string) =>
      (await cluster.kubectl('auth', 'can-i', 'list', 'services', '-n', where, subject)).stdout
    expect(await may(first.namespace)).toBe('yes\n')
    expect(await may('default')).toBe('no\n')
  })
})

/** A Service and a ServiceAccount as an earlier version of the operator would have left them. */
async function leaveBehind(cluster: ControlPlaneClient, stores: Stores, name: string): Promise<void> {
  const { metadata } = (await stores.store(name)) ?? {}
  const service = await stores.get<{ metadata: { labels: object; ownerReferences: object } }>('service', name)
  expect(service).toBeDefined()
  const { labels, ownerReferences } = service?.metadata ?? {}
  const of = (kind: string, more: object) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: `${name}-of-old`, namespace: stores.namespace, labels, ownerReferences },
    ...more,
  })
  const old = [of('Service', { spec: { ports: [{ port: 80 }] } }), of('ServiceAccount', {})]
  const file = join(cluster.folder, `${metadata?.uid}.json`)
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: old }))
  const outcome = await cluster.kubectl('apply', '--server-side', '--field-manager=konverge', '-f', file)
  expect(outcome.exitCode, outcome.stderr).toBe(0)
}
