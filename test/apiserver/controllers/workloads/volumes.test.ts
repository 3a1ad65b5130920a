import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KindClient } from '../../../../src/apiserver/controllers/workloads/kind-client.ts'
import type { JsonObject } from '../../../../src/base/json.ts'
import { at, type ClusterStage, clusterStage, namespace } from './cluster-stage.ts'

let stage: ClusterStage
let claims: KindClient
let volumes: KindClient
let pods: KindClient

beforeEach(() => {
  stage = clusterStage(1)
  claims = stage.kind('v1', 'PersistentVolumeClaim')
  volumes = stage.kind('v1', 'PersistentVolume')
  pods = stage.kind('v1', 'Pod')
})

afterEach(() => stage.cluster.stop())

describe('a claim', () => {
  it('gets the default class and its own volume, which is deleted with it', async () => {
    create({})
    await stage.settle()
    expect(at(claim(), 'spec', 'storageClassName')).toBe('standard')
    expect(at(claim(), 'status')).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
    })
    const [volume] = volumes.list()
    expect(at(volume, 'metadata', 'name')).toBe(`pvc-${at(claim(), 'metadata', 'uid')}`)
    expect(at(volume, 'status', 'phase')).toBe('Bound')
    expect(at(claim(), 'metadata', 'finalizers')).toEqual(['kubernetes.io/pvc-protection'])
    claims.delete(claim())
    await stage.settle()
    expect(claims.list(namespace)).toEqual([])
    expect(volumes.list()).toEqual([])
  })

  it('is kept while a pod uses it', async () => {
    create({})
    await stage.settle()
    usingPod()
    await stage.settle()
    claims.delete(claim())
    await stage.settle()
    expect(at(claim(), 'metadata', 'deletionTimestamp')).toBeDefined()
    pods.delete(pods.get(namespace, 'user') ?? {})
    await stage.settle()
    expect(claims.list(namespace)).toEqual([])
  })

  it('releases a retained volume when it is deleted', async () => {
    makeClass({ reclaimPolicy: 'Retain' })
    create({ storageClassName: 'other' })
    await stage.settle()
    claims.delete(claim())
    await stage.settle()
    expect(volumes.list().map((volume) => at(volume, 'status', 'phase'))).toEqual(['Released'])
  })

  it('waits for its first consumer with WaitForFirstConsumer', async () => {
    makeClass({ volumeBindingMode: 'WaitForFirstConsumer' })
    create({ storageClassName: 'other' })
    await stage.settle()
    expect(at(claim(), 'status', 'phase')).toBe('Pending')
    expect(stage.eventsOf('data')).toEqual([
      'WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ])
    usingPod()
    await stage.settle()
    expect(at(claim(), 'status', 'phase')).toBe('Bound')
    expect(at(claim(), 'metadata', 'annotations', 'volume.kubernetes.io/selected-node')).toBe('node-0')
    expect(at(pods.get(namespace, 'user'), 'status', 'phase')).toBe('Running')
  })

  it('binds the smallest volume that is large enough', async () => {
    for (const [name, storage] of [
      ['large', '5Gi'],
      ['fitting', '2Gi'],
      ['small', '500Mi'],
    ] as const)
      volumes.create('', {
        metadata: { name },
        spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
      })
    await stage.settle()
    create({ storageClassName: '' })
    await stage.settle()
    expect(at(claim(), 'spec', 'volumeName')).toBe('fitting')
    expect(at(claim(), 'status', 'capacity')).toEqual({ storage: '2Gi' })
  })

  it('grows with its request when its class allows expansion', async () => {
    makeClass({ allowVolumeExpansion: true })
    create({ storageClassName: 'other' })
    await stage.settle()
    claims.update(claim(), (live) => ({
      ...live,
      spec: { ...(live['spec'] as JsonObject), resources: { requests: { storage: '3Gi' } } },
    }))
    await stage.settle()
    expect(at(claim(), 'status', 'capacity')).toEqual({ storage: '3Gi' })
    expect(at(volumes.list()[0], 'spec', 'capacity')).toEqual({ storage: '3Gi' })
  })
})

describe('a pod', () => {
  it('reports why it is unschedulable, until it can be scheduled', async () => {
    const spec = { containers: [{ name: 'main', image: 'web:1' }], nodeSelector: { disk: 'fast' } }
    pods.create(namespace, { metadata: { name: 'picky', namespace }, spec })
    await stage.settle()
    const why =
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    expect(at(pods.get(namespace, 'picky'), 'status', 'conditions', 0)).toMatchObject({
      ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: why },
    })
    expect(stage.eventsOf('picky').at(-1)).toBe(`FailedScheduling: ${why}`)
    const nodes = stage.kind('v1', 'Node')
    const node = nodes.get('', 'node-0') ?? {}
    nodes.update(node, (live) => ({
      ...live,
      metadata: {
        ...(live['metadata'] as JsonObject),
        labels: { ...(at(live, 'metadata', 'labels') as JsonObject), disk: 'fast' },
      },
    }))
    await stage.settle()
    expect(at(pods.get(namespace, 'picky'), 'status', 'phase')).toBe('Running')
    expect(at(pods.get(namespace, 'picky'), 'metadata', 'labels', 'topology.kubernetes.io/zone')).toBe('zone-1')
  })
})

function create(spec: JsonObject): void {
  const request = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  claims.create(namespace, { metadata: { name: 'data', namespace }, spec: { ...request, ...spec } })
}

function claim(): JsonObject {
  return claims.get(namespace, 'data') ?? {}
}

function makeClass(more: JsonObject): void {
  const classes = stage.kind('storage.k8s.io/v1', 'StorageClass')
  classes.create('', { metadata: { name: 'other' }, provisioner: 'kubernetes.io/host-path', ...more })
}

function usingPod(): void {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  const containers = [{ name: 'main', image: 'web:1' }]
  pods.create(namespace, { metadata: { name: 'user', namespace }, spec: { containers, volumes } })
}
