// Fields of one object that several owners declare with different values, owners that are gone, and writers that
// pretend to be owners.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { defineController } from '../../src/index.ts'
import { ConfigMap, Secret } from '../../src/object/built-in.ts'
import type { KubeObject } from '../../src/object/object.ts'
import type { Resource } from '../../src/object/resource.ts'
import { coOwn } from '../../src/synth/field-policies.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { secretText } from '../taint/secret-text.ts'
import { Banner, definitionOf, partController, Shop, shopController } from './sharing-controllers.ts'

const start = () => startCluster({ definitions: [definitionOf(Shop), definitionOf(Banner)] })
const dataOf = async (cluster: TestCluster, name = 'lines') => (await cluster.find(ConfigMap, name))?.['data']
const create = (cluster: TestCluster, name: string, text: string, resource: typeof Shop = Shop) =>
  cluster.create(resource, { metadata: { name }, spec: { text } })
const reasonOf = async (cluster: TestCluster, name: string, resource: typeof Shop = Shop) =>
  (await cluster.condition(resource, name, 'Ready'))?.reason
const isReady = async (cluster: TestCluster, name: string) =>
  (await cluster.condition(Shop, name, 'Ready'))?.status === 'True'
const managerOf = (uid: string) => `operator/shops.example.com+owner-${uid}`

/** Applies with force under any field manager, as a user with the right to patch the object can. */
async function forge(cluster: TestCluster, resource: Resource, object: KubeObject, fieldManager: string) {
  const whole = { ...object, metadata: { namespace: 'default', ...object.metadata } }
  await cluster.client.apply(resource, whole, { fieldManager, force: true }, AbortSignal.timeout(60_000))
}

const base64 = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))

const lines = (data: Record<string, string>, name = 'lines') => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
})

describe('owners of one object', () => {
  it.each([2, 3])('change a value that %i of them share', async (count) => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    const names = ['a', 'b', 'c'].slice(0, count)
    for (const name of names) await create(cluster, name, `header=1 ${name}`)
    await cluster.settle()
    for (const name of names) await cluster.patch(Shop, name, { spec: { text: `header=2 ${name}` } })
    await cluster.advance(600_000)
    const own = Object.fromEntries(names.map((name) => [name, 'yes']))
    expect(await dataOf(cluster)).toEqual({ header: '2', ...own })
    for (const name of names) expect(await isReady(cluster, name)).toBe(true)
  })

  it('change a shared value in a new version of the controller', async () => {
    await using cluster = await start()
    const versioned = (header: string) =>
      defineController(Shop, {
        owns: [ConfigMap],
        desired: (chart, { object: { metadata } }) =>
          coOwn(new ApiObject(chart, 'lines', lines({ header, [metadata.name]: 'yes' }))),
        status: () => ({ fields: {}, conditions: [] }),
      })
    const first = cluster.run(versioned('1'))
    for (const name of ['a', 'b']) await create(cluster, name, '')
    await cluster.settle()
    await first.stop()
    cluster.run(versioned('2'))
    await cluster.advance(600_000)
    expect(await dataOf(cluster)).toEqual({ header: '2', a: 'yes', b: 'yes' })
    expect(await isReady(cluster, 'a')).toBe(true)
  })

  it('exchange their fields', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, 'a', 'x=a')
    await create(cluster, 'b', 'y=b')
    await cluster.settle()
    await cluster.patch(Shop, 'a', { spec: { text: 'y=a' } })
    await cluster.patch(Shop, 'b', { spec: { text: 'x=b' } })
    await cluster.advance(600_000)
    expect(await dataOf(cluster)).toEqual({ y: 'a', x: 'b' })
  })

  it('have all other fields of their declaration while they wait for one, and no undeclared ones', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, 'a', 'x=a')
    await create(cluster, 'b', 'y=b')
    await cluster.settle()
    await cluster.patch(Shop, 'b', { spec: { text: 'x=b z=b' } })
    await create(cluster, 'c', 'y=c')
    await cluster.advance(600_000)
    expect(await dataOf(cluster)).toEqual({ x: 'a', y: 'c', z: 'b' })
    expect(await isReady(cluster, 'c')).toBe(true)
    expect(await reasonOf(cluster, 'b')).toBe('FieldConflict')
    const during = await cluster.requestsDuring(3_600_000)
    expect(during.filter(({ verb, code }) => verb === 'patch' && code === 200)).toEqual([])
    await cluster.delete(Shop, 'a')
    await cluster.advance(60_000)
    expect(await dataOf(cluster)).toEqual({ x: 'b', y: 'c', z: 'b' })
  })

  it('keep their values of a Secret, and none writes it repeatedly', async () => {
    await using cluster = await start()
    const values: Record<string, string> = { a: secretText('of a'), b: secretText('of b') }
    const tokens = defineController(Shop, {
      owns: [Secret],
      desired: (chart, { object: { metadata } }) => {
        const stringData = { [metadata.name]: values[metadata.name] ?? '', token: values[metadata.name] ?? '' }
        coOwn(new ApiObject(chart, 's', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData }))
      },
      status: () => ({ fields: {}, conditions: [] }),
    })
    cluster.run(tokens)
    await create(cluster, 'a', '')
    await cluster.settle()
    await create(cluster, 'b', '')
    await cluster.advance(600_000)
    const data = (await cluster.find(Secret, 's'))?.['data']
    expect(data).toEqual(base64({ ...values, token: values['a'] ?? '' }))
    expect(await reasonOf(cluster, 'b')).toBe('FieldConflict')
    const during = await cluster.requestsDuring(3_600_000)
    expect(during.filter(({ verb, code }) => verb === 'patch' && code === 200)).toEqual([])
  })

  it('cannot be two controllers of one resource', async () => {
    await using cluster = await start()
    const audit = defineController(Shop, {
      name: 'audit',
      owns: [ConfigMap],
      desired: (chart) => coOwn(new ApiObject(chart, 'lines', lines({ audit: 'yes' }))),
      status: () => ({ fields: {}, conditions: [] }),
    })
    cluster.run(partController(Shop))
    await create(cluster, 'a', 'one')
    await cluster.settle()
    cluster.run(partController(Shop), audit)
    await cluster.advance(60_000)
    const condition = await cluster.condition(Shop, 'a', 'AuditReady')
    expect(condition).toMatchObject({ status: 'False', reason: 'FieldConflict' })
    expect(condition?.message).toContain('is owned through another controller of the same resource')
    expect(condition?.message).not.toContain('owner.konverge.dev')
  })
})

describe('an owner that is gone without its finalizer', () => {
  it('keeps no field, and its field is free', async () => {
    await using cluster = await start()
    const first = cluster.run(partController(Shop))
    await create(cluster, 'a', 'one')
    await create(cluster, 'b', 'two=b')
    await cluster.settle()
    await first.stop()
    await cluster.delete(Shop, 'b')
    await cluster.patch(Shop, 'b', { metadata: { finalizers: null } })
    await cluster.settle()
    await create(cluster, 'c', 'two=c')
    cluster.run(partController(Shop))
    await cluster.advance(60_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes', two: 'c' })
    await cluster.patch(Shop, 'c', { spec: { text: 'three' } })
    await cluster.advance(60_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes', three: 'yes' })
    const {
      labels = {},
      annotations = {},
      managedFields = [],
    } = (await cluster.find(ConfigMap, 'lines'))?.metadata ?? {}
    const marks = [...Object.keys(labels), ...Object.keys(annotations)].filter((key) => key.startsWith('owner.'))
    expect([marks.length, managedFields.length]).toEqual([4, 2])
  })

  it('keeps no field of a retained object', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, 'a', 'one')
    await create(cluster, 'b', 'two')
    await cluster.settle()
    await cluster.patch(ConfigMap, 'lines', { metadata: { annotations: { 'konverge.dev/prune': 'disabled' } } })
    await cluster.delete(Shop, 'b')
    await cluster.advance(60_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes' })
  })
})

describe('a writer under the field manager of an owner', () => {
  const forged = [managerOf('11111111-2222-3333-4444-555555555555'), 'other/shops.example.com+owner-1', 'a/b+owner-x']

  it.each(forged)('does not keep a field of a child: %s', async (manager) => {
    await using cluster = await start()
    cluster.run(shopController())
    await create(cluster, 'a', 'open')
    await cluster.settle()
    await forge(cluster, ConfigMap, lines({ open: 'forged' }, 'a'), manager)
    await cluster.advance(10_000)
    expect(await dataOf(cluster, 'a')).toEqual({ open: 'yes' })
    expect(await isReady(cluster, 'a')).toBe(true)
  })

  it.each(forged)('does not keep a field of an object with several owners: %s', async (manager) => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, 'a', 'one')
    await create(cluster, 'b', 'two')
    await cluster.settle()
    await forge(cluster, ConfigMap, lines({ one: 'forged' }), manager)
    await cluster.advance(10_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes', two: 'yes' })
    expect(await isReady(cluster, 'a')).toBe(true)
  })

  it('does not keep a field of another owner under the manager of a paused owner', async () => {
    await using cluster = await start()
    cluster.run(partController(Shop))
    await create(cluster, 'a', 'one')
    const { metadata } = await create(cluster, 'b', 'two')
    await cluster.settle()
    await cluster.patch(Shop, 'b', { metadata: { annotations: { 'konverge.dev/paused': 'true' } } })
    await cluster.settle()
    const {
      ownerReferences = [],
      labels = {},
      annotations = {},
    } = (await cluster.find(ConfigMap, 'lines'))?.metadata ?? {}
    const mark = `owner.konverge.dev/${metadata.uid}`
    const own = {
      ...lines({ two: 'yes', one: 'forged' }),
      metadata: {
        name: 'lines',
        ownerReferences: ownerReferences.filter(({ uid }) => uid === metadata.uid),
        labels: { 'konverge.dev/managed-by': 'operator', [mark]: labels[mark] ?? '' },
        annotations: { [mark]: annotations[mark] ?? '' },
      },
    }
    await forge(cluster, ConfigMap, own, managerOf(metadata.uid))
    await cluster.advance(10_000)
    expect(await dataOf(cluster)).toEqual({ one: 'yes', two: 'yes' })
    expect(await isReady(cluster, 'a')).toBe(true)
  })
})
