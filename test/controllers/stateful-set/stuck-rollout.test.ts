import { describe, expect, it } from 'vitest'
import {
  type BlockingPod,
  blockingPodOf,
  failedAfterMs,
  stuckRolloutRepair,
} from '../../../src/controllers/stateful-set/stuck-rollout.ts'
import type { LiveObject } from '../../../src/index.ts'
import { live } from '../../objects.ts'

const nowMs = Date.parse('2026-01-01T12:00:00Z')
const ago = (ms: number) => new Date(nowMs - ms).toISOString()

interface GivenPod {
  readonly ready?: boolean
  readonly waits?: string
  /** Time since the last change of its Ready condition. */
  readonly forMs?: number
  readonly revision?: string
  readonly metadata?: object
}

function pod(ordinal: number, { ready = false, waits, forMs = 1_000, revision = 'bad', metadata = {} }: GivenPod = {}) {
  return live({
    kind: 'Pod',
    metadata: {
      name: `cart-${ordinal}`,
      namespace: 'shop',
      labels: { 'controller-revision-hash': revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'cart', uid: 'the-set', controller: true }],
      ...metadata,
    },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(forMs) }],
      containerStatuses: waits === undefined ? [] : [{ image: 'kv:bad', state: { waiting: { reason: waits } } }],
    },
  })
}
const ready = { ready: true }
const broken = { waits: 'ImagePullBackOff' }
const leaving = { ready: true, metadata: { deletionTimestamp: ago(0) } }

interface Case {
  readonly title: string
  readonly pods: readonly LiveObject[]
  readonly blocks: string | undefined
}

const cases: readonly Case[] = [
  { title: 'none of those that serve', pods: [pod(0, ready), pod(1, ready), pod(2, ready)], blocks: undefined },
  { title: 'the one that has failed', pods: [pod(2, broken), pod(0, ready), pod(1, ready)], blocks: 'cart-2' },
  {
    title: 'the first of two that have failed',
    pods: [pod(0, ready), pod(1, broken), pod(2, broken)],
    blocks: 'cart-1',
  },
  {
    title: 'none while the first that does not serve has not failed',
    pods: [pod(0, ready), pod(1), pod(2, broken)],
    blocks: undefined,
  },
  {
    title: 'one that has not served for long, whatever it says',
    pods: [pod(0, ready), pod(1, { forMs: failedAfterMs })],
    blocks: 'cart-1',
  },
  {
    title: 'none while one goes',
    pods: [pod(0, ready), pod(1, broken), pod(2, leaving)],
    blocks: undefined,
  },
  { title: 'not the one that goes', pods: [pod(0, { ...broken, ...leaving, ready: false })], blocks: undefined },
  { title: 'none behind one that is missing', pods: [pod(1, broken)], blocks: undefined },
  {
    title: 'none beyond the wanted replicas',
    pods: [pod(0, ready), pod(1, ready), pod(2, ready), pod(3, broken)],
    blocks: undefined,
  },
  {
    title: 'never one that serves, whatever its containers say',
    pods: [pod(0, { ...broken, ready: true })],
    blocks: undefined,
  },
  {
    title: 'none without a controller',
    pods: [pod(0, { ...broken, metadata: { ownerReferences: [] } })],
    blocks: undefined,
  },
  { title: 'none without a revision', pods: [pod(0, { ...broken, metadata: { labels: {} } })], blocks: undefined },
]

describe('the pod that blocks a store of three', () => {
  it.each(cases)('is $title', ({ pods, blocks }) => {
    expect(blockingPodOf(pods, 3, nowMs)?.metadata.name).toBe(blocks)
  })
})

const statefulSet = ({ partition = 0, status = {}, metadata = {} } = {}): LiveObject =>
  live({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'cart', namespace: 'shop', uid: 'the-set', generation: 3, ...metadata },
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } },
    status: { observedGeneration: 3, currentRevision: 'good', updateRevision: 'good', ...status },
  })

const blocking: BlockingPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'cart-2', namespace: 'shop', uid: 'u', resourceVersion: '7' },
  ordinal: 2,
  revision: 'bad',
  ownerUid: 'the-set',
}

describe('a stuck rollout', () => {
  it.each([
    { title: 'deletes the pod after the spec was reverted', set: statefulSet(), isDeleted: true },
    {
      title: 'deletes the pod after the spec has moved on',
      set: statefulSet({ status: { currentRevision: 'older', updateRevision: 'better' } }),
      isDeleted: true,
    },
    {
      title: 'leaves a pod of the revision that is rolled out',
      set: statefulSet({ status: { updateRevision: 'bad' } }),
      isDeleted: false,
    },
    {
      title: 'leaves a pod below the partition that has its revision',
      set: statefulSet({ partition: 3, status: { currentRevision: 'bad' } }),
      isDeleted: false,
    },
    {
      title: 'deletes a pod below the partition that is of a revision of the past',
      set: statefulSet({ partition: 3, status: { updateRevision: 'canary' } }),
      isDeleted: true,
    },
    {
      title: 'waits until the StatefulSet has seen its newest spec',
      set: statefulSet({ status: { observedGeneration: 2 } }),
      isDeleted: false,
    },
    {
      title: 'waits until the StatefulSet has counted once',
      set: statefulSet({ status: { updateRevision: undefined } }),
      isDeleted: false,
    },
    {
      title: 'leaves a pod of another StatefulSet',
      set: statefulSet({ metadata: { uid: 'namesake' } }),
      isDeleted: false,
    },
    {
      title: 'leaves everything to a StatefulSet that goes',
      set: statefulSet({ metadata: { deletionTimestamp: ago(0) } }),
      isDeleted: false,
    },
    { title: 'waits for its StatefulSet', set: undefined, isDeleted: false },
  ])('$title', ({ set, isDeleted }) => {
    expect(stuckRolloutRepair(set, blocking)?.delete.metadata).toEqual(isDeleted ? blocking.metadata : undefined)
  })

  it('deletes nothing when no pod blocks it', () => {
    expect(stuckRolloutRepair(statefulSet(), undefined)).toBeUndefined()
  })

  it('reports which pod it deleted, and why', () => {
    expect(stuckRolloutRepair(statefulSet(), blocking)?.event).toEqual({
      type: 'Normal',
      reason: 'StuckPodDeleted',
      action: 'Rollout',
      note: 'deleted pod cart-2, which was not ready and of revision bad: StatefulSet cart waited for it and could not bring revision good',
    })
  })
})
