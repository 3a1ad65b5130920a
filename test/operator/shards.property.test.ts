// Properties of shards: never two owners of a slot, whatever members, networks and clocks do; all slots are worked when
// disturbances end.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slotCount } from '../../src/reconcile/shard.ts'
import { type Luck, type MemberPlan, ShardWorld } from './shard-world.ts'

const good: Luck = { toServerMs: 2, toUsMs: 2, lost: 'none' }
const luck: fc.Arbitrary<Luck> = fc.record({
  toServerMs: fc.oneof({ weight: 4, arbitrary: fc.nat(400) }, fc.nat(9_000), fc.nat(20_000)),
  toUsMs: fc.oneof({ weight: 4, arbitrary: fc.nat(400) }, fc.nat(8_000)),
  lost: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'none', 'request', 'answer'),
})
const plan: fc.Arbitrary<MemberPlan> = fc.record({
  startMs: fc.oneof(fc.nat(1_000), fc.nat(40_000)),
  rate: fc.double({ min: 1, max: 1.49, noNaN: true }),
  luck: fc.oneof(fc.constant([good]), fc.array(luck, { minLength: 1, maxLength: 12 })),
  prepareMs: fc.oneof(fc.constant(0), fc.nat(3_000)),
  fillMs: fc.nat(5_000),
  reconcileMs: fc.oneof(fc.nat(1_000), fc.nat(30_000)),
  sleeps: fc.array(fc.record({ atMs: fc.nat(60_000), forMs: fc.nat(40_000) }), { maxLength: 2 }),
  end: fc.option(fc.record({ atMs: fc.nat(60_000), kind: fc.constantFrom('killed', 'stopped') }), { nil: undefined }),
})
const calm: MemberPlan = {
  ...{ startMs: 0, rate: 1, luck: [good], prepareMs: 100, fillMs: 500, reconcileMs: 200, sleeps: [], end: undefined },
}

describe('members', () => {
  it('never share a slot, and work all slots after disturbances end', async () => {
    const seen = { taken: 0, cuts: 0, lost: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 5 }), async (plans) => {
        const world = new ShardWorld()
        for (const its of plans) world.add(its)
        await world.clock.advance(100_000)
        for (const member of world.members) if (member.isAlive) member.kill()
        // Requests that were sent by then may still arrive.
        const survivors = [world.add({ ...calm, startMs: 100_000 }), world.add({ ...calm, startMs: 101_000 })]
        await world.clock.advance(80_000)
        expect(world.violations).toEqual([])
        expect(world.worked).toBe(slotCount)
        seen.taken += world.taken
        seen.cuts += world.cuts
        for (const survivor of survivors) survivor.kill()
      }),
      { numRuns: 100 },
    )
    expect(seen.taken).toBeGreaterThan(500)
    expect(seen.cuts).toBeGreaterThan(10)
  })

  it('divide the slots within seconds after one joins, stops or is killed', async () => {
    const world = new ShardWorld()
    const [first, second] = [world.add(calm), world.add({ ...calm, startMs: 10_000 })]
    await world.clock.advance(9_000)
    expect(first.shard.slotsIn('worked')).toHaveLength(slotCount)
    await world.clock.advance(8_000)
    expect(world.worked).toBe(slotCount)
    const [left, right] = [first, second].map(({ shard }) => shard.slotsIn('worked').length)
    expect(Math.min(left ?? 0, right ?? 0)).toBeGreaterThan(80)
    await first.stop()
    await world.clock.advance(4_000)
    expect(second.shard.slotsIn('worked')).toHaveLength(slotCount)
    const third = world.add({ ...calm, startMs: world.clock.monotonicMs() })
    await world.clock.advance(8_000)
    second.kill()
    await world.clock.advance(22_000)
    expect(third.shard.slotsIn('worked')).toHaveLength(slotCount)
    expect(world.violations).toEqual([])
    third.kill()
  })

  it('abort a reconcile that does not end, and hand its slot over after pending requests had time', async () => {
    const world = new ShardWorld()
    const slow = world.add({ ...calm, reconcileMs: 3_600_000 })
    await world.clock.advance(10_000)
    const second = world.add({ ...calm, startMs: 10_000 })
    // The hand-over limit, half a second for other rounds, and the rest of the Lease's duration.
    await world.clock.advance(30_000)
    expect(world.worked).toBe(slotCount)
    expect(world.violations).toEqual([])
    for (const member of [slow, second]) member.kill()
  })
})
