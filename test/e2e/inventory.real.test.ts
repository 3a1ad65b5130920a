// Does the inventory hold on a real API server? What an older operator made is found again by a newer one, nothing else is
// touched, a deletion reaches everywhere, and kubectl reads the same ApplySet.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Controller, LiveObject } from '../../src/index.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { farNamespace, homeNamespace, ShelfOperator, shelfDefinition, versionOne, versionTwo } from './shelves.ts'

const cluster = attachToControlPlane()
const kinds = 'applyset.kubernetes.io/contains-group-kinds'
const namespaces = 'applyset.kubernetes.io/additional-namespaces'
const tooling = 'applyset.kubernetes.io/tooling'
let operator: ShelfOperator | undefined

async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await cluster.kubectl(...args)
  if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
  return stdout
}

async function find(kind: string, name: string, namespace = homeNamespace): Promise<LiveObject | undefined> {
  const text = await kubectl('-n', namespace, 'get', kind, name, '-o', 'json', '--ignore-not-found')
  return text === '' ? undefined : (JSON.parse(text) as LiveObject)
}

const exists = async (kind: string, name: string, namespace = homeNamespace) =>
  (await find(kind, name, namespace)) !== undefined
const shelf = async (name: string) => await find('shelves', name)
const until = async (what: string, isSo: () => Promise<boolean>) =>
  await waitUntil({ what, limitMs: 60_000, everyMs: 200 }, isSo)

async function run(controller: Controller, userAgent: string): Promise<void> {
  await operator?.stop()
  operator = new ShelfOperator(cluster.connection.kubeconfigPath, controller, userAgent)
}

async function make(name: string): Promise<void> {
  const metadata = { name, namespace: homeNamespace }
  await cluster.apply({ apiVersion: 'inventory.example.dev/v1', kind: 'Shelf', metadata, spec: {} })
}

/** Version 1 has made everything of the shelf, and tells so. */
async function settledByVersionOne(name: string): Promise<void> {
  await run(versionOne, 'shelves-one/1')
  await make(name)
  await until(`the children of ${name}`, async () => {
    const made = await Promise.all([
      exists('secret', `${name}-login`),
      exists('secret', `${name}-kept`),
      exists('secret', `${name}-far`, farNamespace),
      exists('storageclass', `${name}-disk`),
      exists('pvc', `${name}-data`),
      exists('service', name),
      exists('configmap', `${name}-pages`),
    ])
    return made.every((isMade) => isMade)
  })
}

async function isSettledByVersionTwo(name: string): Promise<boolean> {
  return (await shelf(name))?.metadata.annotations?.[kinds] === 'ConfigMap,PersistentVolumeClaim,Service'
}

beforeAll(async () => {
  const namespaced = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await cluster.apply(shelfDefinition, namespaced(homeNamespace), namespaced(farNamespace))
  await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd/shelves.inventory.example.dev')
})
afterEach(async () => {
  await operator?.stop()
  operator = undefined
})
afterAll(async () => {
  // Nobody is left to take the finalizers off.
  const names = (await kubectl('-n', homeNamespace, 'get', 'shelves', '-o', 'name'))
    .split('\n')
    .filter((name) => name !== '')
  for (const name of names)
    await kubectl('-n', homeNamespace, 'patch', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
  await kubectl(
    'delete',
    'crd/shelves.inventory.example.dev',
    `namespace/${homeNamespace}`,
    `namespace/${farNamespace}`,
    '--wait=false',
  )
})

describe('a newer operator', () => {
  it('prunes the kinds that it no longer makes, here, elsewhere and in no namespace, and leaves everything else', async () => {
    await settledByVersionOne('upgraded')
    expect((await shelf('upgraded'))?.metadata.annotations).toMatchObject({
      [kinds]: 'ConfigMap,PersistentVolumeClaim,Secret,Service,StorageClass.storage.k8s.io',
      [namespaces]: farNamespace,
    })
    await operator?.stop()
    const login = await find('secret', 'upgraded-login')
    const { labels, annotations } = login?.metadata ?? {}
    const owner = await find('configmap', 'kube-root-ca.crt')
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid: owner?.metadata.uid }
    const secret = (name: string, more: object) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: homeNamespace, labels, annotations, ...more },
    })
    await cluster.apply(
      secret('copied-by-hand', {}),
      secret('copied-elsewhere', { namespace: farNamespace }),
      secret('owned-by-another', { ownerReferences: [{ ...reference, controller: true }] }),
    )
    const untouched = async () =>
      await Promise.all([
        find('secret', 'upgraded-kept'),
        find('secret', 'copied-by-hand'),
        find('secret', 'copied-elsewhere', farNamespace),
        find('secret', 'owned-by-another'),
        find('service', 'upgraded'),
        find('configmap', 'upgraded-pages'),
      ])
    const before = await untouched()
    expect(before).not.toContain(undefined)

    await run(versionTwo, 'shelves-two/1')
    await until('the inventory to shrink', async () => await isSettledByVersionTwo('upgraded'))
    expect((await shelf('upgraded'))?.metadata.annotations).not.toHaveProperty([namespaces])
    expect(await exists('secret', 'upgraded-login')).toBe(false)
    expect(await exists('secret', 'upgraded-far', farNamespace)).toBe(false)
    expect(await exists('storageclass', 'upgraded-disk')).toBe(false)
    expect(await untouched()).toEqual(before)
  })

  it('asks nothing about them any more, also after a restart', async () => {
    await run(versionTwo, 'shelves-rest/1')
    await make('witness')
    await until('another shelf to be made', async () => await exists('service', 'witness'))
    const asked = (await cluster.auditEvents()).filter(isRequestOf('shelves-rest/')).map(requestText)
    expect(asked.filter((request) => request.includes('secrets') || request.includes('storageclasses'))).toEqual([])
    expect(asked.filter((request) => request.includes('upgraded'))).toEqual([])
  })
})

describe('a deletion', () => {
  it('takes children everywhere, and keeps claims and what is to be retained', async () => {
    await settledByVersionOne('deleted')
    await kubectl('-n', homeNamespace, 'delete', 'shelf', 'deleted', '--timeout=60s')
    expect(await exists('secret', 'deleted-far', farNamespace)).toBe(false)
    expect(await exists('storageclass', 'deleted-disk')).toBe(false)
    await until('the garbage collector', async () => !(await exists('secret', 'deleted-login')))
    expect(await exists('secret', 'deleted-kept')).toBe(true)
    expect((await find('pvc', 'deleted-data'))?.metadata.deletionTimestamp).toBeUndefined()
  })

  it('by a newer operator takes what only the older one made, and says what it waits for', async () => {
    await settledByVersionOne('late')
    await operator?.stop()
    const hold = { metadata: { finalizers: ['inventory.example.dev/hold'] } }
    await kubectl('-n', farNamespace, 'patch', 'secret', 'late-far', '--type=merge', '-p', JSON.stringify(hold))
    await kubectl('-n', homeNamespace, 'delete', 'shelf', 'late', '--wait=false')
    await run(versionTwo, 'shelves-two/1')
    await until('the reason why it waits', async () => {
      const { conditions = [] } = ((await shelf('late'))?.status ?? {}) as { conditions?: { message: string }[] }
      return conditions.some(({ message }) =>
        message.includes(`Secret ${farNamespace}/late-far: finalizer inventory.example.dev/hold`),
      )
    })
    expect(await exists('storageclass', 'late-disk')).toBe(false)
    await kubectl(
      '-n',
      farNamespace,
      'patch',
      'secret',
      'late-far',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    )
    await until('the shelf to go', async () => !(await exists('shelf', 'late')))
    expect(await exists('secret', 'late-far', farNamespace)).toBe(false)
    expect(await exists('secret', 'late-kept')).toBe(true)
  })
})

describe('kubectl', () => {
  /** `kubectl apply --prune --applyset` with the pages only, as a dry run. */
  async function applySet(): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const args = ['apply', '--server-side', '--force-conflicts', '--prune', '--dry-run=server', '-f', '-']
    const set = ['-n', homeNamespace, '--applyset=shelves.inventory.example.dev/shared']
    const pages = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared-pages' }, data: { a: 'b' } }
    const { kubectlPath, kubeconfigPath, kubectlCache } = cluster
    const command = promisify(execFile)(
      kubectlPath,
      [`--kubeconfig=${kubeconfigPath}`, `--cache-dir=${kubectlCache}`, ...args, ...set],
      { env: { ...process.env, KUBECTL_APPLYSET: 'true' }, timeout: 60_000 },
    )
    command.child.stdin?.end(JSON.stringify(pages))
    return await command.catch((error: { stdout: string; stderr: string }) => error)
  }

  it('takes a resource of ours for an ApplySet of another tool, and sees our members when it is its own', async () => {
    await settledByVersionOne('shared')
    await operator?.stop()
    expect((await applySet()).stderr).toContain('is managed by tooling "konverge" instead of "kubectl"')
    await kubectl('-n', homeNamespace, 'annotate', 'shelf', 'shared', `${tooling}=kubectl/v1.36`, '--overwrite')
    const { stdout, stderr } = await applySet()
    expect(stderr).not.toContain('error')
    const pruned = stdout.split('\n').filter((line) => line.includes('pruned'))
    expect(pruned.map((line) => line.split(' ')[0]).sort()).toEqual([
      'persistentvolumeclaim/shared-data',
      'secret/shared-far',
      'secret/shared-kept',
      'secret/shared-login',
      'service/shared',
      'storageclass.storage.k8s.io/shared-disk',
    ])
  })
})

const isRequestOf =
  (userAgent: string) =>
  ({ userAgent: agent, verb, requestURI }: AuditEvent): boolean =>
    agent?.startsWith(userAgent) === true && verb !== 'watch' && !requestURI.includes('sendInitialEvents')

const requestText = ({ verb, requestURI }: AuditEvent): string => `${verb} ${requestURI}`
