import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KindClient } from '../../../../src/apiserver/controllers/workloads/kind-client.ts'
import type { Json, JsonObject } from '../../../../src/base/json.ts'
import { at, type ClusterStage, clusterStage, namespace, template } from './cluster-stage.ts'

let stage: ClusterStage
let sets: KindClient
let pods: KindClient

beforeEach(() => {
  stage = clusterStage()
  sets = stage.kind('apps/v1', 'StatefulSet')
  pods = stage.kind('v1', 'Pod')
})

afterEach(() => stage.cluster.stop())

describe('a StatefulSet', () => {
  it('creates its pods in order, each with its labels and its claim', async () => {
    create({ replicas: 2, claims: true, readyAfter: '5s' })
    await stage.settle()
    expect(stage.podNames()).toEqual(['web-0'])
    await stage.clock.advance(5_000)
    expect(stage.podNames()).toEqual(['web-0', 'web-1'])
    await stage.clock.advance(5_000)
    const pod = pods.get(namespace, 'web-1')
    expect(at(pod, 'metadata', 'labels')).toEqual({
      app: 'web',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': at(set(), 'status', 'updateRevision'),
      'statefulset.kubernetes.io/pod-name': 'web-1',
      'topology.kubernetes.io/region': 'region-1',
      'topology.kubernetes.io/zone': expect.stringMatching(/^zone-[123]$/),
    })
    expect(at(pod, 'spec', 'hostname')).toBe('web-1')
    expect(at(pod, 'spec', 'subdomain')).toBe('web')
    expect(at(pod, 'spec', 'volumes', 0)).toEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-1' },
    })
    const claim = stage.kind('v1', 'PersistentVolumeClaim').get(namespace, 'data-web-1')
    expect(at(claim, 'status', 'phase')).toBe('Bound')
    expect(at(set(), 'status')).toMatchObject({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      collisionCount: 0,
    })
    expect(stage.eventsOf('web').slice(0, 2)).toEqual([
      'SuccessfulCreate: Create Claim data-web-0 Pod web-0 in StatefulSet web success',
      'SuccessfulCreate: Create Pod web-0 in StatefulSet web successful',
    ])
  })

  it('creates all pods at once with Parallel', async () => {
    create({ replicas: 3, readyAfter: '5s', more: { podManagementPolicy: 'Parallel' } })
    await stage.settle()
    expect(stage.podNames()).toEqual(['web-0', 'web-1', 'web-2'])
  })

  it('scales down from the last pod, and keeps the claims', async () => {
    create({ replicas: 3, claims: true })
    await stage.settle()
    change({ replicas: 1 })
    await stage.settle()
    expect(stage.podNames()).toEqual(['web-0'])
    expect(stage.kind('v1', 'PersistentVolumeClaim').list(namespace)).toHaveLength(3)
    const deletions = stage.eventsOf('web').filter((event) => event.startsWith('SuccessfulDelete'))
    expect(deletions).toEqual([
      'SuccessfulDelete: Delete Pod web-2 in StatefulSet web successful',
      'SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful',
    ])
  })

  it('deletes the claims of removed pods with whenScaled: Delete', async () => {
    const persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete', whenDeleted: 'Retain' }
    create({ replicas: 2, claims: true, more: { persistentVolumeClaimRetentionPolicy } })
    await stage.settle()
    change({ replicas: 1 })
    await stage.clock.advance(1_000)
    const claims = stage.kind('v1', 'PersistentVolumeClaim').list(namespace)
    expect(claims.map((claim) => at(claim, 'metadata', 'name'))).toEqual(['data-web-0'])
  })

  it('updates from the last pod, and waits for each to be ready', async () => {
    create({ replicas: 3, readyAfter: '5s' })
    await stage.clock.advance(20_000)
    const before = at(set(), 'status', 'currentRevision')
    change({ template: podTemplate('web:2', '5s') })
    await stage.settle()
    expect(images()).toEqual(['web:1', 'web:1', 'web:2'])
    expect(at(set(), 'status')).toMatchObject({ currentReplicas: 2, updatedReplicas: 1, readyReplicas: 2 })
    expect(at(set(), 'status', 'currentRevision')).toBe(before)
    await stage.clock.advance(20_000)
    expect(images()).toEqual(['web:2', 'web:2', 'web:2'])
    expect(at(set(), 'status', 'currentRevision')).toBe(at(set(), 'status', 'updateRevision'))
  })

  it('keeps pods below the partition at the old revision, even when they are recreated', async () => {
    create({ replicas: 3 })
    await stage.settle()
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }
    change({ updateStrategy, template: podTemplate('web:2') })
    await stage.settle()
    expect(images()).toEqual(['web:1', 'web:1', 'web:2'])
    remove('web-0')
    await stage.settle()
    expect(images()).toEqual(['web:1', 'web:1', 'web:2'])
  })

  it('replaces no pod by itself with OnDelete', async () => {
    create({ replicas: 2, more: { updateStrategy: { type: 'OnDelete' } } })
    await stage.settle()
    change({ template: podTemplate('web:2') })
    await stage.settle()
    expect(images()).toEqual(['web:1', 'web:1'])
    remove('web-1')
    await stage.settle()
    expect(images()).toEqual(['web:1', 'web:2'])
  })

  it('stays stuck when a rollout fails, until the broken pod is deleted', async () => {
    create({ replicas: 3 })
    await stage.settle()
    change({ template: podTemplate('web:missing') })
    await stage.clock.advance(60_000)
    expect(images()).toEqual(['web:1', 'web:1', 'web:missing'])
    change({ template: podTemplate('web:3') })
    await stage.clock.advance(60_000)
    expect(images()).toEqual(['web:1', 'web:1', 'web:missing'])
    remove('web-2')
    await stage.clock.advance(1_000)
    expect(images()).toEqual(['web:3', 'web:3', 'web:3'])
  })

  it('reuses an old revision when the template is reverted, and keeps its history limit', async () => {
    create({ replicas: 1, more: { revisionHistoryLimit: 1 } })
    for (const image of ['web:2', 'web:3', 'web:4', 'web:3']) {
      await stage.settle()
      change({ template: podTemplate(image) })
    }
    await stage.settle()
    const revisions = stage.kind('apps/v1', 'ControllerRevision').list(namespace)
    const numbers = revisions.map((revision) => Number(at(revision, 'revision'))).sort()
    expect(numbers).toEqual([4, 5])
    const current = revisions.find((revision) => at(revision, 'revision') === 5)
    expect(at(current, 'metadata', 'name')).toBe(at(set(), 'status', 'updateRevision'))
  })
})

interface SetParts {
  readonly replicas: number
  readonly claims?: boolean
  readonly readyAfter?: string
  readonly more?: JsonObject
}

function create({ replicas, claims = false, readyAfter, more = {} }: SetParts): void {
  const request = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  sets.create(namespace, {
    metadata: { name: 'web', namespace },
    spec: {
      ...{ replicas, serviceName: 'web', selector: { matchLabels: { app: 'web' } } },
      template: podTemplate('web:1', readyAfter),
      ...(claims ? { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: request }] } : {}),
      ...more,
    },
  })
}

function podTemplate(image: string, readyAfter?: string): JsonObject {
  const { metadata, spec } = template('web', image)
  const annotations = readyAfter === undefined ? {} : { 'konverge.dev/ready-after': readyAfter }
  return { metadata: { ...(metadata as JsonObject), annotations }, spec: spec ?? {} }
}

function change(spec: JsonObject): void {
  sets.update(set(), (live) => ({ ...live, spec: { ...(live['spec'] as JsonObject), ...spec } }))
}

function set(): JsonObject {
  return sets.get(namespace, 'web') ?? {}
}

function remove(name: string): void {
  const pod = pods.get(namespace, name)
  if (pod !== undefined) pods.delete(pod)
}

function images(): readonly (Json | undefined)[] {
  return pods.list(namespace).map((pod) => at(pod, 'spec', 'containers', 0, 'image'))
}
