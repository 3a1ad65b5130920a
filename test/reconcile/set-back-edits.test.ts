// Edits of a child by others: unrelated ones are corrected each time, and a field fight ends in a condition.
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { objectOf } from '../../src/index.ts'
import { Deployment } from '../../src/object/built-in.ts'
import type { StatusWithConditions } from '../../src/object/object.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { definitionOf, Shop, type TextSpec } from './sharing-controllers.ts'

const declared = { replicas: 1, minReadySeconds: 1, revisionHistoryLimit: 4 }
const shops = defineController<TextSpec, StatusWithConditions, undefined>(Shop, {
  owns: [Deployment],
  desired: (_, { object: { metadata } }) => [
    objectOf(Deployment, {
      metadata: { name: metadata.name },
      spec: {
        ...declared,
        selector: { matchLabels: { app: metadata.name } },
        template: {
          metadata: { labels: { app: metadata.name } },
          spec: { containers: [{ name: 'app', image: 'app:1' }] },
        },
      },
    }),
  ],
  status: () => ({ fields: {}, conditions: [] }),
})
const at = { namespace: 'default', name: 'a' }

async function startedShop(): Promise<TestCluster> {
  const cluster = await startCluster({ simulatedNodes: 1, definitions: [definitionOf(Shop)] })
  cluster.run(shops)
  await cluster.create(Shop, { metadata: { name: 'a' }, spec: { text: 'x' } })
  await cluster.advance(60_000)
  return cluster
}

async function edit(cluster: TestCluster, fieldManager: string, spec: JsonObject): Promise<void> {
  const signal = new AbortController().signal
  await cluster.client.patch(Deployment, at, { type: 'merge', body: { spec } }, { fieldManager }, signal)
}

it.each([61_000, 150_000])('corrects unrelated edits by different people, %d ms apart', async (gapMs) => {
  await using cluster = await startedShop()
  const edits = [
    ['ann', { replicas: 3 }],
    ['bob', { minReadySeconds: 9 }],
    ['cid', { revisionHistoryLimit: 9 }],
    ['dan', { template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } }],
  ] as const
  for (const [editor, spec] of edits) {
    await edit(cluster, editor, spec)
    await cluster.advance(5_000)
    const live = (await cluster.find(Deployment, 'a'))?.spec
    expect(live, editor).toMatchObject({ ...declared, template: { spec: { containers: [{ image: 'app:1' }] } } })
    expect(await cluster.condition(Shop, 'a', 'Degraded'), editor).toMatchObject({ status: 'False' })
    await cluster.advance(gapMs)
  }
})

it('reports the manager and the field of a field fight, and neither the editors nor the other fields', async () => {
  await using cluster = await startedShop()
  for (const [editor, spec] of [
    ['ann', { minReadySeconds: 9 }],
    ['bob', { revisionHistoryLimit: 9 }],
    ['cid', { minReadySeconds: 8 }],
  ] as const) {
    await edit(cluster, editor, spec)
    await edit(cluster, 'scaler', { replicas: 3 })
    await cluster.advance(20_000)
  }
  await edit(cluster, 'scaler', { replicas: 3 })
  await cluster.advance(60_000)
  const degraded = await cluster.condition(Shop, 'a', 'Degraded')
  expect(degraded).toMatchObject({ status: 'True', reason: 'NotConverging' })
  expect(degraded?.message).toContain('changed back at spec.replicas by scaler;')
  expect((await cluster.find(Deployment, 'a'))?.spec).toMatchObject({ ...declared, replicas: 3 })
  // The scaler stops.
  await cluster.advance(900_000)
  expect((await cluster.find(Deployment, 'a'))?.spec).toMatchObject(declared)
  expect(await cluster.condition(Shop, 'a', 'Degraded')).toMatchObject({ status: 'False' })
})
