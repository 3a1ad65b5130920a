// Several controllers and operators in one cluster: each keeps its own fields and children, and leaves those of the
// others.
import { describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { type RequestRecord, startCluster, type TestCluster } from '../../src/testing/index.ts'
import {
  Banner,
  bannerController,
  definitionOf,
  earlierShop,
  LongShop,
  Shop,
  shopController,
} from './sharing-controllers.ts'

/** Excludes watches, which end and restart after some minutes. */
const isNoWatch = ({ verb }: RequestRecord) => verb !== 'watch'

it('two controllers of one operator are in sync on an object that one owns and the other contributes to', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop), definitionOf(Banner)] })
  cluster.run(shopController(), bannerController)
  await cluster.create(Shop, { metadata: { name: 'a' }, spec: { text: 'open' } })
  await cluster.create(Banner, { metadata: { name: 'a' }, spec: { text: 'sale' } })
  await cluster.advance(60_000)
  expect(await cluster.find(ConfigMap, 'a')).toMatchObject({ data: { open: 'yes', banner: 'sale' } })
  expect(await cluster.condition(Shop, 'a', 'Ready')).toMatchObject({ status: 'True' })
  expect(await cluster.condition(Banner, 'a', 'Ready')).toMatchObject({ status: 'True' })
  expect((await cluster.requestsDuring(1_200_000)).filter(isNoWatch)).toEqual([])
})

it('a resource whose definition has a name of more than 63 characters gets its children', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(LongShop)] })
  cluster.run(shopController(LongShop))
  await cluster.create(LongShop, { metadata: { name: 'a' }, spec: { text: 'open' } })
  await cluster.settle()
  expect(await cluster.find(ConfigMap, 'a')).toMatchObject({ data: { open: 'yes' } })
  expect(await cluster.condition(LongShop, 'a', 'Ready')).toMatchObject({ status: 'True' })
})

it('an operator caches its own children in one informer per kind for all of its controllers, and none of another operator', async () => {
  const metrics = new PrometheusMetrics()
  await using cluster = await startCluster({
    definitions: [definitionOf(Shop), definitionOf(Banner), definitionOf(LongShop)],
    instruments: { ...silentInstruments, metrics },
  })
  cluster.runAs('mall', shopController(), shopController(Banner))
  cluster.runAs('village', shopController(LongShop))
  for (const name of ['a', 'b']) await cluster.create(Shop, { metadata: { name }, spec: { text: 'open' } })
  await cluster.create(Banner, { metadata: { name: 'c' }, spec: { text: 'open' } })
  await cluster.create(LongShop, { metadata: { name: 'd' }, spec: { text: 'open' } })
  await cluster.settle()
  const held = (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('store_objects{resource="configmaps"'))
  expect(held.map((line) => line.replace('store_objects{resource="configmaps",', '{'))).toEqual([
    '{selection="labels=(konverge.dev/managed-by=mall)"} 3',
    '{selection="labels=(konverge.dev/managed-by=village)"} 1',
  ])
  expect((await cluster.find(ConfigMap, 'd'))?.metadata.labels).toMatchObject({ 'konverge.dev/managed-by': 'village' })
})

describe('children of an earlier version', () => {
  const isWrite = ({ verb, resource }: RequestRecord) =>
    ['create', 'patch', 'delete'].includes(verb) && resource !== 'events'
  const writesOf = (cluster: TestCluster) =>
    cluster
      .requests()
      .filter(isWrite)
      .map(({ verb, resource, subresource, name }) => [verb, resource, name, subresource].filter(Boolean).join(' '))
  const managersOf = async (cluster: TestCluster, name: string) =>
    (await cluster.find(ConfigMap, name))?.metadata.managedFields?.map(({ manager }) => manager)

  it('are taken over in one patch of the resource and two of each child, without undeclared fields', async () => {
    await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
    await earlierShop(cluster, 'open', ['open', 'dropped'])
    cluster.runAs('mall', shopController())
    await cluster.settle()
    expect(await cluster.find(ConfigMap, 'a')).toMatchObject({ data: { open: 'yes' } })
    expect((await cluster.find(ConfigMap, 'a'))?.['data']).toEqual({ open: 'yes' })
    expect(await managersOf(cluster, 'a')).toEqual(['mall/shops.example.com'])
    expect(await cluster.find(ConfigMap, 'a-old'), 'no longer declared').toBeUndefined()
    expect((await cluster.find(Shop, 'a'))?.metadata).toMatchObject({
      finalizers: ['konverge.dev/mall'],
      annotations: { 'applyset.kubernetes.io/tooling': 'konverge.dev/mall/v1' },
    })
    expect(writesOf(cluster)).toEqual([
      'patch configmaps a',
      'patch configmaps a',
      'delete configmaps a-old',
      'patch shops a',
      'patch shops a status',
    ])
    expect((await cluster.requestsDuring(1_200_000)).filter(isNoWatch)).toEqual([])
  })

  it('reach the same state, whatever write the process dies after', async () => {
    for (let cut = 1; cut <= 5; cut++) {
      await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
      await earlierShop(cluster, 'open', ['open', 'dropped'])
      const first = cluster.runAs('mall', shopController())
      for (let ms = 0; ms < 5_000 && writesOf(cluster).length < cut; ms++) await cluster.advance(1)
      await first.stop()
      cluster.runAs('mall', shopController())
      await cluster.settle()
      expect((await cluster.find(ConfigMap, 'a'))?.['data'], `cut after write ${cut}`).toEqual({ open: 'yes' })
      expect(await cluster.find(ConfigMap, 'a-old')).toBeUndefined()
      expect(await managersOf(cluster, 'a')).toEqual(['mall/shops.example.com'])
      expect((await cluster.find(Shop, 'a'))?.metadata.finalizers).toEqual(['konverge.dev/mall'])
    }
  })

  it('are cleaned up in order when the resource is being deleted, and the finalizer is removed', async () => {
    await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
    await earlierShop(cluster, 'open', ['open'])
    await cluster.delete(Shop, 'a')
    cluster.runAs('mall', shopController())
    await cluster.settle()
    expect(await cluster.find(Shop, 'a')).toBeUndefined()
    for (const name of ['a', 'a-old']) expect(await cluster.find(ConfigMap, name)).toBeUndefined()
    // The garbage collector deletes the first wave.
    expect(writesOf(cluster).filter((write) => !write.endsWith('status'))).toEqual([
      'delete configmaps a-old',
      'patch shops a',
    ])
  })

  it('lose the contribution entry of the earlier manager, and keep its fields', async () => {
    await using cluster = await startCluster({ definitions: [definitionOf(Shop), definitionOf(Banner)] })
    await earlierShop(cluster, 'open', ['open', 'banner'])
    await cluster.create(Banner, { metadata: { name: 'a' }, spec: { text: 'sale' } })
    cluster.run(shopController(), bannerController)
    await cluster.settle()
    expect((await cluster.find(ConfigMap, 'a'))?.['data']).toEqual({ open: 'yes', banner: 'sale' })
    expect((await managersOf(cluster, 'a'))?.sort()).toEqual([
      'operator/banners.example.com+contributions',
      'operator/shops.example.com',
    ])
    expect((await cluster.requestsDuring(1_200_000)).filter(isNoWatch)).toEqual([])
  })
})
