// Recovery after an outage of an endpoint. The breaker probes it at most every two minutes. After a successful probe
// all waiting resources reconcile within their jittered delay.
import { expect, it, onTestFinished } from 'vitest'
import { type Condition, findCondition, type LiveObject } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { down, RemoteWorld } from './remote-world.ts'
import { addShelf, Shelf, shelfController, shelfDefinition } from './shelf.ts'

const count = 60

it('recovers half a minute after the first successful call, for any number of resources', async () => {
  const cluster = await startCluster({ definitions: [shelfDefinition()] })
  onTestFinished(() => cluster.stop())
  const remote = new RemoteWorld(cluster.clock)
  cluster.run(shelfController(remote, { cadenceMs: 60_000 }))
  for (let at = 0; at < count; at++) await addShelf(cluster, {}, `shelf-${at}`)
  await cluster.advance(120_000)
  const ready = async () => (await cluster.list(Shelf)).filter(isReady).length
  expect(await ready()).toBe(count)

  let calls = 0
  remote.before = () => {
    calls += 1
    throw down()
  }
  await cluster.advance(600_000)
  expect(await ready()).toBe(0)
  expect(calls).toBeLessThan(20)

  let isGood = false
  remote.before = () => {
    isGood = true
  }
  let waitedMs = 0
  for (; !isGood; waitedMs += 1_000) await cluster.advance(1_000)
  expect(waitedMs).toBeLessThan(1.5 * 120_000)
  await cluster.advance(30_000)
  expect(await ready()).toBe(count)
})

function isReady({ status }: LiveObject): boolean {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] } // Checked by its schema.
  return findCondition(conditions, 'Ready')?.status === 'True'
}
