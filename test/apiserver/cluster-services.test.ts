import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Cluster } from '../../src/apiserver/cluster.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { seededRandom } from '../../src/base/random.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

let cluster: Cluster

beforeEach(() => {
  cluster = clusterWith(['*'])
})

afterEach(() => cluster.stop())

const services = '/api/v1/namespaces/default/services'
const ports = [
  { name: 'http', port: 80 },
  { name: 'admin', port: 81 },
]
const inRange = expect.stringMatching(/^10\.96\.\d+\.\d+$/)

describe('the services of a cluster', () => {
  it('get an address and keep it', async () => {
    const { spec } = await posted(services, { metadata: { name: 'web' }, spec: { ports } })
    expect(spec).toMatchObject({ clusterIP: inRange, ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' })
    expect(spec.clusterIPs).toEqual([spec.clusterIP])
    const again = { metadata: { name: 'web' }, spec: { ports, selector: { app: 'web' } } }
    expect((await send('PUT', `${services}/web`, again)).body.spec).toMatchObject({
      clusterIP: spec.clusterIP,
      selector: { app: 'web' },
    })
  })

  it('get no address when clusterIP is None', async () => {
    const spec = { clusterIP: 'None', selector: { app: 'web' }, ports }
    expect((await posted(services, { metadata: { name: 'web' }, spec })).spec).toMatchObject({
      clusterIP: 'None',
      clusterIPs: ['None'],
    })
  })

  it('get a requested address only while it is free', async () => {
    const spec = { clusterIP: '10.96.3.4', ports }
    await posted(services, { metadata: { name: 'first' }, spec })
    expect(await send('POST', services, { metadata: { name: 'second' }, spec })).toMatchObject({
      status: 422,
      body: {
        message:
          'Service "second" is invalid: spec.clusterIPs: Invalid value: ["10.96.3.4"]: failed to allocate IP 10.96.3.4: provided IP is already allocated',
      },
    })
  })

  it('get an address again after its service was deleted or released it', async () => {
    const spec = { clusterIP: '10.96.3.4', ports }
    await posted(services, { metadata: { name: 'first' }, spec })
    expect((await send('DELETE', `${services}/first`, {})).status).toBe(200)
    await posted(services, { metadata: { name: 'second' }, spec })
    const external = { metadata: { name: 'second' }, spec: { type: 'ExternalName', externalName: 'example.com' } }
    expect((await send('PUT', `${services}/second`, external)).status).toBe(200)
    await posted(services, { metadata: { name: 'third' }, spec })
  })

  it('get unique node ports', async () => {
    const spec = { type: 'NodePort', ports }
    const told = await Promise.all(
      ['a', 'b', 'c'].map((name) => posted(services, { metadata: { name }, spec: { ...spec } })),
    )
    const given = told.flatMap((service) => service.spec.ports.map((port: Body) => port.nodePort))
    expect(new Set(given).size).toBe(6)
    expect(given.every((port) => port >= 30_000 && port <= 32_767)).toBe(true)
    const closed = { metadata: { name: 'a' }, spec: { ports } }
    const { body } = await send('PUT', `${services}/a`, closed)
    expect(body.spec.ports.map((port: Body) => port.nodePort)).toEqual([undefined, undefined])
  })
})

describe('admission in a cluster', () => {
  it('sets the priority of pods and their default tolerations', async () => {
    const spec = { containers: [{ name: 'web', image: 'nginx' }] }
    const pod = await posted('/api/v1/namespaces/default/pods', { metadata: { name: 'web' }, spec })
    expect(pod.spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
    expect(pod.spec.tolerations.map((toleration: Body) => toleration.tolerationSeconds)).toEqual([300, 300])
  })

  it('sets the default service account of pods and mounts its token', async () => {
    const spec = { containers: [{ name: 'web', image: 'nginx' }] }
    const pod = await posted('/api/v1/namespaces/default/pods', { metadata: { name: 'web' }, spec })
    const name = pod.spec.volumes[0].name
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/)
    expect(pod.spec).toMatchObject({
      ...{ serviceAccountName: 'default', serviceAccount: 'default' },
      containers: [
        { volumeMounts: [{ name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
      ],
    })
  })

  it('requires no service account when no controller creates one', async () => {
    cluster.stop()
    cluster = clusterWith(['*', '-serviceaccount'])
    const spec = { containers: [{ name: 'web', image: 'nginx' }] }
    const pod = await posted('/api/v1/namespaces/default/pods', { metadata: { name: 'web' }, spec })
    expect(pod.spec).not.toHaveProperty('serviceAccountName')
    expect(pod.spec).not.toHaveProperty('volumes')
  })

  it('protects storage only when a controller removes the finalizer', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
    const { metadata } = await posted(claims, { metadata: { name: 'data' }, spec })
    expect(metadata.finalizers).toEqual(['kubernetes.io/pvc-protection'])
    cluster.stop()
    cluster = clusterWith(['*', '-pvc-protection'])
    expect((await posted(claims, { metadata: { name: 'data' }, spec })).metadata).not.toHaveProperty('finalizers')
  })

  it('taints a new node only when a controller removes the taint', async () => {
    const node = await posted('/api/v1/nodes', { metadata: { name: 'new' } })
    expect(node.spec.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }])
    cluster.stop()
    cluster = clusterWith(['*', '-nodelifecycle'])
    expect((await posted('/api/v1/nodes', { metadata: { name: 'new' } })).spec).not.toHaveProperty('taints')
  })

  it('gives claims the default class', async () => {
    await posted('/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/disk',
    })
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    const claim = await posted('/api/v1/namespaces/default/persistentvolumeclaims', {
      metadata: { name: 'data' },
      spec,
    })
    expect(claim.spec.storageClassName).toBe('fast')
  })
})

function clusterWith(controllers: readonly string[]): Cluster {
  return new Cluster({
    clock: new SimClock(),
    random: seededRandom(1),
    tokens: new Map([['secret', { name: 'admin', groups: ['system:masters'] }]]),
    controllers,
  })
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are looked into.
type Body = any

async function posted(path: string, body: unknown): Promise<Body> {
  const answer = await send('POST', path, body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

async function send(method: string, path: string, body: unknown): Promise<{ status: number; body: Body }> {
  const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' }
  const request = new Request(`http://server${path}`, { method, headers, body: JSON.stringify(body) })
  const response = await handleFetch(cluster.server, request)
  return { status: response.status, body: await response.json() }
}
