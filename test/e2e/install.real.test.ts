// The operator works under exactly the roles that `konverge install` prints, and needs all of them. The real cluster is
// stricter than most: watches send no initial events, and an admission plugin (OwnerReferencesPermissionEnforcement)
// guards owner references.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { konverge } from '../cli/konverge.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { KubectlObjects } from './kubectl-objects.ts'
import { printedManifests, refusalsOf } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { OwnRealServer } from './real-story-server.ts'
import { type Manifest, manifestsIn, operatorNamespace } from './rights.ts'
import { Stores } from './stores.ts'
import { describeRoles } from './stories/roles.ts'
import { tacitRights } from './tacit-rights.ts'

const image = 'valkey/valkey:8.0'
let manifests: readonly Manifest[] = []

describeRoles({
  start: async () => {
    const cluster = await startControlPlane({
      kwok: { nodes: 2 },
      auditLog: true,
      apiServerFlags: [
        '--feature-gates=WatchList=false',
        '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
      ],
    })
    await installTwice(cluster)
    return new OwnRealServer(cluster)
  },
  manifests: () => manifests,
  tacit: [...tacitRights, 'update replicatedkvstores/finalizers.data.konverge.dev'],
  // On this server the operator uses every right, also the lists.
  unusable: /^$/,
})

/** Installs twice: the roles and the rest of the manifests. The second install changes nothing. */
async function installTwice(cluster: ControlPlane): Promise<void> {
  const printed = await printedManifests()
  manifests = manifestsIn(printed)
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
  await kubectl('wait', '--for=condition=Established', '--timeout=180s', 'crd/replicatedkvstores.data.konverge.dev')
  // Pods are created only if they meet the restricted level of the namespace.
  await kubectl('-n', operatorNamespace, 'rollout', 'status', 'deployment/konverge', '--timeout=180s')
  await kubectl(
    '-n',
    operatorNamespace,
    'wait',
    '--for=jsonpath={.status.currentHealthy}=2',
    'pdb/konverge',
    '--timeout=180s',
  )
  const before = await versions()
  expect(before.trim().split('\n')).toHaveLength(manifests.length)
  await kubectl('apply', '--server-side', '-f', file)
  expect(await versions()).toBe(before)
}

describe('the roles of an operator for some namespaces', () => {
  const cluster = attachToControlPlane()
  const namespace = 'confined-system'
  const first = new Stores(new KubectlObjects(cluster), 'confined-a')
  const second = new Stores(new KubectlObjects(cluster), 'confined-b')
  const namespaces = ['--namespaces', `${first.namespace},${second.namespace}`]
  const install = () =>
    konverge(['install', '--kubeconfig', cluster.kubeconfigPath, '--namespace', namespace, ...namespaces])

  it('install without kubectl once the namespaces exist, and a second install changes nothing', async () => {
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

  it('are not installed over the fields of another field manager', async () => {
    const image = '{"spec":{"template":{"spec":{"containers":[{"name":"operator","image":"theirs:1"}]}}}}'
    const theirs = ['--field-manager=their-tool', '--type=strategic', '-p', image]
    const patched = await cluster.kubectl('-n', namespace, 'patch', 'deployment', 'konverge', ...theirs)
    expect(patched.exitCode, patched.stderr).toBe(0)
    const refused = await install()
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toMatch(/^konverge: apply Deployment confined-system\/konverge.*their-tool.*image.*\n$/)
  })

  it('suffice in these namespaces, and give no right in others', async () => {
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
