// A process without shards, and members of the same operator: only one of the two kinds reconciles at a time.
import { expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { Fence } from '../../src/kube/fence.ts'
import { Lease } from '../../src/object/built-in.ts'
import { defaultTiming as timing } from '../../src/operator/election.ts'
import { Elector } from '../../src/operator/elector.ts'
import { GroupLeaseRunner } from '../../src/operator/group-lease-runner.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { at, ModelApi } from '../model-api.ts'

const lease = { namespace: 'ops', name: 'shop' }

class Operators {
  readonly clock = new SimClock()
  readonly api = new ModelApi(this.clock)
  readonly #surroundings = {
    clock: this.clock,
    random: seededRandom(1),
    instruments: silentInstruments,
    client: this.api,
  }

  /** Starts a process without shards. */
  leader() {
    const stop = new AbortController()
    const fence = new Fence(this.clock)
    const its = { fence, lease, timing, identity: 'pod-0', fieldManager: 'shop-lease' }
    const ended = new Elector({ ...this.#surroundings, ...its }).run(stop.signal).catch((thrown: unknown) => thrown)
    return { fence, stop, ended }
  }

  members() {
    const stop = new AbortController()
    const seen = { mayJoin: false }
    const runner = new GroupLeaseRunner({ ...this.#surroundings, lease, timing, fieldManager: 'shop-lease' })
    const ended = runner.hold(stop.signal).then(
      () => {
        seen.mayJoin = true
      },
      () => {},
    )
    return { seen, stop, ended }
  }
}

it('members wait until the leader without shards has released its Lease', async () => {
  const operators = new Operators()
  const leader = operators.leader()
  await operators.clock.advance(5_000)
  const { seen, ended } = operators.members()
  await operators.clock.advance(600_000)
  expect(seen.mayJoin).toBe(false)
  leader.stop.abort()
  await operators.clock.advance(3_000)
  await Promise.all([ended, leader.ended])
  expect(seen.mayJoin).toBe(true)
})

it('members wait until the Lease of a killed leader has expired', async () => {
  const operators = new Operators()
  operators.api.put(Lease, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: lease,
    spec: { holderIdentity: 'pod-0', leaseDurationSeconds: 30, renewTime: '2020-01-01T00:00:00.000000Z' },
  })
  const { seen } = operators.members()
  await operators.clock.advance(29_000)
  expect(seen.mayJoin).toBe(false)
  await operators.clock.advance(5_000)
  expect(seen.mayJoin).toBe(true)
})

it('a process without shards stands by for members, and leads after a user deletes their Lease', async () => {
  const operators = new Operators()
  for (const { seen, ended } of [operators.members(), operators.members()]) {
    await operators.clock.advance(3_000)
    await ended
    expect(seen.mayJoin).toBe(true)
  }
  expect(at(operators.api.find(Lease, 'ops/shop'), 'spec', 'holderIdentity')).toBe('shop-members')
  const waiting = operators.leader()
  await operators.clock.advance(24 * 3_600_000)
  expect(waiting.fence.isOpen).toBe(false)
  waiting.stop.abort()
  await operators.clock.advance(3_000)
  await waiting.ended
  operators.api.remove(Lease, 'ops/shop')
  const leader = operators.leader()
  await operators.clock.advance(3_000)
  expect(leader.fence.isOpen).toBe(true)
  leader.stop.abort()
  await operators.clock.advance(3_000)
  await leader.ended
})
