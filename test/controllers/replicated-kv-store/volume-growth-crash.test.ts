// Volume expansion with an operator that dies at any request. Invariant (I3): the next process reaches the end state of
// a run without faults.
// Every claim requests the new size, and the StatefulSet was recreated exactly once.
import { describe, expect, it } from 'vitest'
import { ReplicatedKVStore } from '../../../imports/wire/replicated-kv-store.ts'
import { replicatedKvStore as controllerOf } from '../../../src/controllers/replicated-kv-store/replicated-kv-store.ts'
import { PersistentVolumeClaim, StatefulSet } from '../../../src/index.ts'
import { at, failure, type ModelRequest } from '../../model-api.ts'
import { claimKeys, key, refuseNewTemplates, replicas, storeOfThree } from './store-of-three.ts'

const replicatedKvStore = controllerOf()

/** Grows the volumes. The operator dies before or after the server has executed the request, and starts again. */
async function grow(crash?: { readonly when: 'before' | 'after'; readonly at: number }) {
  const world = storeOfThree()
  let requests = 0
  let isDead = false
  let isGrowing = false
  const strike = (when: 'before' | 'after', { verb }: ModelRequest) => {
    if (isDead) throw failure('Unreachable', 'the process is dead')
    if (!isGrowing || when !== crash?.when || verb === 'watch') return
    requests += 1
    if (requests !== crash.at) return
    isDead = true
    throw failure('Unreachable', 'the process is dead')
  }
  world.api.before = (request) => {
    strike('before', request)
    refuseNewTemplates(world, request)
  }
  world.api.after = (request) => strike('after', request)
  let life = await world.live(replicatedKvStore)
  isGrowing = true
  world.api.edit(ReplicatedKVStore, key, { spec: { storage: { size: '2Gi' } } })
  await world.clock.advance(60_000)
  const hasStruck = isDead
  if (isDead) {
    await life.end()
    isDead = false
    life = await world.live(replicatedKvStore)
  }
  await world.clock.advance(120_000)
  await life.drain()
  const { api } = world
  return {
    hasStruck,
    claims: claimKeys.map((claim) => at(api.find(PersistentVolumeClaim, claim), 'spec', 'resources', 'requests')),
    template: at(api.find(StatefulSet, key), 'spec', 'volumeClaimTemplates'),
    history: api.history.filter((line) => line.includes('StatefulSet') || line.startsWith('gone')),
  }
}

describe('a volume expansion', () => {
  it('grows the claims and recreates the StatefulSet, whatever request the process dies at', async () => {
    const { hasStruck: _, ...undisturbed } = await grow()
    expect(undisturbed).toMatchObject({
      claims: Array(replicas).fill({ storage: '2Gi' }),
      template: [{ spec: { resources: { requests: { storage: '2Gi' } } } }],
      history: [`created StatefulSet ${key}`, `gone StatefulSet ${key}`, `created StatefulSet ${key}`],
    })
    for (const when of ['before', 'after'] as const) {
      let crashAt = 1
      for (; ; crashAt++) {
        const { hasStruck, ...ended } = await grow({ when, at: crashAt })
        expect(ended, `${when} request ${crashAt}`).toEqual(undisturbed)
        if (!hasStruck) break
      }
      expect(crashAt, 'requests that were broken').toBeGreaterThan(5)
    }
  })

  it('changes nothing when the API server rejects a claim', async () => {
    const world = storeOfThree()
    world.api.before = (request) => {
      refuseNewTemplates(world, request)
      if (request.verb === 'apply' && request.key === claimKeys[1])
        throw failure('Forbidden', 'exceeded quota: requests.storage')
    }
    await world.live(replicatedKvStore)
    const uid = world.api.find(StatefulSet, key)?.metadata.uid
    world.api.edit(ReplicatedKVStore, key, { spec: { storage: { size: '2Gi' } } })
    await world.clock.advance(60_000)
    expect(world.api.find(StatefulSet, key)?.metadata.uid).toBe(uid)
    // World.conditions reads Sites.
    const conditions = at(world.api.find(ReplicatedKVStore, key), 'status', 'conditions')
    expect(JSON.stringify(conditions)).toContain('exceeded quota')
  })
})
