import { describe, expect, it } from 'vitest'
import { applyMergePatch } from '../../src/base/json-patch.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { asJson } from '../../src/object/object.ts'
import { claimPatch, firstLease, holderOf, isReleased, leaseSpecOf, releasePatch } from '../../src/operator/lease.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { leaseWith } from './leases.ts'

const clock = new SimClock(Date.UTC(2026, 0, 2, 3, 4, 5, 60))
const now = '2026-01-02T03:04:05.060000Z'
const earlier = '2026-01-01T00:00:00.000000Z'
const claim = { identity: 'me', durationMs: 15_000 }
const patched = (lease: LiveObject, patch: Parameters<typeof applyMergePatch>[1]) =>
  applyMergePatch(asJson(lease), patch) as unknown as LiveObject
const held = leaseWith({
  holderIdentity: 'me',
  leaseDurationSeconds: 15,
  acquireTime: earlier,
  renewTime: earlier,
  leaseTransitions: 3,
})

describe('a lease', () => {
  it('starts with its first holder if it does not exist', () => {
    expect(firstLease({ namespace: 'ops', name: 'konverge' }, claim, clock)).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'ops', name: 'konverge' },
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: now,
        renewTime: now,
        leaseTransitions: 0,
      },
    })
  })

  it('is renewed by its holder with a change of only its renew time', () => {
    const renewed = patched(held, claimPatch(held, claim, clock))
    expect(renewed).toEqual({ ...held, spec: { ...leaseSpecOf(held), renewTime: now } })
  })

  it('counts a transition when another holder takes it', () => {
    const taken = patched(held, claimPatch(held, { ...claim, identity: 'you' }, clock))
    expect(leaseSpecOf(taken)).toEqual({
      holderIdentity: 'you',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 4,
    })
  })

  it('keeps fields of others', () => {
    const theirs = leaseWith({ ...leaseSpecOf(held), strategy: 'OldestEmulationVersion' } as never)
    const lease = { ...theirs, metadata: { ...theirs.metadata, labels: { team: 'a' } } }
    for (const patch of [claimPatch(lease, claim, clock), releasePatch(lease)]) {
      expect(patched(lease, patch).metadata.labels).toEqual({ team: 'a' })
      expect(patched(lease, patch).spec).toMatchObject({ strategy: 'OldestEmulationVersion', leaseTransitions: 3 })
    }
  })

  it('has no holder after a release, in contrast to one that lost its holder by hand', () => {
    const released = patched(held, releasePatch(held))
    expect(leaseSpecOf(released)).toEqual({ leaseTransitions: 3 })
    expect(isReleased(released)).toBe(true)
    expect(isReleased(leaseWith({ holderIdentity: '', renewTime: earlier }))).toBe(false)
  })

  it('has no holder with an empty name or without a spec', () => {
    const { spec: _, ...bare } = leaseWith({})
    expect([holderOf(leaseWith({ holderIdentity: '' })), holderOf(bare), isReleased(bare)]).toEqual([
      undefined,
      undefined,
      true,
    ])
  })

  it.each([
    { title: 'claim', patch: claimPatch(held, claim, clock) },
    { title: 'release', patch: releasePatch(held) },
  ])('has a $title that holds for the version that was read', ({ patch }) => {
    expect(patch['metadata']).toEqual({ resourceVersion: '1' })
  })

  it('lasts whole seconds, never less than the holder’s duration', () => {
    const { spec } = firstLease({ namespace: 'a', name: 'b' }, { ...claim, durationMs: 4_001 }, clock)
    expect(spec).toMatchObject({ leaseDurationSeconds: 5 })
  })
})
