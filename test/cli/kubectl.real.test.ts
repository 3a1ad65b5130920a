// Does the real kubectl work on `konverge dev` as on any cluster? One cluster for all, in the order of a person's first minutes.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import type { CommandOutcome } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { RunningKonverge } from './running-konverge.ts'

const root = join(import.meta.dirname, '..', '..')
/** Of the real control plane, which is not asked anything here. */
const { kubectlPath } = attachToControlPlane()

let folder: string
let running: RunningKonverge

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-kubectl-'))
  running = new RunningKonverge(['dev', '--kubeconfig', join(folder, 'kubeconfig')], { TMPDIR: folder })
  await running.says('All stores are Ready')
})

afterAll(async () => {
  await running.end('SIGINT')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('kubectl on the embedded API server', () => {
  it('finds what is served, and what one may do', async () => {
    expect(await succeeds('api-resources')).toMatch(/^replicatedkvstores +kv +data\.konverge\.dev\/v1alpha1 +true /m)
    expect(await succeeds('auth', 'can-i', 'create', 'pods')).toBe('yes\n')
    expect(await succeeds('version')).toContain('Server Version: v1.36')
    const refused = await kubectl('auth', 'can-i', 'create', 'pods', '--as=nobody')
    expect(refused).toMatchObject({ stdout: 'no\n', exitCode: 1 })
  })

  it('applies, in both ways', async () => {
    const file = join(root, 'examples', 'kv-store.yaml')
    expect(await succeeds('create', 'namespace', 'kubectl')).toBe('namespace/kubectl created\n')
    const configMap = join(root, 'test', 'cli', 'config-map.yaml')
    expect(await succeeds('apply', '-f', configMap)).toBe('configmap/applied created\n')
    expect(await succeeds('apply', '-f', configMap)).toBe('configmap/applied unchanged\n')
    expect(await succeeds('apply', '--server-side', '--force-conflicts', '-f', file)).toContain('serverside-applied')
  })

  it('scales and waits', async () => {
    await succeeds('-n', 'shop', 'scale', 'kv', 'cart', '--replicas=4')
    const ready = ['wait', 'kv/cart', '--for=jsonpath={.status.readyReplicas}=4', '--timeout=60s']
    expect(await succeeds('-n', 'shop', ...ready)).toContain('condition met')
  })

  it('describes', async () => {
    expect(await succeeds('-n', 'shop', 'describe', 'kv', 'cart')).toMatch(/Reason: +AllReplicasReady/)
    expect(await succeeds('-n', 'shop', 'describe', 'pod', 'cart-0')).toMatch(/^Node: +local\/127\.0\.0\.1$/m)
  })

  it('shows logs of what runs, and says of what only seems to run that there is none', async () => {
    const run = ['run', 'version', '--image=konverge:dev', '--restart=Never', '--', '--version']
    expect(await succeeds('-n', 'shop', ...run)).toBe('pod/version created\n')
    await succeeds('-n', 'shop', 'wait', 'pod/version', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s')
    expect(await succeeds('-n', 'shop', 'logs', 'version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    const { stderr } = await kubectl('-n', 'shop', 'logs', 'cart-0')
    expect(stderr).toMatch(/^Error from server \(BadRequest\): container "\S+" in pod "cart-0" is simulated: /)
  })

  it('watches, and deletes until all is gone', async () => {
    const watch = spawn(kubectlPath, [...fixed(), '-n', 'games', 'get', 'kv', '-w', '--output-watch-events'])
    let seen = ''
    watch.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
    })
    try {
      await waitUntil({ what: 'the first events', limitMs: 30_000 }, async () => /ADDED +lobby/.test(seen))
      expect(await succeeds('-n', 'games', 'delete', 'kv', 'lobby')).toContain('deleted')
      await waitUntil({ what: 'the last event', limitMs: 30_000 }, async () => /DELETED +lobby/.test(seen))
      expect((await kubectl('-n', 'games', 'get', 'statefulset', 'lobby')).stderr).toContain('NotFound')
    } finally {
      watch.kill('SIGKILL')
    }
  })
})

const fixed = () => [`--kubeconfig=${join(folder, 'kubeconfig')}`, `--cache-dir=${join(folder, 'cache')}`]

async function succeeds(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await kubectl(...args)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

function kubectl(...args: readonly string[]): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    execFile(kubectlPath, [...fixed(), ...args], { timeout: 90_000 }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) })
    })
  })
}
