import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KindClient } from '../../../../src/apiserver/controllers/workloads/kind-client.ts'
import type { JsonObject } from '../../../../src/base/json.ts'
import { at, type ClusterStage, clusterStage } from './cluster-stage.ts'

let stage: ClusterStage
let nodes: KindClient

beforeEach(() => {
  stage = clusterStage(0)
  nodes = stage.kind('v1', 'Node')
})

afterEach(() => stage.cluster.stop())

describe('a node', () => {
  it('loses its initial taint once its conditions are good', async () => {
    nodes.create('', { metadata: { name: 'new', labels: { 'kubernetes.io/os': 'linux' } } })
    expect(taints()).toEqual([['node.kubernetes.io/not-ready', 'NoSchedule']])
    await stage.settle()
    expect(taints()).toEqual([])
    expect(at(node(), 'metadata', 'labels', 'beta.kubernetes.io/os')).toBe('linux')
  })

  it('has a taint for each bad condition, and for spec.unschedulable', async () => {
    const theirs = { key: 'disk', effect: 'NoSchedule' }
    nodes.create('', { metadata: { name: 'new' }, spec: { taints: [theirs], unschedulable: true } })
    say({ Ready: 'Unknown', MemoryPressure: 'True', DiskPressure: 'False' })
    await stage.settle()
    expect(taints()).toEqual([
      ['disk', 'NoSchedule'],
      ['node.kubernetes.io/unreachable', 'NoSchedule'],
      ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
      ['node.kubernetes.io/unschedulable', 'NoSchedule'],
    ])
    say({ Ready: 'True', MemoryPressure: 'False' })
    nodes.update(node(), (live) => ({ ...live, spec: { taints: at(live, 'spec', 'taints') ?? [] } }))
    await stage.settle()
    expect(taints()).toEqual([['disk', 'NoSchedule']])
  })
})

function node(): JsonObject {
  return nodes.get('', 'new') ?? {}
}

function taints(): unknown {
  const list = (at(node(), 'spec', 'taints') ?? []) as JsonObject[]
  return list.map(({ key, effect }) => [key, effect])
}

function say(statuses: Readonly<Record<string, string>>): void {
  const conditions = Object.entries(statuses).map(([type, status]) => ({ type, status }))
  nodes.updateStatus(node(), (live) => ({ ...live, status: { ...(live['status'] as JsonObject), conditions } }))
}
