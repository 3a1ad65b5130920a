// Users of one namespace cannot keep an undeclared child in another one. The replacement of a child exists before the
// child is pruned. Whole reconciles over the embedded API server.
import { afterEach, describe, expect, it } from 'vitest'
import { ConfigMap, Namespace } from '../../src/object/built-in.ts'
import type { StatusWithConditions } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { addObject } from '../../src/synth/plain-object.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { definitionOf } from './tenants.ts'

interface SpreadSpec {
  readonly in: readonly string[]
  readonly value?: string
  readonly isSingle?: boolean
}

const Spread = defineResource<SpreadSpec, StatusWithConditions>({
  ...{ group: 'example.com', version: 'v1', kind: 'Spread', plural: 'spreads', scope: 'Namespaced' },
})
const text = { type: 'string' }
const spreadSpec = {
  type: 'object',
  properties: { in: { type: 'array', items: text }, value: text, isSingle: { type: 'boolean' } },
}

/** Declares a child `x` in each namespace, and a `y` that depends on it, unless `x` is the only one. */
const spread = defineController<SpreadSpec, StatusWithConditions, undefined>(Spread, {
  owns: [ConfigMap],
  desired: (chart, { object: { spec } }) => {
    for (const namespace of spec.in) {
      const names = spec.isSingle ? ['x'] : ['x', 'y']
      const [x, y] = names.map((name) =>
        addObject(chart, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace },
          data: { value: spec.value ?? '' },
        }),
      )
      if (x !== undefined) y?.node.addDependency(x)
    }
  },
  status: () => ({ fields: {}, conditions: [] }),
})

let cluster: TestCluster
afterEach(() => cluster.stop())

async function settle(): Promise<void> {
  cluster = await startCluster({ definitions: [definitionOf('Spread', spreadSpec)] })
  for (const name of ['n0', 'n1', 'n2']) await cluster.create(Namespace, { metadata: { name } })
  cluster.run(spread)
  await cluster.create(Spread, { metadata: { name: 'a' }, spec: { in: ['n0', 'n1', 'n2'] } })
  await cluster.settle()
}

const declare = (spec: SpreadSpec) => cluster.patch(Spread, 'a', { spec })
const ready = async () => (await cluster.condition(Spread, 'a', 'Ready'))?.message
const found = async () => {
  const keys = ['n0', 'n1', 'n2'].flatMap((namespace) => ['x', 'y'].map((name) => `${namespace}/${name}`))
  const live = await Promise.all(keys.map((key) => cluster.find(ConfigMap, key)))
  return keys.filter((_, index) => live[index] !== undefined)
}
const recorded = async () => {
  const status = (await cluster.find(Spread, 'a'))?.status as
    | { inventory?: { namespace: string; name: string }[] }
    | undefined
  return (status?.inventory ?? []).map(({ namespace, name }) => `${namespace}/${name}`)
}
const forge = (key: string) =>
  cluster.patch(ConfigMap, key, { metadata: { annotations: { 'konverge.dev/inventory-token': 'forged' } } })

describe('a child that is no longer declared', () => {
  it('is pruned while users of another namespace forge the token of their child', async () => {
    await settle()
    await forge('n0/x')
    await declare({ in: ['n0', 'n2'] })
    await cluster.advance(60_000)
    expect(await found()).toEqual(['n0/x', 'n0/y', 'n2/x', 'n2/y'])
    expect(await ready()).toContain('ConfigMap n0/x exists and is not controlled by Spread default/a')
    await cluster.advance(600_000)
    expect(await recorded()).toEqual(['n0/x', 'n0/y', 'n2/x', 'n2/y'])
  })

  it('is pruned while users of another namespace put their own object in the place of a child', async () => {
    await settle()
    await declare({ in: ['n1'] })
    await cluster.settle()
    await cluster.create(ConfigMap, { metadata: { name: 'x', namespace: 'n0' } })
    await declare({ in: ['n0', 'n2'] })
    await cluster.advance(60_000)
    expect(await found()).toEqual(['n0/x', 'n2/x', 'n2/y'])
  })

  it('is pruned while users of another namespace make the change of their child impossible', async () => {
    await settle()
    await cluster.patch(ConfigMap, 'n0/x', { immutable: true })
    await declare({ in: ['n0', 'n2'], value: 'new' })
    await cluster.advance(60_000)
    expect(await found()).toEqual(['n0/x', 'n0/y', 'n2/x', 'n2/y'])
    expect(await ready()).toContain('ConfigMap n0/x')
  })

  it('stays in the namespace of the failure, and the message names it', async () => {
    await settle()
    await forge('n0/x')
    await declare({ in: ['n0', 'n1', 'n2'], isSingle: true })
    await cluster.advance(60_000)
    expect(await found()).toEqual(['n0/x', 'n0/y', 'n1/x', 'n2/x'])
    expect(await ready()).toMatch(/; 1 child that is no longer declared stays until then$/)
    await cluster.delete(ConfigMap, 'n0/x')
    await cluster.settle(300_000)
    expect(await found()).toEqual(['n0/x', 'n1/x', 'n2/x'])
    expect(await ready()).toBe('everything is as declared')
  })

  it('stays until its replacement exists, and the message names it', async () => {
    await settle()
    await declare({ in: ['n1'] })
    await cluster.settle()
    const rule = { fault: { kind: 'refuse', code: 503 }, on: { verbs: ['patch'], namespace: 'n2' } } as const
    const isOver = cluster.faults.add(rule)
    await declare({ in: ['n2'] })
    await cluster.advance(60_000)
    expect(await found()).toEqual(['n1/x', 'n1/y'])
    expect(await ready()).toMatch(/; 2 children that are no longer declared stay until then$/)
    isOver()
    await cluster.settle(300_000)
    expect(await found()).toEqual(['n2/x', 'n2/y'])
  })
})

it('requests only the conflicting object once the child is gone', async () => {
  await settle()
  await forge('n0/x')
  await declare({ in: ['n0', 'n2'] })
  await cluster.advance(600_000)
  const asked = await cluster.requestsDuring(1_200_000)
  const others = asked.filter(({ verb, name }) => verb !== 'watch' && name !== 'x')
  expect(others.map(({ verb, path }) => `${verb} ${path}`)).toEqual([])
  expect(await found()).toEqual(['n0/x', 'n0/y', 'n2/x', 'n2/y'])
})
