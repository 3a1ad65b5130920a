// Test: a Go client cannot distinguish our server from the real one.
// The same program of informers, patches, applies and leader elections runs against both and must see the same.
// The program (test/control-plane/kubernetes/informer) fails if a cache differs from a list.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findOrBuildProgram } from '../../control-plane/binary-builder.ts'
import { type ComparedServer, startTwoServers, type TwoServers } from './two-servers.ts'

const buildLimitMs = 600_000

let servers: TwoServers
let program: string

beforeAll(async () => {
  program = await findOrBuildProgram('informer', process.env)
  servers = await startTwoServers()
}, buildLimitMs)

afterAll(() => servers?.[Symbol.asyncDispose]())

for (const isStreamed of [true, false])
  it(`keeps its caches equal to lists, begun by ${isStreamed ? 'streams' : 'lists'}`, async () => {
    const namespace = isStreamed ? 'streamed' : 'listed'
    const [theirs, seen] = await Promise.all(
      [servers.real, servers.ours].map((server) => whatItSees(server, namespace, isStreamed)),
    )
    expect(seen).toEqual(theirs)
    expect(seen).toMatchObject({ leaders: { leaders: ['one', 'two'] } })
  })

async function whatItSees(server: ComparedServer, namespace: string, isStreamed: boolean): Promise<unknown> {
  const { exitCode, stderr } = await server.kubectl.run({ args: ['create', 'namespace', namespace] })
  expect(exitCode, stderr).toBe(0)
  const env = { PATH: process.env['PATH'] ?? '', KUBE_FEATURE_WatchListClient: String(isStreamed) }
  const { stdout } = await promisify(execFile)(program, [server.kubeconfig, namespace], { env })
  return JSON.parse(stdout)
}
