// Children of a custom kind whose maps and lists are declared empty after they had members, on the embedded server.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { defineController, shared } from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { childResource, definitionOf, parentResource, strangerVersion } from '../strangers/stranger-kinds.ts'

const Parent = parentResource('Alpha')
const Part = childResource('Part')

/** Declares the Part `a` with the spec that `rev` of its resource selects. */
function partController(specs: readonly JsonObject[], sharedPath?: string) {
  return defineController(Parent, {
    owns: [{ resource: Part, hasStatus: false }],
    desired: (chart, { object }) => {
      const spec = specs[object.spec.rev]
      const part = { apiVersion: strangerVersion, kind: 'Part', metadata: { name: 'a' }, spec }
      const child = new ApiObject(chart, 'part', part)
      if (sharedPath !== undefined) shared(child, sharedPath)
    },
    status: () => ({ fields: {}, conditions: [] }),
  })
}

async function clusterWith(specs: readonly JsonObject[], sharedPath?: string): Promise<TestCluster> {
  const definitions = [definitionOf('Alpha'), definitionOf('Part')]
  const cluster = await startCluster({ definitions, controllers: ['garbage-collector'] })
  cluster.run(partController(specs, sharedPath))
  await cluster.create(Parent, { metadata: { name: 'a' }, spec: { rev: 0, size: 0 } })
  await cluster.settle()
  return cluster
}

const declare = (cluster: TestCluster, rev: number) => cluster.patch(Parent, 'a', { spec: { rev } })
const specOf = async (cluster: TestCluster) => (await cluster.find(Part, 'a'))?.['spec']
const isReady = async (cluster: TestCluster) => (await cluster.condition(Parent, 'a', 'Ready'))?.status

describe('a value that is declared empty after it had members', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['a map', { options: { k: '1', l: '1' } }, { options: {} }, { options: {}, size: 3 }],
    [
      'a map beside others',
      { note: 'x', options: { k: '1' } },
      { note: 'x', options: {} },
      { note: 'x', options: {}, size: 3 },
    ],
    ['a struct with a map', { options: { k: '1' }, size: 1 }, {}, { size: 3 }],
    ['a struct without a list', { ports: [{ name: 'a' }], size: 1 }, {}, { size: 3 }],
    ['a struct with an empty set', { note: 'x', tags: [] }, {}, { size: 3, tags: [] }],
    ['a struct of which a member has its default', { size: 3, options: {} }, { tags: [] }, { size: 3, tags: [] }],
    ['a list map', { ports: [{ name: 'a' }] }, { ports: [] }, { ports: [], size: 3 }],
    ['a set', { note: 'x', tags: ['s', 't'] }, { tags: [] }, { tags: [], size: 3 }],
    ['an atomic list', { modes: [{ name: 'a' }] }, { modes: [] }, { modes: [], size: 3 }],
  ])('is stored empty: %s', async (_, before, after, stored) => {
    await using cluster = await clusterWith([before, after])
    await declare(cluster, 1)
    await cluster.settle()
    expect(await specOf(cluster)).toEqual(stored)
    expect(await isReady(cluster)).toBe('True')
    const records = (await cluster.find(Part, 'a'))?.metadata.managedFields ?? []
    expect(records.map(({ operation }) => operation)).toEqual(['Apply'])
    const asked = await cluster.requestsDuring(600_000)
    expect(asked.filter(({ verb }) => verb !== 'watch')).toEqual([])
  })

  it('keeps the members of other managers', async () => {
    await using cluster = await clusterWith([{ options: { k: '1' } }, { options: {} }])
    await cluster.patch(Part, 'a', { spec: { options: { theirs: '1' } } })
    await declare(cluster, 1)
    await cluster.settle()
    expect(await specOf(cluster)).toEqual({ options: { theirs: '1' }, size: 3 })
    expect(await isReady(cluster)).toBe('True')
  })

  it('is emptied when it is dropped and another manager owns a field of an item', async () => {
    await using cluster = await clusterWith([{ ports: [{ name: 'a', port: 80 }], note: 'x' }, { note: 'x' }])
    // The operator takes the port; the protocol stays with the other manager.
    await cluster.patch(Part, 'a', { spec: { ports: [{ name: 'a', port: 81, protocol: 'UDP' }] } })
    await cluster.settle()
    await declare(cluster, 1)
    await cluster.settle()
    expect(await specOf(cluster)).toEqual({ note: 'x', ports: [], size: 3 })
    expect(await isReady(cluster)).toBe('True')
  })

  it('becomes empty after a crash between its requests', async () => {
    await using cluster = await clusterWith([
      { options: { k: '1' }, note: 'x' },
      { options: {}, note: 'x' },
    ])
    cluster.faults.add({ fault: { kind: 'cut', when: 'after' }, on: { verbs: ['patch'], resource: 'parts' }, times: 2 })
    await declare(cluster, 1)
    await cluster.settle()
    expect(await specOf(cluster)).toEqual({ options: {}, note: 'x', size: 3 })
    expect(await isReady(cluster)).toBe('True')
  })
})

describe('a policy below a map that was declared as {}', () => {
  it('protects its field while the others are applied', async () => {
    await using cluster = await clusterWith([{}, { note: 'x' }], 'spec.size')
    await cluster.patch(Part, 'a', { spec: { size: 7 } })
    await declare(cluster, 1)
    await cluster.settle()
    expect(await specOf(cluster)).toEqual({ note: 'x', size: 7 })
    expect(await isReady(cluster)).toBe('True')
  })

  it('is rejected inside an atomic map', async () => {
    await using cluster = await clusterWith([{ block: { mode: '0' } }, { block: { mode: '1' } }], 'spec.block.level')
    await declare(cluster, 1)
    await cluster.settle()
    expect(await specOf(cluster)).toEqual({ block: { mode: '0', level: 1 }, size: 3 })
    expect(await cluster.condition(Parent, 'a', 'Ready')).toMatchObject({ status: 'False', reason: 'PolicyOutOfReach' })
  })
})
