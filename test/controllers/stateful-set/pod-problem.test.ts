// Problems of pods. The statuses are those of kubelet and scheduler of Kubernetes 1.36, reduced to the fields that the
// code reads and their neighbours.
import { describe, expect, it } from 'vitest'
import {
  type PodProblem,
  podProblemOf,
  problemOf,
  schedulingGraceMs,
} from '../../../src/controllers/stateful-set/pod-problem.ts'
import type { LiveObject } from '../../../src/index.ts'
import { live } from '../../objects.ts'

const image = 'valkey/valkey:8.0'

const pod = (name: string, status: object): LiveObject =>
  live({ kind: 'Pod', metadata: { name, namespace: 'shop' }, status })

/** Returns a scheduled pod whose only container is in this state. */
const withState = (state: object, name = 'cart-0', more: object = {}) =>
  pod(name, {
    phase: 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady' },
    ],
    containerStatuses: [{ name: 'kv', image, imageID: '', ready: false, restartCount: 0, state, ...more }],
  })
const waiting = (reason: string, message?: string) =>
  withState({ waiting: { reason, ...(message === undefined ? {} : { message }) } })
const nowMs = Date.parse('2026-01-01T12:00:00Z')
const unscheduled = (message: string, name = 'cart-0', lastTransitionTime = '2026-01-01T11:00:00Z') =>
  pod(name, {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime }],
  })

const backOff = `Back-off pulling image "${image}"`
const crash = 'back-off 2m40s restarting failed container=kv pod=cart-0_shop(1e0c)'
const noCpu =
  '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available'
const unbound = '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found'
const conflict = '0/3 nodes are available: 3 node(s) had volume node affinity conflict.'

describe('a pod', () => {
  it.each<{ title: string; given: LiveObject; trouble: PodProblem | undefined }>([
    {
      title: 'whose image cannot be pulled',
      given: waiting('ErrImagePull', 'rpc error: code = NotFound desc = failed to pull and unpack image'),
      trouble: {
        reason: 'ImagePullFailed',
        message: `pod cart-0 cannot get image ${image}: rpc error: code = NotFound desc = failed to pull and unpack image`,
      },
    },
    {
      title: 'whose image is waited for before the next try',
      given: waiting('ImagePullBackOff', backOff),
      trouble: { reason: 'ImagePullFailed', message: `pod cart-0 cannot get image ${image}: ${backOff}` },
    },
    {
      title: 'whose image has no valid name',
      given: waiting('InvalidImageName'),
      trouble: { reason: 'ImagePullFailed', message: `pod cart-0 cannot get image ${image}` },
    },
    {
      title: 'that crashes',
      given: withState({ waiting: { reason: 'CrashLoopBackOff', message: crash } }, 'cart-0', {
        restartCount: 5,
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      }),
      trouble: { reason: 'CrashLooping', message: `pod cart-0 crashes again and again: ${crash}` },
    },
    {
      title: 'that no node has room for',
      given: unscheduled(noCpu),
      trouble: { reason: 'Unschedulable', message: `pod cart-0 cannot be scheduled: ${noCpu}` },
    },
    {
      title: 'whose claim is not bound',
      given: unscheduled(unbound),
      trouble: { reason: 'VolumePending', message: `pod cart-0 cannot be scheduled: ${unbound}` },
    },
    {
      title: 'whose volume is elsewhere',
      given: unscheduled(conflict),
      trouble: { reason: 'VolumePending', message: `pod cart-0 cannot be scheduled: ${conflict}` },
    },
    { title: 'that is being made', given: waiting('ContainerCreating'), trouble: undefined },
    { title: 'that waits for its init containers', given: waiting('PodInitializing'), trouble: undefined },
    {
      title: 'that runs',
      given: withState({ running: { startedAt: '2026-01-01T00:00:00Z' } }, 'cart-0', { ready: true }),
      trouble: undefined,
    },
    { title: 'that has just ended', given: withState({ terminated: { exitCode: 1 } }), trouble: undefined },
    { title: 'that nobody has looked at', given: pod('cart-0', {}), trouble: undefined },
    { title: 'without a status', given: live({ kind: 'Pod' }), trouble: undefined },
    {
      title: 'that is held back by a scheduling gate',
      given: pod('cart-0', {
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'gated' }],
      }),
      trouble: undefined,
    },
    {
      title: 'with a status of another form',
      given: pod('cart-0', { containerStatuses: ['x', null, { state: 'y' }], conditions: 'z' }),
      trouble: undefined,
    },
  ])('$title gives $trouble.reason', ({ given, trouble }) => {
    expect(problemOf(given)).toEqual(trouble)
  })
})

describe('the problem of a store', () => {
  const pulling = (name: string) => withState({ waiting: { reason: 'ErrImagePull' } }, name)
  const crashing = (name: string) => withState({ waiting: { reason: 'CrashLoopBackOff' } }, name)

  it('is absent when no pod has one', () => {
    expect(podProblemOf([withState({ running: {} })], nowMs)).toBeUndefined()
    expect(podProblemOf([], nowMs)).toBeUndefined()
  })

  it('is the most severe one, not the first', () => {
    const pods = [unscheduled(noCpu, 'cart-0'), unscheduled(unbound, 'cart-1'), crashing('cart-2'), pulling('cart-3')]
    for (const gravest of ['ImagePullFailed', 'CrashLooping', 'VolumePending', 'Unschedulable'] as const)
      expect([gravest, podProblemOf(pods, nowMs)?.reason, pods.pop()]).toMatchObject([gravest, gravest, {}])
  })

  it('is that of the first pod of two equal ones, in any order', () => {
    const pods = [pulling('cart-1'), pulling('cart-0'), pulling('cart-2')]
    expect(podProblemOf(pods, nowMs)?.message).toContain('pod cart-0 ')
    expect(podProblemOf(pods.toReversed(), nowMs)?.message).toContain('pod cart-0 ')
  })

  it.each([
    { message: noCpu, ageMs: schedulingGraceMs - 1, reason: undefined },
    { message: noCpu, ageMs: schedulingGraceMs, reason: 'Unschedulable' },
    { message: unbound, ageMs: schedulingGraceMs - 1, reason: undefined },
    { message: unbound, ageMs: schedulingGraceMs, reason: 'VolumePending' },
  ])('is one of scheduling only when it lasts: after $ageMs ms it is $reason', ({ message, ageMs, reason }) => {
    const since = new Date(nowMs - ageMs).toISOString()
    expect(podProblemOf([unscheduled(message, 'cart-0', since)], nowMs)?.reason).toBe(reason)
  })

  it('that is recent does not hide one that lasts', () => {
    const young = unscheduled(unbound, 'cart-0', new Date(nowMs).toISOString())
    expect(podProblemOf([young, unscheduled(noCpu, 'cart-1')], nowMs)?.reason).toBe('Unschedulable')
  })
})
