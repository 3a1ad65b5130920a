import { describe, expect, it } from 'vitest'
import type { ContainerSpec } from '../../src/local-node/pod.ts'
import {
  beginLife,
  containerLife,
  exitedContainer,
  type PodLife,
  probeAnswered,
  startedContainer,
  startFailed,
  startingContainer,
  stoppingContainer,
} from '../../src/local-node/pod-life.ts'
import { planPod } from '../../src/local-node/pod-plan.ts'
import { aPod, type PodMore } from './pods.ts'

const startMs = Date.UTC(2026, 0, 1)

/** Simulates the pod runner: facts in, actions out, with a manual clock. */
function stage(more: PodMore = {}) {
  let pod = aPod(more)
  let nowMs = startMs
  let life: PodLife = beginLife(pod, { podIp: '127.50.0.1', nowMs })
  const specs = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  const plan = () => planPod(pod, life, nowMs)
  const specOf = (name: string): ContainerSpec => specs.find((spec) => spec.name === name) ?? { name, image: '' }
  return {
    plan,
    todo: () => plan().actions.map((action) => `${action.kind} ${action.container}`),
    isOver: () => plan().isOver,
    wakesInMs: () => (plan().wakeAtMs ?? Number.NaN) - nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
    start: (...names: string[]) => {
      for (const name of names) {
        life = startedContainer(startingContainer(life, name), { spec: specOf(name), containerId: `${name}-id`, nowMs })
      }
    },
    exit: (name: string, exitCode: number) => {
      life = exitedContainer(life, name, { exitCode, nowMs })
    },
    fail: (name: string) => {
      const trouble = { words: { reason: 'RunContainerError', message: 'no' }, retryAtMs: nowMs + 10_000 }
      life = startFailed(startingContainer(life, name), name, trouble)
    },
    stop: (name: string, graceMs: number) => {
      life = stoppingContainer(life, name, graceMs, nowMs)
    },
    answer: (name: string, kind: 'startup' | 'liveness' | 'readiness', answer: 'success' | 'failure') => {
      const probe = {
        startup: specOf(name).startupProbe,
        liveness: specOf(name).livenessProbe,
        readiness: specOf(name).readinessProbe,
      }[kind]
      life = probeAnswered(life, name, { kind, probe: probe ?? {}, answer, containerId: `${name}-id`, nowMs })
    },
    delete: (seconds: number) => {
      const deletion = { deletionTimestamp: new Date(nowMs).toISOString(), deletionGracePeriodSeconds: seconds }
      pod = aPod({ ...more, metadata: { ...more.metadata, ...deletion } })
    },
    container: (name: string) => containerLife(life, name),
  }
}

describe('the plan of a pod', () => {
  it('starts all containers at once, and none twice', () => {
    const pod = stage({
      spec: {
        containers: [
          { name: 'a', image: '' },
          { name: 'b', image: '' },
        ],
      },
    })
    expect(pod.todo()).toEqual(['start a', 'start b'])
    pod.start('a', 'b')
    expect(pod.plan()).toEqual({ actions: [], isOver: false })
  })

  it('runs init containers in order, and continues once a sidecar has started', () => {
    const sidecar = { name: 'side', image: '', restartPolicy: 'Always', startupProbe: {} }
    const pod = stage({
      spec: { initContainers: [{ name: 'first', image: '' }, sidecar, { name: 'second', image: '' }] },
    })
    expect(pod.todo()).toEqual(['start first'])
    pod.start('first')
    expect(pod.todo()).toEqual([])
    pod.exit('first', 0)
    expect(pod.todo()).toEqual(['start side'])
    pod.start('side')
    expect(pod.todo()).toEqual(['probe side'])
    pod.answer('side', 'startup', 'success')
    expect(pod.todo()).toEqual(['start second'])
    pod.start('second')
    pod.exit('second', 0)
    expect(pod.todo()).toEqual(['start main'])
  })

  it.each([
    { policy: 'Always', exitCode: 0, restarted: true },
    { policy: 'Always', exitCode: 1, restarted: true },
    { policy: 'OnFailure', exitCode: 0, restarted: false },
    { policy: 'OnFailure', exitCode: 1, restarted: true },
    { policy: 'Never', exitCode: 0, restarted: false },
    { policy: 'Never', exitCode: 1, restarted: false },
  ] as const)('under $policy, after exit $exitCode: restarted $restarted', ({ policy, exitCode, restarted }) => {
    const pod = stage({ spec: { restartPolicy: policy } })
    pod.start('main')
    pod.exit('main', exitCode)
    expect(pod.todo()).toEqual(restarted ? ['start main'] : [])
    expect(pod.isOver()).toBe(!restarted)
  })

  it('waits for the backoff and wakes at its end', () => {
    const pod = stage()
    pod.start('main')
    pod.exit('main', 1)
    pod.start('main')
    pod.exit('main', 1)
    expect(pod.todo()).toEqual([])
    expect(pod.wakesInMs()).toBe(10_000)
    pod.pass(10_000)
    expect(pod.todo()).toEqual(['start main'])
    expect(pod.container('main').restartCount).toBe(1)
  })

  it('retries a failed start after a delay', () => {
    const pod = stage()
    pod.fail('main')
    expect(pod.todo()).toEqual([])
    pod.pass(10_000)
    expect(pod.todo()).toEqual(['start main'])
    expect(pod.container('main').restartCount).toBe(0)
  })

  it('stops a container with a failed liveness probe, with the probe’s grace period', () => {
    const livenessProbe = { failureThreshold: 1, terminationGracePeriodSeconds: 1 }
    const pod = stage({ spec: { containers: [{ name: 'main', image: '', livenessProbe }] } })
    pod.start('main')
    expect(pod.todo()).toEqual(['probe main'])
    pod.answer('main', 'liveness', 'failure')
    expect(pod.plan().actions).toMatchObject([{ kind: 'stop', graceMs: 1_000 }])
    pod.stop('main', 1_000)
    expect(pod.wakesInMs()).toBe(1_000)
    pod.pass(1_000)
    expect(pod.todo()).toEqual(['kill main'])
    pod.exit('main', 137)
    expect(pod.todo()).toEqual(['start main'])
  })

  it('delays the other probes until the startup probe has succeeded', () => {
    const main = {
      name: 'main',
      image: '',
      startupProbe: { failureThreshold: 1 },
      readinessProbe: {},
      livenessProbe: {},
    }
    const pod = stage({ spec: { containers: [main] } })
    pod.start('main')
    expect(pod.plan().actions).toEqual([{ kind: 'probe', container: 'main', probe: 'startup' }])
    pod.answer('main', 'startup', 'success')
    expect(pod.plan().actions.map((action) => action.kind === 'probe' && action.probe)).toEqual([
      'liveness',
      'readiness',
    ])
  })

  it('stops all containers of a deleted pod, sidecars last, and is over when none runs', () => {
    const pod = stage({ spec: { initContainers: [{ name: 'side', image: '', restartPolicy: 'Always' }] } })
    pod.start('side', 'main')
    pod.delete(5)
    expect(pod.plan().actions).toMatchObject([{ kind: 'stop', container: 'main', graceMs: 5_000 }])
    pod.stop('main', 5_000)
    pod.exit('main', 0)
    expect(pod.todo()).toEqual(['stop side'])
    pod.stop('side', 5_000)
    pod.exit('side', 0)
    expect(pod.plan()).toMatchObject({ actions: [], isOver: true })
  })

  it('kills earlier if a second delete shortens the grace period', () => {
    const pod = stage()
    pod.start('main')
    pod.stop('main', 30_000)
    pod.pass(2_000)
    pod.delete(1)
    expect(pod.todo()).toEqual(['kill main'])
  })

  it('ends a pod whose init container failed and does not restart', () => {
    const pod = stage({ spec: { restartPolicy: 'Never', initContainers: [{ name: 'first', image: '' }] } })
    pod.start('first')
    pod.exit('first', 1)
    expect(pod.plan()).toMatchObject({ actions: [], isOver: true })
  })

  it('stops a pod whose active deadline has passed', () => {
    const pod = stage({ spec: { activeDeadlineSeconds: 60 } })
    pod.start('main')
    expect(pod.wakesInMs()).toBe(60_000)
    pod.pass(60_000)
    expect(pod.todo()).toEqual(['stop main'])
  })

  it('restores exits from the status of an earlier run, and treats running containers as ended', () => {
    const terminated = { exitCode: 0, reason: 'Completed', containerID: 'konverge://x' }
    const status = { lastState: {}, ready: false, started: false, image: '', imageID: '' }
    const pod = stage({
      spec: { initContainers: [{ name: 'first', image: '' }], containers: [{ name: 'main', image: '' }] },
      status: {
        initContainerStatuses: [{ ...status, name: 'first', restartCount: 0, state: { terminated } }],
        containerStatuses: [
          {
            ...status,
            name: 'main',
            restartCount: 4,
            containerID: 'konverge://y',
            state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          },
        ],
      },
    })
    expect(pod.container('main')).toMatchObject({
      state: { exit: { exitCode: 137, reason: 'ContainerStatusUnknown', containerId: 'y' } },
    })
    expect(pod.todo()).toEqual(['start main'])
    pod.start('main')
    expect(pod.container('main').restartCount).toBe(5)
  })
})
