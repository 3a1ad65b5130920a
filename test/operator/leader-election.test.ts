import { describe, expect, it } from 'vitest'
import { defaultTiming } from '../../src/operator/election.ts'
import {
  type LeaderElection,
  type LeaderElectionOptions,
  leaderElectionOf,
  type Whereabouts,
} from '../../src/operator/leader-election.ts'

const inPod: Whereabouts = { operatorName: 'shop', identity: 'pod-1_abc', podNamespace: 'ops' }
const outside: Whereabouts = { operatorName: 'shop', identity: 'laptop_abc', podNamespace: undefined }

describe('leader election', () => {
  it.each<{
    title: string
    options: LeaderElectionOptions
    where: Whereabouts
    lease: LeaderElection['lease'] | undefined
  }>([
    { title: 'is on in a pod', options: {}, where: inPod, lease: { namespace: 'ops', name: 'shop' } },
    { title: 'is off elsewhere', options: {}, where: outside, lease: undefined },
    { title: 'may be off in a pod', options: { enabled: false }, where: inPod, lease: undefined },
    {
      title: 'may be on elsewhere, when told where',
      options: { enabled: true, leaseNamespace: 'dev' },
      where: outside,
      lease: { namespace: 'dev', name: 'shop' },
    },
    {
      title: 'takes another lease',
      options: { leaseName: 'other', leaseNamespace: 'there' },
      where: inPod,
      lease: { namespace: 'there', name: 'other' },
    },
  ])('$title', ({ options, where, lease }) => {
    expect(leaderElectionOf(options, where)?.lease).toEqual(lease)
  })

  it('has default times of 15, 10 and 2 seconds', () => {
    expect(leaderElectionOf({}, inPod)?.timing).toEqual(defaultTiming)
    expect(leaderElectionOf({ leaseDurationMs: 30_000 }, inPod)?.timing).toEqual({
      ...defaultTiming,
      durationMs: 30_000,
    })
  })

  it('rejects invalid times, and a Lease without a namespace', () => {
    expect(() => leaderElectionOf({ leaseDurationMs: 10_000 }, inPod)).toThrow(/10 s, 10 s and 2 s/)
    expect(() => leaderElectionOf({ enabled: true }, outside)).toThrow(/name its namespace with --lease-namespace/)
  })
})
