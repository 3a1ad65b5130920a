// Test: on a running cluster, kubectl cannot distinguish our server from the real one.
// The same commands run on the real control plane, with kwok nodes, and on ours, with simulated nodes; the flagship
// runs on both.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OperatorProcess } from '../../e2e/operator-process.ts'
import { clusterStories, storeStory } from './kubectl-cluster-stories.ts'
import { tellBoth } from './kubectl-telling.ts'
import { type ComparedServer, startTwoServers, type TwoServers } from './two-servers.ts'

const namespace = 'live'
/** CRDs of all kinds: the operator waits for every one that it manages. */
const definitions = new URL('../../../crds', import.meta.url).pathname

let servers: TwoServers

beforeAll(async () => {
  servers = await startTwoServers({ nodes: 1 })
  await both(['create', 'namespace', namespace])
  await both(['wait', 'serviceaccount/default', '--for=create', '--timeout=180s', '--namespace', namespace])
})

afterAll(() => servers?.[Symbol.asyncDispose]())

describe('kubectl on a running cluster', () => {
  for (const [name, commands] of Object.entries(clusterStories)) it(name, () => tellBoth(servers, namespace, commands))

  it('manages a store while its operator runs', async () => {
    await both(['apply', '-f', definitions])
    await both(['wait', '--for=condition=Established', '--timeout=180s', '-f', definitions])
    const operators = [servers.real, servers.ours].map(({ kubeconfig }) => new OperatorProcess(kubeconfig))
    try {
      await Promise.all(operators.map((operator) => operator.ready()))
      await tellBoth(servers, namespace, storeStory)
      const seen = await Promise.all([servers.real, servers.ours].map(seenToTheEnd))
      for (const lines of seen)
        expect([lines.at(1), lines.at(-1)]).toEqual([
          expect.stringMatching(/^ADDED +cart/),
          expect.stringMatching(/^DELETED +cart/),
        ])
      const gone = ['get sts cart', 'get kv', 'get pods -l app.kubernetes.io/instance=cart']
      await tellBoth(
        servers,
        namespace,
        gone.map((line) => ({ args: line.split(' ') })),
      )
    } finally {
      await Promise.all(operators.map((operator) => operator.stop()))
    }
  })
})

/** Returns the output of a watch of the store during its deletion. */
async function seenToTheEnd({ kubectl }: ComparedServer): Promise<readonly string[]> {
  const args = ['get', 'kv', 'cart', '--watch', '--output-watch-events', '--namespace', namespace]
  const change = async () => {
    const { exitCode, stderr } = await kubectl.run({ args: ['delete', 'kv', 'cart', '--namespace', namespace] })
    expect(exitCode, stderr).toBe(0)
  }
  return (await kubectl.watch({ args }, /^DELETED/m, change)).trimEnd().split('\n')
}

async function both(args: readonly string[]): Promise<void> {
  const outcomes = await Promise.all([servers.real, servers.ours].map(({ kubectl }) => kubectl.run({ args })))
  for (const { exitCode, stderr } of outcomes) expect(exitCode, stderr).toBe(0)
}
