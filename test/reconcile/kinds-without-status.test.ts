// Controllers of kinds without their own status: built-in kinds, and custom ones whose CRD has no status subresource.
import { ApiObject } from 'cdk8s'
import { afterEach, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import {
  ConfigMap,
  type Controller,
  Deployment,
  defineController,
  defineExternal,
  defineResource,
  Event,
  Namespace,
  type Resource,
  rightsOf,
  Secret,
  Service,
  type StatusWithConditions,
  valueAt,
} from '../../src/index.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'

const report = () => ({ fields: {}, conditions: [] })
const label = 'example.dev/published'

/** Declares a Service for each labelled ConfigMap, on the port in its data. */
const pages = defineController(ConfigMap, {
  owns: [Service],
  validate: ({ object }) =>
    port(object) === 13 ? { reason: 'UnluckyPort', message: 'choose another port' } : undefined,
  desired: (chart, { object }) => {
    if (object.metadata.labels?.[label] === undefined) return
    const spec = { ports: [{ port: port(object) }] }
    new ApiObject(chart, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: object.metadata.name },
      spec,
    })
  },
})

const port = (object: Parameters<typeof valueAt>[0]) => Number(valueAt(object, 'data', 'port'))
let cluster: TestCluster

afterEach(() => cluster?.stop())

async function start(controller: Controller, options: Parameters<typeof startCluster>[0] = {}): Promise<void> {
  cluster = await startCluster(options)
  cluster.run(controller)
}

const portOfService = async () => valueAt((await cluster.find(Service, 'a')) as never, 'spec', 'ports')
const events = async () =>
  (await cluster.list(Event)).map(
    (event) => `${valueAt(event, 'type')} ${valueAt(event, 'reason')}: ${valueAt(event, 'note')}`,
  )

it('reconciles a ConfigMap when its data changes, without a status write', async () => {
  await start(pages)
  await cluster.create(ConfigMap, { metadata: { name: 'a', labels: { [label]: '' } }, data: { port: '80' } })
  await cluster.advance(10_000)
  expect(await portOfService()).toMatchObject([{ port: 80 }])
  await cluster.patch(ConfigMap, 'a', { data: { port: '81' } })
  await cluster.advance(10_000)
  expect(await portOfService()).toMatchObject([{ port: 81 }])
  expect(cluster.requests().filter(({ subresource }) => subresource === 'status')).toEqual([])
  expect((await cluster.requestsDuring(240_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
  await cluster.delete(ConfigMap, 'a')
  await cluster.advance(10_000)
  expect(await cluster.find(ConfigMap, 'a')).toBeUndefined()
})

it('reports its conditions by Events and metrics', async () => {
  const metrics = new PrometheusMetrics()
  await start(pages, { instruments: { ...silentInstruments, metrics } })
  const ready = async () => /resource_conditions\{.*type="Ready",status="(\w+)"/.exec(await metrics.text())?.[1]
  await cluster.create(ConfigMap, { metadata: { name: 'a', labels: { [label]: '' } }, data: { port: '13' } })
  await cluster.advance(10_000)
  expect(await events()).toEqual(['Warning UnluckyPort: choose another port'])
  expect(await ready()).toBe('False')
  await cluster.patch(ConfigMap, 'a', { data: { port: '80' } })
  await cluster.advance(10_000)
  expect(await events()).toEqual([
    'Warning UnluckyPort: choose another port',
    'Normal Settled: everything is as declared',
  ])
  expect(await ready()).toBe('True')
})

it('makes no request after a restart of a settled resource', async () => {
  cluster = await startCluster()
  const first = cluster.run(pages)
  await cluster.create(ConfigMap, { metadata: { name: 'a', labels: { [label]: '' } }, data: { port: '80' } })
  await cluster.advance(10_000)
  await first.stop()
  const before = cluster.requests().length
  cluster.run(pages)
  await cluster.advance(30_000)
  expect(
    cluster
      .requests()
      .slice(before)
      .filter(({ verb, resource }) => verb !== 'watch' && resource !== ''),
  ).toEqual([])
})

it('creates children inside of a Namespace, and deletes them with it', async () => {
  const tenants = defineController(Namespace, {
    owns: [ConfigMap],
    desired: (chart, { object: { metadata } }) => {
      const tenant = metadata.labels?.['tenant']
      if (tenant === undefined) return
      const page = { name: 'tenant', namespace: metadata.name }
      new ApiObject(chart, 'page', { apiVersion: 'v1', kind: 'ConfigMap', metadata: page, data: { tenant } })
    },
  })
  await start(tenants)
  await cluster.create(Namespace, { metadata: { name: 'shop', labels: { tenant: 'a' } } })
  await cluster.advance(10_000)
  expect(await cluster.find(ConfigMap, 'shop/tenant')).toMatchObject({ data: { tenant: 'a' } })
  expect((await cluster.requestsDuring(240_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
  await cluster.patch(Namespace, 'shop', { metadata: { labels: { tenant: 'b' } } })
  await cluster.advance(10_000)
  expect(await cluster.find(ConfigMap, 'shop/tenant')).toMatchObject({ data: { tenant: 'b' } })
  await cluster.patch(Namespace, 'shop', { metadata: { labels: { tenant: null } } })
  await cluster.advance(10_000)
  expect(await cluster.find(ConfigMap, 'shop/tenant')).toBeUndefined()
  await cluster.patch(Namespace, 'shop', { metadata: { labels: { tenant: 'c' } } })
  await cluster.advance(10_000)
  await cluster.delete(Namespace, 'shop')
  await cluster.advance(60_000)
  expect(await cluster.find(Namespace, 'shop')).toBeUndefined()
})

it('rejects a child in another namespace, which a status would have to record', async () => {
  const far = defineController(ConfigMap, {
    owns: [Secret],
    desired: (chart, { object: { metadata } }) => {
      if (metadata.name !== 'a') return
      const there = { name: 'far', namespace: 'kube-system' }
      new ApiObject(chart, 'far', { apiVersion: 'v1', kind: 'Secret', metadata: there })
    },
  })
  await start(far)
  await cluster.create(ConfigMap, { metadata: { name: 'a' } })
  await cluster.advance(10_000)
  expect(await cluster.find(Secret, 'kube-system/far')).toBeUndefined()
  expect((await events()).join()).toMatch(/^Warning RecordsNotKept: .*ConfigMap has no status/)
})

it.each<[string, () => unknown, RegExp]>([
  [
    'a status of a kind of Kubernetes',
    () =>
      defineController(Deployment as Resource<unknown, StatusWithConditions>, {
        owns: [],
        desired: () => {},
        status: report,
      }),
    /Deployment belongs to Kubernetes.*leave status out/,
  ],
  [
    'an External without a status',
    () =>
      defineController(ConfigMap, {
        owns: [],
        desired: () => {},
        external: [
          defineExternal({
            name: 'a',
            driver: () => ({}) as never,
            desired: () => ({}) as never,
            removal: () => ({}) as never,
          }),
        ],
      }),
    /external and sagas of ConfigMap are recorded in its status/,
  ],
])('rejects a definition with %s', (_, define, message) => {
  expect(define).toThrow(message)
})

it('requests no right to write a status for a kind without one', () => {
  const { namespaced } = rightsOf({ name: 'konverge', controllers: [pages] })
  expect(namespaced.flatMap(({ resources }) => resources)).not.toContain('configmaps/status')
})

it('names a CRD without the status subresource, with a remedy', async () => {
  const Plain = defineResource<unknown, StatusWithConditions>({
    ...{ group: 'example.dev', version: 'v1', kind: 'Plain', plural: 'plains', scope: 'Namespaced' },
  })
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    metadata: { name: 'plains.example.dev' },
    spec: {
      ...{ group: 'example.dev', scope: 'Namespaced', names: { kind: 'Plain', plural: 'plains', singular: 'plain' } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  await start(defineController(Plain, { owns: [], desired: () => {}, status: report }), { definitions: [definition] })
  await cluster.create(Plain, { metadata: { name: 'a' } })
  await cluster.advance(300_000)
  expect((await events()).join()).toMatch(
    /^Warning NoStatusSubresource: .*plains\.example\.dev.*subresources.*or leave status out/,
  )
  expect(cluster.requests().filter(({ subresource }) => subresource === 'status').length).toBeLessThan(3)
})
