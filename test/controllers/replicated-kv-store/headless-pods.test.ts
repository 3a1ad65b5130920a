// Pods without a controller: while volumes grow, the StatefulSet is absent for a moment. Invariant: neither a rejected
// claim nor the deletion of the store leaves them in this state.
import { describe, expect, it } from 'vitest'
import { ReplicatedKVStore } from '../../../imports/wire/replicated-kv-store.ts'
import { replicatedKvStore as controllerOf } from '../../../src/controllers/replicated-kv-store/replicated-kv-store.ts'
import { headlessPodStep } from '../../../src/controllers/stateful-set/headless-pods.ts'
import { PersistentVolumeClaim, Pod, StatefulSet } from '../../../src/index.ts'
import { partOfLabel } from '../../../src/synth/membership.ts'
import { failure } from '../../model-api.ts'
import { live } from '../../objects.ts'
import type { World } from '../../reconcile/life.ts'
import { claimKeys, key, labels, refuseNewTemplates, storeOfThree } from './store-of-three.ts'

const replicatedKvStore = controllerOf()

/** Creates this state: the operator dies when it has orphaned the pods of the StatefulSet. */
async function storeWithoutStatefulSet(): Promise<World> {
  const world = storeOfThree()
  let isDead = false
  world.api.before = (request) => {
    if (isDead) throw failure('Unreachable', 'the process is dead')
    refuseNewTemplates(world, request)
  }
  world.api.after = ({ verb, plural }) => {
    isDead ||= verb === 'delete' && plural === 'statefulsets'
  }
  const life = await world.live(replicatedKvStore)
  world.api.edit(ReplicatedKVStore, key, { spec: { storage: { size: '2Gi' } } })
  await world.clock.advance(1_000)
  await life.end()
  world.api.after = () => {}
  isDead = false
  expect(world.api.find(StatefulSet, key)).toBeUndefined()
  expect(world.api.all(Pod)).toHaveLength(3)
  return world
}

describe('pods whose StatefulSet is gone', () => {
  it('get a StatefulSet again even if a claim may not grow further', async () => {
    const world = await storeWithoutStatefulSet()
    world.api.before = (request) => {
      if (request.verb === 'apply' && request.key === claimKeys[1]) throw failure('Forbidden', 'exceeded quota')
      refuseNewTemplates(world, request)
    }
    world.api.edit(ReplicatedKVStore, key, { spec: { storage: { size: '3Gi' } } })
    await world.live(replicatedKvStore)
    await world.clock.advance(60_000)
    expect(world.api.find(StatefulSet, key)).toBeDefined()
  })

  it('are deleted with their store, and their claims stay', async () => {
    const world = await storeWithoutStatefulSet()
    world.api.put(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'look-at-cart', namespace: 'default', labels },
    })
    world.api.remove(ReplicatedKVStore, key)
    await world.live(replicatedKvStore)
    for (let minute = 0; minute < 3; minute++) {
      world.api.collectGarbage()
      await world.clock.advance(60_000)
    }
    expect(world.api.find(ReplicatedKVStore, key)).toBeUndefined()
    expect(world.api.all(Pod).map(({ metadata }) => metadata.name)).toEqual(['look-at-cart'])
    expect(world.api.all(PersistentVolumeClaim)).toHaveLength(3)
  })
})

describe('the step for the pods of a deleted store', () => {
  const owner = (kind: string) => ({
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'x', uid: 'x', controller: true }],
  })
  const pod = (name: string, metadata: object = {}) =>
    live({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata } })
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' }

  it.each([
    { title: 'none there', pods: [], kind: undefined },
    { title: 'one of a StatefulSet that is gone', pods: [pod('cart-0', owner('StatefulSet'))], kind: 'waiting' },
    { title: 'one of something else', pods: [pod('cart-0', owner('Thing'))] },
    { title: 'one that goes already', pods: [pod('cart-0', leaving)] },
    {
      title: 'one without a controller',
      pods: [pod('cart-0', leaving), pod('cart-1')],
      kind: 'waiting',
      takes: 'cart-1',
    },
  ])('with $title', ({ pods, kind, takes }) => {
    const step = headlessPodStep(pods)
    expect(step?.kind).toBe(kind)
    expect(step?.kind === 'waiting' ? step.repair?.delete.metadata.name : undefined).toBe(takes)
  })
})

it('a StatefulSet that was left alone keeps its pods when its store is deleted', async () => {
  const world = storeOfThree()
  await world.live(replicatedKvStore)
  world.api.edit(StatefulSet, key, { metadata: { ownerReferences: [], labels: { [partOfLabel]: null } } })
  world.api.remove(ReplicatedKVStore, key)
  for (let minute = 0; minute < 3; minute++) {
    world.api.collectGarbage()
    await world.clock.advance(60_000)
  }
  expect(world.api.find(ReplicatedKVStore, key)).toBeUndefined()
  expect(world.api.all(Pod)).toHaveLength(3)
})

describe('claims and pods that only have the label of a store', () => {
  const ofOthers = ['backup-cart-0', 'data-cart-2-0', 'data-cart-03', 'data-cart-4-copy']

  it('are not resized, block nothing and are not counted', async () => {
    const world = storeOfThree()
    for (const name of [...ofOthers, 'copy-of-cart-3']) {
      world.api.put(PersistentVolumeClaim, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace: 'default', labels },
        spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
        status: { phase: 'Bound', capacity: { storage: '1Gi' } },
      })
    }
    world.api.before = (request) => refuseNewTemplates(world, request)
    await world.live(replicatedKvStore)
    world.api.edit(ReplicatedKVStore, key, { spec: { replicas: 5, storage: { size: '2Gi' } } })
    await world.clock.advance(60_000)
    expect(world.api.writes.filter((line) => line.includes('persistentvolumeclaims'))).toEqual(
      claimKeys.map((claim) => `apply persistentvolumeclaims ${claim}`),
    )
    expect(world.api.find(StatefulSet, key)).toMatchObject({ spec: { replicas: 5 } })
    expect(world.api.find(ReplicatedKVStore, key)?.status).not.toHaveProperty('retainedPVCs')
  })
})
