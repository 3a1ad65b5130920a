// Objects that several resources own together: each owner has its own fields, and the object is deleted with the last
// one.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { defineController } from '../../src/index.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { type RequestRecord, startCluster, type TestCluster } from '../../src/testing/index.ts'
import { Banner, definitionOf, partController, Shop, shopController } from './sharing-controllers.ts'

const dataOf = async (cluster: TestCluster, name = 'lines') => (await cluster.find(ConfigMap, name))?.['data']
const ownersOf = async (cluster: TestCluster) =>
  (await cluster.find(ConfigMap, 'lines'))?.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`)
const start = () => startCluster({ definitions: [definitionOf(Shop), definitionOf(Banner)] })
const create = (cluster: TestCluster, resource: typeof Shop, name: string, text: string) =>
  cluster.create(resource, { metadata: { name }, spec: { text } })
const isNoWatch = ({ verb }: RequestRecord) => verb !== 'watch'

describe('an object with several owners', () => {
  it('has the fields of all of them, and they reach a stable state', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop), partController(Banner))
    await create(cluster, Shop, 'a', 'one')
    await create(cluster, Shop, 'b', 'two')
    await create(cluster, Banner, 'c', 'three')
    await cluster.advance(60_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes', two: 'yes', three: 'yes' })
    expect(await ownersOf(cluster)).toEqual(['Shop a', 'Shop b', 'Banner c'])
    for (const [resource, name] of [
      [Shop, 'a'],
      [Shop, 'b'],
      [Banner, 'c'],
    ] as const)
      expect(await cluster.condition(resource, name, 'Ready')).toMatchObject({ status: 'True' })
    expect((await cluster.requestsDuring(1_200_000)).filter(isNoWatch)).toEqual([])
  })

  it('gets another owner with one request', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, Shop, 'a', 'one')
    await cluster.settle()
    const before = cluster.requests().length
    await create(cluster, Shop, 'b', 'two')
    await cluster.settle()
    const asked = cluster
      .requests()
      .slice(before)
      .filter(({ resource }) => resource === 'configmaps')
    expect(asked.filter(isNoWatch).map(({ verb, code }) => `${verb} ${code}`)).toEqual(['patch 200'])
    expect(await dataOf(cluster)).toEqual({ one: 'yes', two: 'yes' })
  })

  it('is not written after a restart', async () => {
    await using cluster = await start()
    const first = cluster.run(partController(Shop))
    for (const name of ['a', 'b', 'c']) await create(cluster, Shop, name, `${name}=1`)
    await cluster.settle()
    await first.stop()
    const before = await cluster.find(ConfigMap, 'lines')
    cluster.run(partController(Shop))
    await cluster.advance(120_000)
    expect(await cluster.find(ConfigMap, 'lines')).toEqual(before)
  })

  it('loses fields that one of them no longer declares, also after a restart', async () => {
    await using cluster = await start()
    const first = cluster.run(partController(Shop))
    await create(cluster, Shop, 'a', 'one two')
    await create(cluster, Shop, 'b', 'three')
    await cluster.settle()
    await cluster.patch(Shop, 'a', { spec: { text: 'one' } })
    await cluster.settle()
    expect(await dataOf(cluster)).toEqual({ one: 'yes', three: 'yes' })
    await first.stop()
    await cluster.patch(Shop, 'b', { spec: { text: 'four' } })
    cluster.run(partController(Shop))
    await cluster.settle()
    expect(await dataOf(cluster)).toEqual({ one: 'yes', four: 'yes' })
  })

  it('loses the part of an owner that no longer declares it, and is deleted with the last one', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, Shop, 'a', 'one')
    await create(cluster, Shop, 'b', 'two')
    await cluster.settle()
    await cluster.patch(Shop, 'a', { spec: { text: '' } })
    await cluster.advance(10_000)
    expect(await dataOf(cluster)).toEqual({ two: 'yes' })
    expect(await ownersOf(cluster)).toEqual(['Shop b'])
    expect(JSON.stringify(await cluster.find(ConfigMap, 'lines'))).not.toContain('Shop a')
    await cluster.patch(Shop, 'b', { spec: { text: '' } })
    await cluster.advance(10_000)
    expect(await cluster.find(ConfigMap, 'lines')).toBeUndefined()
  })

  it('loses the part of a deleted owner, and is deleted with the last one', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, Shop, 'a', 'one')
    await create(cluster, Shop, 'b', 'two')
    await cluster.settle()
    const marks = async () => {
      const { metadata } = (await cluster.find(ConfigMap, 'lines')) ?? {}
      const { labels = {}, annotations = {}, managedFields = [] } = metadata ?? {}
      const keys = [...Object.keys(labels), ...Object.keys(annotations)].filter((key) => key.startsWith('owner.'))
      return { keys: keys.length, managers: managedFields.length }
    }
    expect(await marks()).toEqual({ keys: 4, managers: 2 })
    await cluster.delete(Shop, 'a')
    await cluster.settle()
    expect(await cluster.find(Shop, 'a')).toBeUndefined()
    expect(await dataOf(cluster)).toEqual({ two: 'yes' })
    expect(await marks()).toEqual({ keys: 2, managers: 1 })
    await cluster.delete(Shop, 'b')
    await cluster.advance(10_000)
    expect(await cluster.find(Shop, 'b')).toBeUndefined()
    expect(await cluster.find(ConfigMap, 'lines')).toBeUndefined()
  })

  it('is deleted when all owners are deleted at once', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    const names = Array.from({ length: 12 }, (_, index) => `shop-${index}`)
    for (const name of names) await create(cluster, Shop, name, name)
    await cluster.settle()
    expect(Object.keys((await dataOf(cluster)) ?? {})).toHaveLength(12)
    await Promise.all(names.map((name) => cluster.delete(Shop, name)))
    await cluster.advance(600_000)
    expect(await cluster.find(ConfigMap, 'lines')).toBeUndefined()
    for (const name of names) expect(await cluster.find(Shop, name)).toBeUndefined()
  })
})

describe('a field that two owners declare', () => {
  it('belongs to both with the same value, and stays when one of them is deleted', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, Shop, 'a', 'both=1 one')
    await create(cluster, Shop, 'b', 'both=1')
    await cluster.settle()
    await cluster.delete(Shop, 'a')
    await cluster.settle()
    expect(await dataOf(cluster)).toEqual({ both: '1' })
  })

  it('stays with the first one, and the second one reports the owner until the field is free', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop), partController(Banner))
    await create(cluster, Shop, 'a', 'both=1')
    await cluster.settle()
    await create(cluster, Banner, 'b', 'both=2 own=3')
    await cluster.advance(60_000)
    expect(await dataOf(cluster)).toEqual({ both: '1', own: '3' })
    const condition = await cluster.condition(Banner, 'b', 'Ready')
    expect(condition).toMatchObject({ status: 'False', reason: 'FieldConflict' })
    expect(condition?.message).toContain('data.both otherwise than Shop a')
    expect(await cluster.condition(Shop, 'a', 'Ready')).toMatchObject({ status: 'True' })
    await cluster.patch(Shop, 'a', { spec: { text: 'mine' } })
    await cluster.advance(400_000)
    expect(await dataOf(cluster)).toEqual({ mine: 'yes', both: '2', own: '3' })
    expect(await cluster.condition(Banner, 'b', 'Ready')).toMatchObject({ status: 'True' })
  })

  it('is taken from a manager that is no owner', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, Shop, 'a', 'one=1')
    await create(cluster, Shop, 'b', 'two=2')
    await cluster.settle()
    await cluster.patch(ConfigMap, 'lines', { data: { one: 'edited', free: 'theirs' } })
    await cluster.settle()
    expect(await dataOf(cluster)).toEqual({ one: '1', two: '2', free: 'theirs' })
  })
})

describe('an object of that name with other owners', () => {
  it('gets no other owner while one resource owns it alone', async () => {
    await using cluster = await start()
    cluster.run(shopController(), partController(Banner, 'a'))
    await create(cluster, Shop, 'a', 'open')
    await cluster.settle()
    await create(cluster, Banner, 'b', 'one')
    await cluster.advance(10_000)
    expect(await dataOf(cluster, 'a')).toEqual({ open: 'yes' })
    const condition = await cluster.condition(Banner, 'b', 'Ready')
    expect(condition).toMatchObject({ reason: 'ConflictingOwner' })
    expect(condition?.message).toContain('is controlled by Shop a alone')
  })

  it('is not taken by a resource that declares it alone', async () => {
    await using cluster = await start()
    cluster.run(partController(Banner, 'a'), shopController())
    await create(cluster, Banner, 'b', 'one')
    await cluster.settle()
    await create(cluster, Shop, 'a', 'open')
    await cluster.advance(10_000)
    expect(await dataOf(cluster, 'a')).toEqual({ one: 'yes' })
    const condition = await cluster.condition(Shop, 'a', 'Ready')
    expect(condition).toMatchObject({ reason: 'ConflictingOwner' })
    expect(condition?.message).toContain('is owned together by Banner b')
  })

  it('is not joined without consent if no konverge operator made it, and with consent others lose no field', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await cluster.create(ConfigMap, { metadata: { name: 'lines' }, data: { theirs: '1' } })
    await create(cluster, Shop, 'a', 'one')
    await cluster.advance(10_000)
    expect(await dataOf(cluster)).toEqual({ theirs: '1' })
    expect(await cluster.condition(Shop, 'a', 'Ready')).toMatchObject({ reason: 'ConflictingOwner' })
    await cluster.patch(ConfigMap, 'lines', { metadata: { annotations: { 'konverge.dev/adopt': 'Shop/a' } } })
    await create(cluster, Shop, 'b', 'two')
    await cluster.advance(600_000)
    expect(await dataOf(cluster)).toEqual({ theirs: '1', one: 'yes', two: 'yes' })
  })

  it('is not joined by another operator', async () => {
    await using cluster = await start()
    cluster.runAs('mall', partController(Shop))
    cluster.runAs('village', partController(Banner))
    await create(cluster, Shop, 'a', 'one')
    await cluster.settle()
    await create(cluster, Banner, 'b', 'two')
    await cluster.advance(10_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes' })
    expect(await cluster.condition(Banner, 'b', 'Ready')).toMatchObject({ reason: 'ConflictingOwner' })
  })
})

describe('a new version of a controller', () => {
  const alone = (name: string) =>
    defineController(Shop, {
      owns: [ConfigMap],
      desired: (chart, { object: { spec } }) => {
        new ApiObject(chart, 'lines', {
          ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { [spec.text]: 'yes' } },
        })
      },
      status: () => ({ fields: {}, conditions: [] }),
    })

  it('shares an object that the previous version owned alone, and the reverse', async () => {
    await using cluster = await start()
    const first = cluster.run(alone('lines'))
    await create(cluster, Shop, 'a', 'one')
    await cluster.settle()
    const { uid } = (await cluster.find(ConfigMap, 'lines'))?.metadata ?? {}
    await first.stop()
    const second = cluster.run(partController(Shop), partController(Banner))
    await create(cluster, Banner, 'b', 'two')
    await cluster.advance(600_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes', two: 'yes' })
    expect(await ownersOf(cluster)).toEqual(['Shop a', 'Banner b'])
    expect((await cluster.find(ConfigMap, 'lines'))?.metadata.labels).not.toHaveProperty('konverge.dev/owned-by')
    await cluster.delete(Banner, 'b')
    await cluster.settle()
    await second.stop()
    cluster.run(alone('lines'))
    await cluster.advance(10_000)
    const found = await cluster.find(ConfigMap, 'lines')
    expect(found).toMatchObject({
      data: { one: 'yes' },
      metadata: { uid, labels: { 'konverge.dev/owned-by': 'shops.example.com' } },
    })
    expect(found?.metadata.ownerReferences).toMatchObject([{ name: 'a', controller: true }])
    expect(found?.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['operator/shops.example.com'])
  })

  it('releases an object that it no longer declares, also of a kind that it no longer owns', async () => {
    await using cluster = await start()
    const first = cluster.run(partController(Shop), partController(Banner))
    await create(cluster, Shop, 'a', 'one')
    await create(cluster, Banner, 'b', 'two')
    await cluster.settle()
    await first.stop()
    const without = defineController(Shop, {
      owns: [],
      desired: () => {},
      status: () => ({ fields: {}, conditions: [] }),
    })
    cluster.run(without, partController(Banner))
    await cluster.advance(60_000)
    expect(await dataOf(cluster)).toEqual({ two: 'yes' })
    expect(await ownersOf(cluster)).toEqual(['Banner b'])
  })
})
