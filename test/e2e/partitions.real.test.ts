// What if the network is gone for half a minute, and then again? The operator has to be back within ten seconds of its return,
// each time, with its default backoff. The limits here are wider, for machines that are busy.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import type { AnyObject } from '../fault-lab/end-state.ts'
import { NamespaceReader, storeKind } from '../fault-lab/namespace-reader.ts'
import { ProxiedOperator } from './proxied-operator.ts'
import { installDefinitions, isReady, type StoreObject } from './stores.ts'

const cluster = attachToControlPlane()
const image = 'valkey/valkey:8.0'
const partitionMs = 31_000
const returnLimitMs = 30_000
const operators: ProxiedOperator[] = []

beforeAll(async () => await installDefinitions(cluster))
afterAll(async () => {
  for (const operator of operators) await operator.stop()
})

/** An operator at work on one ready store. */
async function atWork(namespace: string) {
  const reader = new NamespaceReader(cluster, namespace)
  await reader.createNamespace()
  const operator = await ProxiedOperator.create(cluster, namespace)
  operators.push(operator)
  await operator.start().ready()
  await reader.create(storeKind, 'cart', { image })
  const store = async () => await reader.get<StoreObject & AnyObject>(storeKind, 'cart')
  const ready = async (limitMs = 60_000) =>
    await operator.until('the store to be ready', async () => isReady((await store()) ?? noStore), limitMs)
  await ready()
  return { reader, operator, ready }
}

const noStore: StoreObject = { metadata: { name: '', uid: '', generation: 0, resourceVersion: '' }, spec: {} }

async function isInStep(operator: ProxiedOperator): Promise<boolean> {
  return (await operator.process.get('/readyz')).status === 200
}

describe.concurrent('an operator', { timeout: 400_000 }, () => {
  it('is back after each of three partitions, in which it said that it was cut off', async () => {
    const { reader, operator, ready } = await atWork('partitioned')
    for (const replicas of [2, 3, 4]) {
      operator.proxy.line = 'down'
      await reader.patch(storeKind, 'cart', { spec: { replicas } })
      await sleep(partitionMs)
      await operator.until('the partition to be told', async () => !(await isInStep(operator)))
      operator.proxy.line = 'up'
      await ready(returnLimitMs)
    }
    // A watch of a quiet kind is known to be in step again by its next bookmark, of which there is one a minute.
    await operator.until('readiness', () => isInStep(operator), 120_000)
  })

  it('is back after a silence in which a write of its own was lost', async () => {
    const { reader, operator, ready } = await atWork('silenced')
    const fault = { match: { verb: 'apply', resource: 'statefulsets' }, effect: { kind: 'freeze' } } as const
    operator.proxy.inject(fault)
    await reader.patch(storeKind, 'cart', { spec: { replicas: 2 } })
    const hasGivenUp = () => operator.process.lines.some(({ reason }) => reason === 'Timeout')
    await operator.until('the write to be given up', hasGivenUp)
    operator.proxy.line = 'up'
    await ready(returnLimitMs)
  })

  it('notices a watch whose connection is open and dead, by the bookmarks that do not come', async () => {
    const { reader, operator, ready } = await atWork('half-open')
    const fault = { match: { resource: 'statefulsets', frame: 'any' }, effect: { kind: 'silence' } } as const
    operator.proxy.inject(fault)
    await reader.patch(storeKind, 'cart', { spec: { replicas: 2 } })
    await operator.until('the watch to stall', () => operator.proxy.hasStruck(fault))
    await ready(200_000)
    expect(await operator.process.metric('watch_restarts_total', 'reason="stalled"')).toBeGreaterThan(0)
  })
})
