import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KindClient } from '../../../../src/apiserver/controllers/workloads/kind-client.ts'
import type { JsonObject } from '../../../../src/base/json.ts'
import { at, type ClusterStage, clusterStage, namespace, template } from './cluster-stage.ts'

let stage: ClusterStage
let deployments: KindClient
let sets: KindClient

beforeEach(() => {
  stage = clusterStage()
  deployments = stage.kind('apps/v1', 'Deployment')
  sets = stage.kind('apps/v1', 'ReplicaSet')
})

afterEach(() => stage.cluster.stop())

describe('a Deployment', () => {
  it('creates a ReplicaSet named by the hash of its template, and reports its progress', async () => {
    create(2)
    await stage.settle()
    const [set] = sets.list(namespace)
    const hash = at(set, 'metadata', 'labels', 'pod-template-hash')
    expect(at(set, 'metadata', 'name')).toBe(`web-${hash}`)
    expect(at(set, 'spec', 'selector', 'matchLabels')).toEqual({ app: 'web', 'pod-template-hash': hash })
    expect(at(set, 'metadata', 'annotations')).toEqual({
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '2',
      'deployment.kubernetes.io/max-replicas': '3',
    })
    expect(stage.podNames().every((name) => new RegExp(`^web-${hash}-[a-z0-9]{5}$`).test(name))).toBe(true)
    expect(at(deployment(), 'metadata', 'annotations')).toEqual({ 'deployment.kubernetes.io/revision': '1' })
    expect(at(deployment(), 'status')).toMatchObject({
      ...{ observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "web-${hash}" has successfully progressed.`,
        },
      ],
    })
    expect(stage.eventsOf('web')).toEqual([`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 2`])
  })

  it('respects maxSurge and maxUnavailable during a rollout', async () => {
    create(4, { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }, '2s')
    await stage.clock.advance(5_000)
    change({ template: podTemplate('web:2', '2s') })
    for (let passed = 0; passed < 20_000; passed += 500) {
      await stage.clock.advance(500)
      const sizes = sets.list(namespace).map((set) => Number(at(set, 'spec', 'replicas')))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(5)
      expect(Number(at(deployment(), 'status', 'availableReplicas'))).toBeGreaterThanOrEqual(3)
    }
    expect(images()).toEqual(['web:2', 'web:2', 'web:2', 'web:2'])
    expect(at(deployment(), 'metadata', 'annotations', 'deployment.kubernetes.io/revision')).toBe('2')
  })

  it('with Recreate creates new pods only after all old pods have ended', async () => {
    create(2, { strategy: { type: 'Recreate' } })
    await stage.settle()
    change({ template: podTemplate('web:2') })
    await stage.settle()
    expect(images()).toEqual(['web:2', 'web:2'])
    const events = stage.eventsOf('web')
    expect(events.map((event) => /Scaled (up|down)/.exec(event)?.[1])).toEqual(['up', 'down', 'up'])
  })

  it('rolls back to an old ReplicaSet under a new revision', async () => {
    create(1)
    await stage.settle()
    change({ template: podTemplate('web:2') })
    await stage.settle()
    change({ template: podTemplate('web:1') })
    await stage.settle()
    expect(images()).toEqual(['web:1'])
    const all = sets.list(namespace)
    expect(all).toHaveLength(2)
    const back = all.find((set) => at(set, 'spec', 'replicas') === 1)
    expect(at(back, 'metadata', 'annotations')).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    })
  })

  it('reports a rollout past its deadline, and keeps the working pods', async () => {
    create(2, { progressDeadlineSeconds: 30 })
    await stage.settle()
    change({ template: podTemplate('web:missing') })
    await stage.clock.advance(40_000)
    const [available, progressing] = ['Available', 'Progressing'].map(conditionOf)
    expect(available).toMatchObject({ status: 'True' })
    expect(progressing).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' })
    expect(images().filter((image) => image === 'web:1')).toHaveLength(2)
  })

  it('only scales while it is paused', async () => {
    create(1, { paused: true })
    await stage.settle()
    expect(stage.podNames()).toEqual([])
    expect(conditionOf('Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' })
    change({ paused: false })
    await stage.settle()
    expect(stage.podNames()).toHaveLength(1)
  })

  it('distributes replicas among its ReplicaSets when it is scaled during a rollout', async () => {
    create(4, { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } })
    await stage.settle()
    change({ template: podTemplate('web:missing') })
    await stage.settle()
    change({ replicas: 8 })
    await stage.settle()
    expect(
      sets
        .list(namespace)
        .map((set) => Number(at(set, 'spec', 'replicas')))
        .sort(),
    ).toEqual([3, 7])
  })

  it('keeps as many old ReplicaSets as its history limit', async () => {
    create(1, { revisionHistoryLimit: 1 })
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await stage.settle()
      change({ template: podTemplate(image) })
    }
    await stage.settle()
    expect(sets.list(namespace)).toHaveLength(2)
  })
})

function create(replicas: number, more: JsonObject = {}, readyAfter?: string): void {
  deployments.create(namespace, {
    metadata: { name: 'web', namespace },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: podTemplate('web:1', readyAfter), ...more },
  })
}

function podTemplate(image: string, readyAfter?: string): JsonObject {
  const { metadata, spec } = template('web', image)
  const annotations = readyAfter === undefined ? {} : { 'konverge.dev/ready-after': readyAfter }
  return { metadata: { ...(metadata as JsonObject), annotations }, spec: spec ?? {} }
}

function change(spec: JsonObject): void {
  deployments.update(deployment(), (live) => ({ ...live, spec: { ...(live['spec'] as JsonObject), ...spec } }))
}

function deployment(): JsonObject {
  return deployments.get(namespace, 'web') ?? {}
}

function conditionOf(type: string): JsonObject | undefined {
  const conditions = at(deployment(), 'status', 'conditions') as readonly JsonObject[]
  return conditions.find((condition) => condition['type'] === type)
}

function images(): readonly unknown[] {
  return stage
    .kind('v1', 'Pod')
    .list(namespace)
    .map((pod) => at(pod, 'spec', 'containers', 0, 'image'))
}
