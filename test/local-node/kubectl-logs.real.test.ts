// kubectl on `konverge dev`, for data that only its local node has. test/apiserver/clients has all other uses of
// kubectl.
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunningKonverge } from '../cli/running-konverge.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'
import type { CommandOutcome } from '../control-plane/control-plane-client.ts'

/** kubectl of the real control plane, which gets no requests here. */
const { kubectlPath } = attachToControlPlane()

let folder: string
let running: RunningKonverge

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-kubectl-'))
  // As root, PostgreSQL runs as another user, who needs access to its data.
  chmodSync(folder, 0o755)
  running = new RunningKonverge(['dev', '--kubeconfig', join(folder, 'kubeconfig')], { TMPDIR: folder })
  await running.says('All are Ready')
})

afterAll(async () => {
  await running.end('SIGINT')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('kubectl, of pods on the local node,', () => {
  it('shows logs of processes, and reports that simulated containers have none', async () => {
    const run = ['run', 'version', '--image=konverge:dev', '--restart=Never', '--', '--version']
    expect(await succeeds('-n', 'shop', ...run)).toBe('pod/version created\n')
    await succeeds('-n', 'shop', 'wait', 'pod/version', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=180s')
    expect(await succeeds('-n', 'shop', 'logs', 'version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    const { stderr } = await kubectl('-n', 'shop', 'logs', 'cart-0')
    expect(stderr).toMatch(/^Error from server \(BadRequest\): container "\S+" in pod "cart-0" is simulated: /)
  })

  it('shows the node of each pod', async () => {
    expect(await succeeds('-n', 'shop', 'describe', 'pod', 'cart-0')).toMatch(/^Node: +local\/127\.0\.0\.1$/m)
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
    execFile(kubectlPath, [...fixed(), ...args], { timeout: 180_000 }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) })
    })
  })
}
