// Table of one member's decisions: slots that it takes, releases and claims, and members that it expels.
import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../src/object/object.ts'
import { defaultTiming } from '../../src/operator/election.ts'
import { memberLeaseOf, slotsText } from '../../src/operator/member-lease.ts'
import { afterList, decideShards, type MemberObservations, winnerOf } from '../../src/operator/shards.ts'
import { slotCount } from '../../src/reconcile/shard.ts'
import { leaseWith } from './leases.ts'

interface Ask {
  readonly slots?: readonly number[]
  readonly isReady?: boolean
  readonly holder?: string | undefined
  readonly version?: string
}

function lease(name: string, { slots = [], isReady = true, version = '1', ...ask }: Ask = {}): LiveObject {
  const holderIdentity = 'holder' in ask ? ask.holder : name
  const spec = holderIdentity === undefined ? {} : { holderIdentity, leaseDurationSeconds: 15 }
  const live = leaseWith(spec, version)
  const annotations = {
    'konverge.dev/slots': slotsText(new Set(slots)),
    'konverge.dev/member-state': isReady ? 'ready' : 'joining',
  }
  return { ...live, metadata: { ...live.metadata, name, annotations } }
}

const timing = defaultTiming
const all = Array.from({ length: slotCount }, (_, slot) => slot)
const slotsOf = (winner: string, members: readonly string[]) => all.filter((slot) => winnerOf(slot, members) === winner)
const mine = slotsOf('a', ['a', 'b'])

function decide(
  leases: readonly LiveObject[],
  over: { held?: readonly number[]; draining?: readonly number[]; writtenVersion?: string | undefined } = {},
  { before = new Map(), nowMs = 0 }: { before?: MemberObservations; nowMs?: number } = {},
) {
  const sightings = afterList(before, leases, { ownName: 'a', nowMs, timing })
  const own = leases.find(({ metadata }) => metadata.name === 'a')
  const decision = decideShards(
    sightings,
    {
      identity: 'a',
      lease: own && memberLeaseOf(own),
      writtenVersion: 'writtenVersion' in over ? over.writtenVersion : '1',
      held: new Set(over.held),
      draining: new Set(over.draining),
      timing,
    },
    nowMs,
  )
  return { sightings, decision }
}

describe('a member', () => {
  it('claims all slots if it is alone, and takes them when a list shows its claim', () => {
    const first = decide([lease('a')]).decision
    expect([first?.take, first?.claims.size]).toEqual([[], slotCount])
    expect(decide([lease('a', { slots: all })]).decision?.take).toEqual(all)
  })

  it('takes no slot before it is ready', () => {
    const decision = decide([lease('a', { slots: all, isReady: false })]).decision
    expect(decision).toMatchObject({ take: [], members: [] })
    expect(decision?.claims.size).toBe(0)
  })

  it('takes no claimed slot while another member claims it too, and keeps the claim', () => {
    const decision = decide([lease('a', { slots: mine }), lease('b', { slots: all })]).decision
    expect(decision?.take).toEqual([])
    expect([...(decision?.claims ?? [])]).toEqual(mine)
  })

  it('does not claim slots that another member claims', () => {
    expect(decide([lease('a'), lease('b', { slots: all })]).decision?.claims.size).toBe(0)
  })

  it('withdraws claims of slots that the hash assigns to another member', () => {
    const decision = decide([lease('a', { slots: all }), lease('b', { slots: [] })]).decision
    expect([...(decision?.claims ?? [])]).toEqual(mine)
    expect(decision?.take).toEqual(mine)
  })

  it('takes no slot after a write with unknown outcome', () => {
    expect(decide([lease('a', { slots: all })], { writtenVersion: undefined }).decision?.take).toEqual([])
    expect(decide([lease('a', { slots: all, version: '2' })]).decision?.take).toEqual([])
  })

  it('releases slots that the hash assigns to another member, and claims them until then', () => {
    const decision = decide([lease('a', { slots: all }), lease('b')], { held: all, draining: [mine[0] ?? 0] }).decision
    expect(decision?.give).toEqual(slotsOf('b', ['a', 'b']))
    expect(decision?.claims.size).toBe(slotCount)
  })

  it.each([
    ['is gone', [lease('b')]],
    ['has no holder', [lease('a', { holder: undefined })]],
    ['has another holder', [lease('a', { holder: 'b' })]],
  ])('has lost if its Lease %s', (_, leases) => {
    expect(decide(leases).decision).toBeUndefined()
  })
})

describe('another member', () => {
  const other = lease('b', { slots: all })
  const own = lease('a')

  it('is expelled when its Lease has not changed for its duration, and counts until then', () => {
    const { sightings } = decide([own, other])
    expect(decide([own, other], {}, { before: sightings, nowMs: 14_999 }).decision?.expel).toEqual([])
    const late = decide([own, other], {}, { before: sightings, nowMs: 15_000 }).decision
    expect(late?.expel.map(({ name }) => name)).toEqual(['b'])
    expect(late?.claims.size).toBe(0)
  })

  it('stays alive with each change of its Lease', () => {
    const { sightings } = decide([own, other])
    const renewed = lease('b', { slots: all, version: '2' })
    expect(decide([own, renewed], {}, { before: sightings, nowMs: 20_000 }).decision?.expel).toEqual([])
  })

  it('keeps its slots until its end after its Lease is deleted by hand', () => {
    const { sightings } = decide([own, other])
    const gone = decide([own], {}, { before: sightings, nowMs: 1_000 })
    expect(gone.decision).toMatchObject({ members: ['a'], take: [], expel: [], remove: [] })
    expect(gone.decision?.claims.size).toBe(0)
    const ended = decide([own], {}, { before: gone.sightings, nowMs: 15_000 })
    expect(ended.decision?.claims.size).toBe(slotCount)
  })

  it('is no member after it left, and its Lease is removed later', () => {
    const left = lease('b', { holder: undefined })
    const { sightings, decision } = decide([own, left])
    expect(decision).toMatchObject({ members: ['a'], remove: [] })
    expect(decision?.claims.size).toBe(slotCount)
    const later = decide([own, left], {}, { before: sightings, nowMs: 15_000 }).decision
    expect(later?.remove.map(({ name }) => name)).toEqual(['b'])
  })
})

describe('the rendezvous hash', () => {
  const members = Array.from({ length: 8 }, (_, index) => `operator-7d9f-${index}_4fa${index}c`)

  it('moves slots only to a joining member, and only those of a leaving one', () => {
    for (const [index, newcomer] of members.entries()) {
      const others = members.filter((_, other) => other !== index)
      for (const slot of all) expect([newcomer, winnerOf(slot, others)]).toContain(winnerOf(slot, members))
    }
  })

  it.each([2, 3, 5, 8])('gives each of %i members its share, within 40 %%', (count) => {
    const some = members.slice(0, count)
    for (const member of some) {
      const share = slotsOf(member, some).length / (slotCount / count)
      expect(share).toBeGreaterThan(0.6)
      expect(share).toBeLessThan(1.4)
    }
  })

  it('assigns no slot without members', () => {
    expect(winnerOf(0, [])).toBeUndefined()
  })
})
