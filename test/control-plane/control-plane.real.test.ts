// Tests of the guarantees of the real control plane. They run in order on one control plane; the last ones stop it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { expectForgetting } from '../conformance/forgetting.ts'
import type { ControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import type { CommandOutcome } from './control-plane-client.ts'
import { isAlive } from './is-alive.ts'
import { waitUntil } from './wait-until.ts'

const buildLimitMs = 30 * 60_000
const testLimitMs = 600_000

describe('a real control plane', { timeout: testLimitMs }, () => {
  let controlPlane: ControlPlane

  beforeAll(async () => {
    controlPlane = await startControlPlane({ kwok: { nodes: 2 }, auditLog: true })
  }, buildLimitMs)
  afterAll(() => controlPlane?.stop())

  const succeeds = async (...args: readonly string[]) => outputOf(await controlPlane.kubectl(...args))

  it('has the Kubernetes version of the module', async () => {
    expect(await succeeds('version')).toMatch(/Server Version: v1\.36\./)
    expect(await succeeds('get', 'nodes', '-o', 'name')).toBe('node/node-0\nnode/node-1\n')
  })

  it('reports a failed command as an outcome', async () => {
    const outcome = await controlPlane.kubectl('get', 'pod', 'absent')
    expect(outcome.exitCode).toBe(1)
    expect(outcome.stderr).toContain('"absent" not found')
  })

  it('runs a StatefulSet with volumes until it is ready, and deletes it', async () => {
    await controlPlane.apply(statefulSet('store', 'kv:1'))
    await succeeds('rollout', 'status', 'statefulset/store', '--timeout=180s')
    expect(await succeeds('get', 'pods', '-l', 'app=store', '-o', 'jsonpath={.items[*].status.podIP}')).toMatch(
      /^10\.\S+ 10\.\S+$/,
    )
    expect(await succeeds('get', 'pvc', '-o', 'jsonpath={.items[*].status.phase}')).toBe('Bound Bound')
    expect(await succeeds('get', 'pvc', '-o', 'jsonpath={.items[0].spec.storageClassName}')).toBe('standard')
    await succeeds('delete', 'statefulset', 'store', '--timeout=180s')
    await succeeds('wait', 'pod', '-l', 'app=store', '--for=delete', '--timeout=180s')
  })

  it('records user, request and response in the audit log', async () => {
    const isTheDelete = async () =>
      (await controlPlane.auditEvents()).some(
        ({ verb, user, objectRef, responseStatus, userAgent }) =>
          verb === 'delete' &&
          user.username === 'admin' &&
          userAgent?.startsWith('kubectl/') === true &&
          objectRef?.resource === 'statefulsets' &&
          objectRef.name === 'store' &&
          responseStatus?.code === 200,
      )
    await waitUntil({ what: 'the delete in the audit log' }, isTheDelete)
    const users = (await controlPlane.auditEvents()).map(({ user }) => user.username)
    expect(users).toContain('system:serviceaccount:kube-system:statefulset-controller')
  })

  it('keeps a pod with a missing image in ImagePullBackOff', async () => {
    await controlPlane.apply(statefulSet('broken', 'kv:missing'))
    const reason = '{.status.containerStatuses[0].state.waiting.reason}'
    await waitUntil(
      { what: 'the first pod' },
      async () => (await controlPlane.kubectl('get', 'pod', 'broken-0')).exitCode === 0,
    )
    await succeeds('wait', 'pod/broken-0', `--for=jsonpath=${reason}=ImagePullBackOff`, '--timeout=180s')
    expect((await controlPlane.kubectl('rollout', 'status', 'statefulset/broken', '--timeout=2s')).exitCode).not.toBe(0)
    expect(
      await succeeds('get', 'statefulset', 'broken', '-o', 'jsonpath={.status.replicas} {.status.availableReplicas}'),
    ).toBe('1 0')
  })

  it('completes the pods of a Job', async () => {
    await succeeds('create', 'job', 'once', '--image=tool:1')
    await succeeds('wait', 'job/once', '--for=condition=Complete', '--timeout=180s')
  })

  it('expands a claim only if its class allows it', async () => {
    await controlPlane.apply(claim('growing', 'fast'), claim('fixed', 'standard'))
    await succeeds('wait', 'pvc/growing', 'pvc/fixed', '--for=jsonpath={.status.phase}=Bound', '--timeout=180s')
    const more = '{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}'
    await succeeds('patch', 'pvc', 'growing', '-p', more)
    await succeeds('wait', 'pvc/growing', '--for=jsonpath={.status.capacity.storage}=2Gi', '--timeout=180s')
    expect((await controlPlane.kubectl('patch', 'pvc', 'fixed', '-p', more)).stderr).toContain('forbidden')
  })

  it('has users without permissions, and grants them some', async () => {
    const asOperator = ['--kubeconfig', controlPlane.kubeconfigs.operator]
    expect((await controlPlane.kubectl('get', 'pods', ...asOperator)).stderr).toContain('User "operator" cannot list')
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]
    await controlPlane.grant({ to: 'operator', namespace: 'default', rules })
    await waitUntil(
      { what: 'the grant' },
      async () => (await controlPlane.kubectl('get', 'pods', ...asOperator)).exitCode === 0,
    )
    expect((await controlPlane.kubectl('get', 'pods', '-A', ...asOperator)).exitCode).toBe(1)

    const account = { namespace: 'default', name: 'reader', rules }
    const { kubeconfigPath, username } = await controlPlane.createServiceAccountKubeconfig(account)
    expect(await succeeds('auth', 'whoami', '--kubeconfig', kubeconfigPath)).toContain(username)
    await waitUntil(
      { what: 'the grant' },
      async () => (await controlPlane.kubectl('get', 'pods', '-A', '--kubeconfig', kubeconfigPath)).exitCode === 0,
    )
  })

  it('answers 410 to a watch and a paged list from before a compaction, and keeps working', async () => {
    const resourceVersion = await succeeds('get', 'job', 'once', '-o', 'jsonpath={.metadata.resourceVersion}')
    const watch = {
      method: 'GET',
      path: `/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`,
    } as const
    expect((await controlPlane.request(watch)).text).not.toContain('410')
    await expectForgetting({
      get: async (path) => {
        const { status, text } = await controlPlane.request({ method: 'GET', path })
        return { status, body: JSON.parse(text) as Json } // JSON of the server.
      },
      forget: () => controlPlane.compactEtcd(),
    })
    const { status, text } = await controlPlane.request(watch)
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })

    await controlPlane.apply(statefulSet('after', 'kv:1'))
    await succeeds('rollout', 'status', 'statefulset/after', '--timeout=180s')
  })

  it('leaves no process and no file behind', async () => {
    const { pids, folder } = controlPlane
    const volumes = (await succeeds('get', 'pv', '-o', 'jsonpath={.items[*].spec.hostPath.path}')).split(' ')
    expect(pids).toHaveLength(5)
    expect(volumes.length).toBeGreaterThanOrEqual(2)
    expect(volumes.every((path) => existsSync(path))).toBe(true)
    await controlPlane.stop()
    expect(pids.filter(isAlive)).toEqual([])
    expect([folder, ...volumes].filter((path) => existsSync(path))).toEqual([])
  })
})

// Programs from KUBEBUILDER_ASSETS have no lifeline.
describe.skipIf(process.env['KUBEBUILDER_ASSETS'] !== undefined)('a control plane whose test process is killed', () => {
  it('ends with that process, and leaves no file behind', { timeout: testLimitMs }, async () => {
    const orphan = await startInAnotherProcess()
    expect(orphan.pids.filter(isAlive)).toHaveLength(5)
    expect(orphan.files.filter((path) => existsSync(path))).toHaveLength(2)

    orphan.parent.kill('SIGKILL')
    await waitUntil({ what: 'the end of all programs' }, async () => !orphan.pids.some(isAlive))
    // The process that removes the files is none of the programs.
    await waitUntil({ what: 'the end of all files' }, async () => !orphan.files.some((path) => existsSync(path)))
  })

  it('leaves its files to the next start if its programs are killed too', { timeout: testLimitMs }, async () => {
    const orphan = await startInAnotherProcess()
    for (const pid of orphan.pids) process.kill(pid, 'SIGKILL')
    orphan.parent.kill('SIGKILL')
    await once(orphan.parent, 'exit')
    expect(orphan.files.filter((path) => existsSync(path))).toHaveLength(2)

    const next = await startControlPlane({ controllers: false })
    await next.stop()
    expect(orphan.files.filter((path) => existsSync(path))).toEqual([])
  })
})

/**
 * Starts a control plane in a process that only this function knows; `files` are its folder and the one of its volume.
 */
async function startInAnotherProcess() {
  const script = `
    import { startControlPlane } from ${JSON.stringify(join(import.meta.dirname, 'control-plane.ts'))}
    const controlPlane = await startControlPlane({ kwok: { nodes: 1 } })
    await controlPlane.apply(${JSON.stringify(claim('left', 'standard'))})
    await controlPlane.kubectl('wait', 'pvc/left', '--for=jsonpath={.status.phase}=Bound', '--timeout=180s')
    const { stdout } = await controlPlane.kubectl('get', 'pv', '-o', 'jsonpath={.items[0].spec.hostPath.path}')
    console.log(JSON.stringify({ pids: controlPlane.pids, files: [controlPlane.folder, stdout] }))
  `
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string]
  const { pids, files } = JSON.parse(line) as { readonly pids: readonly number[]; readonly files: readonly string[] }
  return { parent, pids, files }
}

function statefulSet(name: string, image: string): object {
  const volumeMounts = [{ name: 'data', mountPath: '/data' }]
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: 2,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'kv', image, volumeMounts }] },
      },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    },
  }
}

const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }

function claim(name: string, storageClassName: string): object {
  const spec = { ...claimSpec, storageClassName }
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace: 'default' }, spec }
}

function outputOf({ stdout, stderr, exitCode }: CommandOutcome): string {
  expect(exitCode, stderr).toBe(0)
  return stdout
}
