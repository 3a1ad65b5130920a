import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { at, type ClusterStage, clusterStage, namespace } from './cluster-stage.ts'

let stage: ClusterStage

beforeEach(() => {
  stage = clusterStage(2)
})

afterEach(() => stage.cluster.stop())

describe('a Service', () => {
  it('has the ready pods as endpoints, in one slice with a stable name', async () => {
    const services = stage.kind('v1', 'Service')
    const ports = [{ name: 'http', port: 80, targetPort: 'http' }]
    services.create(namespace, {
      metadata: { name: 'web', namespace, labels: { tier: 'front' } },
      spec: { clusterIP: 'None', selector: { app: 'web' }, ports },
    })
    await stage.settle()
    const name = at(slice(), 'metadata', 'name')
    expect(name).toMatch(/^web-[a-z0-9]{5}$/)
    expect(at(slice(), 'metadata', 'labels')).toEqual({
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'kubernetes.io/service-name': 'web',
      'service.kubernetes.io/headless': '',
      tier: 'front',
    })
    pod('one', {})
    pod('two', { 'konverge.dev/ready-after': '5s' })
    await stage.settle()
    expect(at(slice(), 'metadata', 'name')).toBe(name)
    expect(at(slice(), 'ports')).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }])
    expect(readiness()).toEqual([
      ['one', true],
      ['two', false],
    ])
    expect(at(endpoints(), 'subsets', 0)).toMatchObject({
      addresses: [{ targetRef: { name: 'one' } }],
      notReadyAddresses: [{ targetRef: { name: 'two' } }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    })
    await stage.clock.advance(5_000)
    expect(readiness()).toEqual([
      ['one', true],
      ['two', true],
    ])
    services.delete(services.get(namespace, 'web') ?? {})
    await stage.settle()
    expect([slice(), endpoints()]).toEqual([undefined, undefined])
  })
})

function pod(name: string, annotations: Readonly<Record<string, string>>): void {
  const ports = [{ name: 'http', containerPort: 8080 }]
  stage.kind('v1', 'Pod').create(namespace, {
    metadata: { name, namespace, labels: { app: 'web' }, annotations },
    spec: { containers: [{ name: 'main', image: 'web:1', ports }] },
  })
}

function slice() {
  return stage.kind('discovery.k8s.io/v1', 'EndpointSlice').list(namespace)[0]
}

function endpoints() {
  return stage.kind('v1', 'Endpoints').get(namespace, 'web')
}

function readiness() {
  const found = (at(slice(), 'endpoints') ?? []) as readonly Parameters<typeof at>[0][]
  return found.map((one) => [at(one, 'targetRef', 'name'), at(one, 'conditions', 'ready')]).sort()
}
