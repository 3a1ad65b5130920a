// Tests of the pure decisions of the workload controllers.
import { describe, expect, it } from 'vitest'
import { byDeletionRank } from '../../../../src/apiserver/controllers/workloads/deletion-rank.ts'
import { allowedReplicas, rollingStep } from '../../../../src/apiserver/controllers/workloads/deployment-scaling.ts'
import { disruptionPlan } from '../../../../src/apiserver/controllers/workloads/disruption-plan.ts'
import { backoffMs, indexesIn, indexText } from '../../../../src/apiserver/controllers/workloads/job-pods.ts'
import { membershipOf } from '../../../../src/apiserver/controllers/workloads/membership.ts'
import { placementOf } from '../../../../src/apiserver/controllers/workloads/placement.ts'
import { revisionStep } from '../../../../src/apiserver/controllers/workloads/revision-history.ts'
import type { JsonObject } from '../../../../src/base/json.ts'
import { at } from './cluster-stage.ts'

const nowMs = Date.UTC(2026, 0, 2)

describe('the name of a revision', () => {
  it('equals that of a real cluster', () => {
    const container = {
      ...{ name: 'main', image: 'web:1', imagePullPolicy: 'IfNotPresent', resources: {} },
      ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
      ...{ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
    }
    const spec = {
      ...{ containers: [container], restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
      ...{ dnsPolicy: 'ClusterFirst', securityContext: {}, schedulerName: 'default-scheduler' },
    }
    const template = { metadata: { labels: { app: 'sts' } }, spec }
    const { revision } = revisionStep({ metadata: { name: 'sts' }, spec: { template } }, [], () => false)
    expect(at(revision, 'metadata', 'name')).toBe('sts-945b746bc')
  })
})

describe('surplus pods', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['no node', pod('b', { node: '' }), pod('a')],
    ['pending', pod('b', { phase: 'Pending' }), pod('a')],
    ['not ready', pod('b', { ready: false }), pod('a')],
    ['a lower cost', pod('b', { cost: '-1' }), pod('a')],
    ['a crowded node', pod('b', { node: 'full' }), pod('a')],
    ['ready for a shorter time', pod('b', { hours: 1 }), pod('a', { hours: 20 })],
    ['the lesser uid among those of about an age', pod('a', { hours: 5 }), pod('b', { hours: 4.9 })],
  ])('are deleted first with %s', (_, first, second) => {
    const related = [first, second, pod('x', { node: 'full' }), pod('y', { node: 'full' })]
    expect(byDeletionRank([second, first], related, nowMs)[0]).toBe(first)
  })
})

describe('completion indexes', () => {
  it.each([
    [[], ''],
    [[3], '3'],
    [[0, 1], '0,1'],
    [[5, 0, 1, 2], '0-2,5'],
  ])('%o are formatted as "%s", and parsed back', (indexes, text) => {
    expect(indexText(indexes)).toBe(text)
    expect([...indexesIn(text)]).toEqual([...indexes].sort())
  })
})

describe('after failures', () => {
  it.each([
    ['none', [], 0],
    ['one', ['Failed'], 10_000],
    ['three', ['Failed', 'Failed', 'Failed'], 40_000],
    ['one since a success', ['Failed', 'Succeeded', 'Failed'], 10_000],
    ['none since a success', ['Failed', 'Succeeded'], 0],
  ])('a job backs off: %s', (_, phases, waitMs) => {
    const pods = phases.map((phase, index) => pod(`p${index}`, { phase, hours: (phases.length - 1 - index) / 1_000 }))
    expect(backoffMs(pods, nowMs)).toBe(waitMs)
  })
})

describe('membership', () => {
  const owner = { metadata: { uid: 'me' } }
  const owned = (uid: string) => ({ metadata: { ownerReferences: [{ uid, controller: true }], labels: { app: 'x' } } })
  const orphan = { metadata: { labels: { app: 'x' } } }
  it.each([
    ['keeps what it controls and chooses', owned('me'), true, { members: 1, adopted: 0, released: 0 }],
    ['releases what it chooses no more', owned('me'), false, { members: 0, adopted: 0, released: 1 }],
    ['adopts an orphan that it chooses', orphan, true, { members: 0, adopted: 1, released: 0 }],
    ['leaves what somebody else controls', owned('another'), true, { members: 0, adopted: 0, released: 0 }],
  ])('%s', (_, candidate, isChosen, counts) => {
    const { members, adopted, released } = membershipOf(owner, [candidate], () => isChosen)
    expect({ members: members.length, adopted: adopted.length, released: released.length }).toEqual(counts)
  })
})

describe('a pod is placed', () => {
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
  const node = (name: string, spec: JsonObject = {}) => ({ metadata: { name }, spec, status: ready })
  const taint = { key: 'only', value: 'me', effect: 'NoSchedule' }
  it.each<[string, JsonObject, readonly JsonObject[], unknown]>([
    ['on the emptiest node', {}, [node('busy'), node('idle')], { kind: 'bind', node: 'idle' }],
    ['not beside a taint', {}, [node('idle', { taints: [taint] }), node('busy')], { kind: 'bind', node: 'busy' }],
    [
      'beside a taint that it tolerates',
      { tolerations: [{ key: 'only', operator: 'Exists' }] },
      [node('idle', { taints: [taint] }), node('busy')],
      { kind: 'bind', node: 'idle' },
    ],
    ['nowhere without nodes', {}, [], { kind: 'refuse', message: 'no nodes available to schedule pods' }],
    [
      'nowhere without its claim',
      { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'none' } }] },
      [node('idle')],
      { kind: 'refuse', message: '0/1 nodes are available: persistentvolumeclaim "none" not found. not found' },
    ],
  ])('%s', (_, spec, nodes, placement) => {
    const podsOn = (name: string) => (name === 'busy' ? 5 : 0)
    const facts = { pod: { spec }, nodes, podsOn, claim: () => undefined, waitsForConsumer: () => false }
    expect(placementOf(facts)).toEqual(placement)
  })
})

describe('a rolling update', () => {
  it.each([
    ['grows within the surge', { old: [4, 4], now: [0, 0] }, [1]],
    ['shrinks what is old by what is available', { old: [4, 4], now: [1, 1] }, [2]],
    ['waits while the new ones are not available', { old: [3, 3], now: [2, 0] }, []],
    ['lets broken old pods go first', { old: [4, 2], now: [1, 1] }, [2]],
  ] as const)('%s', (_, { old, now }, sizes) => {
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 }
    const deployment = { spec: { replicas: 4, strategy: { type: 'RollingUpdate', rollingUpdate } } }
    const set = (name: string, [replicas, availableReplicas]: readonly [number, number]) => ({
      ...{ metadata: { name }, spec: { replicas }, status: { availableReplicas } },
    })
    const view = { deployment, current: set('new', now), olds: [set('old', old)] }
    const step = rollingStep(view).map(({ replicas }) => replicas)
    expect(step).toEqual(sizes)
    expect(allowedReplicas(view, now[0])).toBeLessThanOrEqual(4)
  })
})

describe('a disruption budget', () => {
  it.each([
    [{ minAvailable: 2 }, 1],
    [{ minAvailable: '50%' }, 1],
    [{ maxUnavailable: 1 }, 1],
    [{ maxUnavailable: '100%' }, 3],
    [{ minAvailable: 4 }, 0],
  ])('%o allows %i disruptions of three healthy pods', (spec, allowed) => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name))
    const facts = { budget: { spec }, pods, expectedScale: 3, fault: '', nowMs, timestamp: 'now' }
    expect(at(disruptionPlan(facts).budget, 'status', 'disruptionsAllowed')).toBe(allowed)
  })
})

interface PodParts {
  readonly node?: string
  readonly phase?: string
  readonly ready?: boolean
  readonly cost?: string
  /** Hours since the last change. */
  readonly hours?: number
}

function pod(
  uid: string,
  { node = 'one', phase = 'Running', ready = true, cost, hours = 5 }: PodParts = {},
): JsonObject {
  const since = new Date(nowMs - hours * 3_600_000).toISOString()
  const annotations = cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost }
  const terminated = { finishedAt: since }
  return {
    metadata: { name: uid, uid, annotations, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { nodeName: node },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
      ...(phase === 'Failed' || phase === 'Succeeded' ? { containerStatuses: [{ state: { terminated } }] } : {}),
    },
  }
}
