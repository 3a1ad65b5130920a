// Test: kubectl cannot distinguish our server from the real one.
// For the same commands and files, exit code, standard output and standard error must be equal.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kubectl } from './kubectl.ts'
import { canonicalText } from './kubectl-output.ts'
import { stories } from './kubectl-stories.ts'
import { tellBoth } from './kubectl-telling.ts'
import { startTwoServers, type TwoServers } from './two-servers.ts'

const namespace = 'clients'

let servers: TwoServers
let real: Kubectl
let ours: Kubectl

beforeAll(async () => {
  servers = await startTwoServers()
  real = servers.real.kubectl
  ours = servers.ours.kubectl
  await both(['create', 'namespace', namespace])
})

afterAll(() => servers[Symbol.asyncDispose]())

describe('kubectl', () => {
  for (const [name, commands] of Object.entries(stories)) it(name, () => tellBoth(servers, namespace, commands))

  it('lists only kinds and versions of the real server', async () => {
    for (const args of [['api-versions'], ['api-resources', '--no-headers']]) {
      const [theirs, listed] = await Promise.all([real, ours].map((kubectl) => kubectl.run({ args })))
      const known = new Set(canonicalText(theirs?.stdout ?? '').split('\n'))
      const lines = canonicalText(listed?.stdout ?? '').split('\n')
      expect(lines.length).toBeGreaterThan(15)
      expect(lines.filter((line) => !known.has(line))).toEqual([])
    }
  })

  it('watches, and prints what changes', async () => {
    const args = ['get', 'configmaps', '--field-selector=metadata.name=seen', '--watch', '--output-watch-events']
    const change = async (kubectl: Kubectl) => {
      await kubectl.run({ args: ['label', 'configmap', 'seen', 'of=interest'] })
      await kubectl.run({ args: ['delete', 'configmap', 'seen'] })
    }
    await both(['create', 'configmap', 'seen', '--from-literal=a=1'])
    const [theirs, printed] = await Promise.all(
      [real, ours].map((kubectl) => kubectl.watch({ args }, /^DELETED/m, () => change(kubectl))),
    )
    expect(canonicalText(printed ?? '')).toEqual(canonicalText(theirs ?? ''))
    expect(printed).toMatch(/^EVENT.*\nADDED.*\nMODIFIED.*\nDELETED.*\n$/)
  })
})

async function both(args: readonly string[]): Promise<void> {
  const outcomes = await Promise.all([real, ours].map((kubectl) => kubectl.run({ args })))
  for (const { exitCode, stderr } of outcomes) expect(exitCode, stderr).toBe(0)
}
