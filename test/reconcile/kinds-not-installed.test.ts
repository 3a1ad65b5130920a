// Kinds whose CRD is missing, installed later, or removed. Optional kinds are left out, required ones are reported, and
// reconciles start without a restart.
import { ApiObject } from 'cdk8s'
import { afterEach, assert, expect, it } from 'vitest'
import { type Log, type LogFields, silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import {
  ConfigMap,
  CustomResourceDefinition,
  defineController,
  defineResource,
  keyFor,
  type Resource,
  type StatusWithConditions,
  valueAt,
} from '../../src/index.ts'
import { Operator } from '../../src/operator/operator.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'

const ofExample = { group: 'example.dev', version: 'v1', scope: 'Namespaced' } as const
const Site = defineResource<{ readonly page: string }, StatusWithConditions & { readonly hasThemes?: boolean }>({
  ...ofExample,
  kind: 'Site',
  plural: 'sites',
})
const Theme = defineResource<unknown, StatusWithConditions>({ ...ofExample, kind: 'Theme', plural: 'themes' })

interface SiteOptions {
  readonly optional?: boolean
  readonly asks?: boolean
}

/** Declares a ConfigMap after a Theme, which it waits for. */
function sites({ optional, asks = false }: SiteOptions = {}) {
  return defineController(Site, {
    owns: [ConfigMap, { resource: Theme, hasStatus: false, ...(optional === undefined ? {} : { optional }) }],
    observe: ({ isAvailable }) => Promise.resolve({ hasThemes: isAvailable(Theme) }),
    desired: (chart, { object: { metadata, spec }, facts }) => {
      const { name } = metadata
      const page = new ApiObject(chart, 'page', {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
        data: { page: spec.page },
      })
      if (asks && !facts.hasThemes) return
      const theme = new ApiObject(chart, 'theme', { apiVersion: 'example.dev/v1', kind: 'Theme', metadata: { name } })
      page.addDependency(theme)
    },
    status: ({ facts }) => ({ fields: { hasThemes: facts?.hasThemes ?? false }, conditions: [] }),
  })
}

function definitionOf({ group, plural, kind, version, scope }: Resource) {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope },
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          ...{ name: version, served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }
}

let cluster: TestCluster

afterEach(() => cluster.stop())

async function start(definitions: readonly Resource[], options: SiteOptions): Promise<void> {
  cluster = await startCluster({ definitions: definitions.map(definitionOf) })
  cluster.run(sites(options))
  if (definitions.includes(Site)) await addSite()
  await cluster.advance(10_000)
}

const addSite = () => cluster.create(Site, { metadata: { name: 'a' }, spec: { page: 'hello' } })
const install = (resource: Resource) => cluster.create(CustomResourceDefinition, definitionOf(resource))
const uninstall = (resource: Resource) =>
  cluster.delete(CustomResourceDefinition, `${resource.plural}.${resource.group}`)
const ready = () => cluster.condition(Site, 'a', 'Ready')
const hasThemes = async () => valueAt((await cluster.find(Site, 'a')) ?? assert.fail(), 'status', 'hasThemes')

it.each([false, true])('leaves out an optional kind until its CRD is installed (asks: %s)', async (asks) => {
  await start([Site], { optional: true, asks })
  expect(await ready()).toMatchObject({ status: 'True' })
  expect(await hasThemes()).toBe(false)
  expect(await cluster.find(ConfigMap, 'a')).toBeDefined()
  await install(Theme)
  await cluster.advance(40_000)
  expect(await cluster.find(Theme, 'a')).toBeDefined()
  expect(await hasThemes()).toBe(true)
  expect(await ready()).toMatchObject({ status: 'True' })
})

it('drops an optional kind when its CRD is deleted, and recreates its objects when it is back', async () => {
  await start([Site, Theme], { optional: true })
  expect(await cluster.find(Theme, 'a')).toBeDefined()
  await uninstall(Theme)
  await cluster.advance(60_000)
  expect(await ready()).toMatchObject({ status: 'True' })
  expect(await hasThemes()).toBe(false)
  expect((await cluster.requestsDuring(120_000)).filter(({ resource }) => resource !== 'themes')).toEqual([])
  await install(Theme)
  await cluster.advance(40_000)
  expect(await cluster.find(Theme, 'a')).toBeDefined()
  expect(await hasThemes()).toBe(true)
})

it('rarely requests a missing optional kind', async () => {
  await start([Site], { optional: true })
  await cluster.advance(60_000)
  const asked = await cluster.requestsDuring(600_000)
  const probes = asked.filter(({ resource, code }) => resource === 'themes' && code === 404)
  expect(probes.length).toBeLessThan(60)
  expect(asked.filter(({ verb }) => verb !== 'watch')).toEqual([])
})

it('reports a missing required kind on every resource, and starts when its CRD is installed', async () => {
  await start([Site], {})
  expect(await ready()).toMatchObject({
    status: 'False',
    reason: 'KindNotInstalled',
    message: expect.stringContaining('themes.example.dev'),
  })
  expect(await cluster.condition(Site, 'a', 'Stalled')).toMatchObject({ reason: 'KindNotInstalled' })
  expect(await cluster.find(ConfigMap, 'a')).toBeUndefined()
  await install(Theme)
  await cluster.advance(40_000)
  expect(await ready()).toMatchObject({ status: 'True' })
  expect(await cluster.find(Theme, 'a')).toBeDefined()
})

it('names missing kinds in readiness, log and metrics', async () => {
  const metrics = new PrometheusMetrics()
  const warnings: string[] = []
  const { log } = silentInstruments
  const warn = (_: LogFields, message: string) => void warnings.push(message)
  const loud: Log = { ...log, warn, with: () => loud }
  cluster = await startCluster({ definitions: [definitionOf(Site)] })
  const health = new HealthRegistry()
  const themes = defineController(Theme, {
    owns: [],
    desired: () => {},
    status: () => ({ fields: {}, conditions: [] }),
  })
  const operator = new Operator({
    name: 'konverge',
    clock: cluster.clock,
    random: seededRandom(1),
    secrets: seededSecrets(1),
    instruments: { ...silentInstruments, log: loud, metrics },
    client: cluster.clientOf('operator'),
    health,
    controllers: [sites(), themes],
  })
  const stop = new AbortController()
  const ended = operator.run(stop.signal)
  await cluster.advance(10_000)
  const missing = expect.stringMatching(/^themes\.example\.dev: waiting for .*install its CRD/)
  expect(health.report('ready').failures).toEqual([
    { name: 'sites.example.dev', sentence: missing },
    { name: 'themes.example.dev', sentence: missing },
  ])
  expect(warnings).toEqual(
    Array(2).fill(expect.stringContaining('install the CustomResourceDefinition themes.example.dev')),
  )
  const served = async (controller: string) =>
    (await metrics.text())
      .split('\n')
      .filter((line) => line.includes(`controller_kind_served{controller="${controller}.example.dev"`))
      .map((line) => /resource="([^"]*)".* (\d)$/.exec(line)?.slice(1).join(' '))
  expect(await served('sites')).toEqual(['sites.example.dev 1', 'configmaps 1', 'themes.example.dev 0'])
  expect(await served('themes')).toEqual(['themes.example.dev 0'])
  await install(Theme)
  await cluster.advance(40_000)
  expect(health.report('ready').isOk).toBe(true)
  expect(await served('themes')).toEqual(['themes.example.dev 1'])
  stop.abort()
  await cluster.advance(15_000)
  await ended
})

it('reports an uninstalled required kind on every resource', async () => {
  await start([Site, Theme], {})
  expect(await ready()).toMatchObject({ status: 'True' })
  await uninstall(Theme)
  await cluster.advance(60_000)
  expect(await ready()).toMatchObject({ status: 'False', reason: 'KindNotInstalled' })
})

it.each([
  [true, 'True', 'Settled'],
  [false, 'False', 'KindNotInstalled'],
])(
  'treats a watched kind with optional: %s as missing, and triggers once it is installed',
  async (optional, status, reason) => {
    const seen = defineController(Site, {
      owns: [],
      watches: [{ resource: Theme, optional, keysFor: () => [keyFor('default', 'a')] }],
      observe: async ({ live }) => ({ count: (await live.list(Theme, { namespace: 'default' })).length }),
      desired: () => {},
      status: ({ facts }) => ({
        fields: {},
        conditions: [{ type: 'Themed', status: facts?.count === 1 ? 'True' : 'False', reason: 'Counted', message: '' }],
      }),
    })
    cluster = await startCluster({ definitions: [definitionOf(Site)] })
    cluster.run(seen)
    await addSite()
    await cluster.advance(10_000)
    expect(await ready()).toMatchObject({ status, reason })
    await install(Theme)
    await cluster.advance(40_000)
    await cluster.create(Theme, { metadata: { name: 'dark' } })
    await cluster.advance(1_000)
    expect(await ready()).toMatchObject({ status: 'True' })
    expect(await cluster.condition(Site, 'a', 'Themed')).toMatchObject({ status: 'True' })
    await uninstall(Theme)
    await cluster.advance(60_000)
    expect(await ready()).toMatchObject({ status, reason })
  },
)

it('starts when the kind of the controller is installed later', async () => {
  await start([], { optional: true })
  await install(Site)
  await cluster.advance(1)
  await addSite()
  await cluster.advance(40_000)
  expect(await ready()).toMatchObject({ status: 'True' })
})
