import { describe, expect, it } from 'vitest'
import { isJsonList, isJsonObject, type JsonObject } from '../../src/base/json.ts'
import type { PodObject } from '../../src/local-node/pod.ts'
import {
  beginLife,
  exitedContainer,
  type PodLife,
  probeAnswered,
  startedContainer,
  startFailed,
  startingContainer,
} from '../../src/local-node/pod-life.ts'
import { podStatusOf } from '../../src/local-node/pod-status.ts'
import { aPod, type PodMore } from './pods.ts'

const nowMs = Date.UTC(2026, 0, 1)
const now = '2026-01-01T00:00:00Z'

type Fact = (life: PodLife, pod: PodObject) => PodLife

const started =
  (name: string): Fact =>
  (life, pod) => {
    const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
    const spec = all.find((candidate) => candidate.name === name) ?? { name, image: '' }
    return startedContainer(startingContainer(life, name), { spec, containerId: `${name}-id`, nowMs })
  }
const exited =
  (name: string, exitCode: number): Fact =>
  (life) =>
    exitedContainer(life, name, { exitCode, nowMs })
const ready =
  (name: string): Fact =>
  (life) =>
    probeAnswered(life, name, { kind: 'readiness', probe: {}, answer: 'success', containerId: `${name}-id`, nowMs })

function statusAfter(more: PodMore, facts: readonly Fact[], isOver = false): JsonObject {
  const pod = aPod(more)
  const life = facts.reduce((before, fact) => fact(before, pod), beginLife(pod, { podIp: '127.50.0.1', nowMs }))
  return podStatusOf({ pod, life, hostIp: '127.0.0.1', isOver, nowMs })
}

/** Formats each condition in order: `Ready=False(ContainersNotReady: …)`. */
function conditionsOf({ conditions }: JsonObject): readonly string[] {
  return (isJsonList(conditions) ? conditions : []).filter(isJsonObject).map(({ type, status, reason, message }) => {
    const why = [reason, message].filter((word) => word !== undefined).join(': ')
    return `${type}=${status}${why === '' ? '' : ` (${why})`}`
  })
}

const two = {
  containers: [
    { name: 'b', image: 'x' },
    { name: 'a', image: 'x' },
  ],
}
const withInit = { initContainers: [{ name: 'first', image: 'x' }] }

describe('the status of a pod', () => {
  it('has all fields that a kubelet writes', () => {
    const resources = { requests: { cpu: '1' } }
    const volumeMounts = [{ name: 'v', mountPath: '/v', readOnly: true }]
    const containers = [{ name: 'main', image: 'app', readinessProbe: {}, resources, volumeMounts }]
    expect(statusAfter({ spec: { containers } }, [started('main'), ready('main')])).toEqual({
      observedGeneration: 1,
      phase: 'Running',
      hostIP: '127.0.0.1',
      hostIPs: [{ ip: '127.0.0.1' }],
      podIP: '127.50.0.1',
      podIPs: [{ ip: '127.50.0.1' }],
      startTime: now,
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          observedGeneration: 1,
          lastProbeTime: null,
          lastTransitionTime: now,
        }),
      ),
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: now } },
          lastState: {},
          ready: true,
          started: true,
          restartCount: 0,
          image: 'app',
          imageID: 'konverge://app',
          containerID: 'konverge://main-id',
          resources,
          allocatedResources: { cpu: '1' },
          volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'Disabled' }],
        },
      ],
    })
  })

  it.each<{
    readonly when: string
    readonly more: PodMore
    readonly facts: readonly Fact[]
    readonly isOver?: boolean
    readonly phase: string
  }>([
    { when: 'nothing runs yet', more: {}, facts: [], phase: 'Pending' },
    { when: 'one of two runs', more: { spec: two }, facts: [started('a')], phase: 'Pending' },
    { when: 'both run', more: { spec: two }, facts: [started('a'), started('b')], phase: 'Running' },
    {
      when: 'one runs and one has ended',
      more: { spec: two },
      facts: [started('a'), started('b'), exited('b', 1)],
      phase: 'Running',
    },
    { when: 'all ended and are restarted', more: {}, facts: [started('main'), exited('main', 1)], phase: 'Running' },
    {
      when: 'it is done',
      more: { spec: { restartPolicy: 'Never' } },
      facts: [started('main'), exited('main', 0)],
      isOver: true,
      phase: 'Succeeded',
    },
    {
      when: 'it failed',
      more: { spec: { restartPolicy: 'Never' } },
      facts: [started('main'), exited('main', 2)],
      isOver: true,
      phase: 'Failed',
    },
    {
      when: 'it failed and is tried again',
      more: { spec: { restartPolicy: 'OnFailure' } },
      facts: [started('main'), exited('main', 2)],
      phase: 'Running',
    },
    { when: 'an init container runs', more: { spec: withInit }, facts: [started('first')], phase: 'Pending' },
    {
      when: 'an init container failed for good',
      more: { spec: { ...withInit, restartPolicy: 'Never' } },
      facts: [started('first'), exited('first', 1)],
      isOver: true,
      phase: 'Failed',
    },
    {
      when: 'it was deleted before it began',
      more: { metadata: { deletionTimestamp: now } },
      facts: [],
      isOver: true,
      phase: 'Failed',
    },
    {
      when: 'it was deleted and ended well',
      more: { metadata: { deletionTimestamp: now } },
      facts: [started('main'), exited('main', 0)],
      isOver: true,
      phase: 'Succeeded',
    },
    {
      when: 'its phase was the last',
      more: { status: { phase: 'Succeeded' } },
      facts: [started('main')],
      isOver: true,
      phase: 'Succeeded',
    },
  ])('has phase $phase if $when', ({ more, facts, isOver = false, phase }) => {
    expect(statusAfter(more, facts, isOver)['phase']).toBe(phase)
  })

  it('reports a failure only when no container runs', () => {
    const more = {
      spec: { activeDeadlineSeconds: 0 },
      status: { phase: 'Running', startTime: now } as const,
    }
    const running = statusAfter(more, [started('main')])
    expect(running).toMatchObject({ phase: 'Running' })
    expect(conditionsOf(running)).toContain('Ready=False (PodFailed)')
    const over = statusAfter(more, [started('main'), exited('main', 143)], true)
    expect(over).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' })
  })

  it('names unready containers', () => {
    const containers = [
      { name: 'b', image: 'x', readinessProbe: {} },
      { name: 'a', image: 'x' },
    ]
    expect(conditionsOf(statusAfter({ spec: { containers } }, [started('a'), started('b')]))).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=False (ContainersNotReady: containers with unready status: [b])',
      'ContainersReady=False (ContainersNotReady: containers with unready status: [b])',
      'PodScheduled=True',
    ])
    expect(conditionsOf(statusAfter({ spec: withInit }, []))[1]).toBe(
      'Initialized=False (ContainersNotInitialized: containers with incomplete status: [first])',
    )
  })

  it('keeps foreign conditions, checks readiness gates, and changes a transition time only with the status', () => {
    const gate = { type: 'example.com/gate', status: 'False' } as const
    const before = { type: 'Ready', status: 'False', lastTransitionTime: '2020-01-01T00:00:00Z' } as const
    const spec = { readinessGates: [{ conditionType: 'example.com/gate' }] }
    const status = statusAfter({ spec, status: { conditions: [before, gate] } }, [started('main')])
    expect(conditionsOf(status)).toContain(
      'Ready=False (ReadinessGatesNotReady: the status of pod readiness gate "example.com/gate" is not "True", but False)',
    )
    expect(status['conditions']).toMatchObject([
      gate,
      {},
      {},
      { type: 'Ready', lastTransitionTime: '2020-01-01T00:00:00Z' },
      { type: 'ContainersReady', status: 'True', lastTransitionTime: now },
      {},
    ])
  })

  it('shows the backoff with the last exit, and the reason of a failed start', () => {
    const twice = [started('main'), exited('main', 3), started('main'), exited('main', 4)]
    expect(statusAfter({}, twice)['containerStatuses']).toMatchObject([
      {
        state: {
          waiting: {
            reason: 'CrashLoopBackOff',
            message: 'back-off 10s restarting failed container=main pod=pod_default(uid-1)',
          },
        },
        lastState: { terminated: { exitCode: 4, reason: 'Error', containerID: 'konverge://main-id' } },
        restartCount: 1,
        ready: false,
        started: false,
      },
    ])
    const words = { reason: 'CreateContainerConfigError', message: 'secret "s" not found' }
    const trouble = { words, retryAtMs: nowMs }
    const failed: Fact = (life) => startFailed(startingContainer(life, 'main'), 'main', trouble)
    expect(statusAfter({}, [failed])['containerStatuses']).toMatchObject([
      { state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "s" not found' } } },
    ])
  })
})
