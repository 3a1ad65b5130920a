// Resources in one cluster and their children in another: creation, change, prune and deletion happen only there.
import { ApiObject } from 'cdk8s'
import { expect, it } from 'vitest'
import { rightsOf } from '../../src/generate/rbac.ts'
import { ConfigMap, CustomResourceDefinition, Namespace } from '../../src/object/built-in.ts'
import { HealthRegistry, healthText } from '../../src/telemetry/health.ts'
import {
  cutOff,
  Leaflet,
  Page,
  page,
  pageController,
  pageDefinitions,
  readinessOf,
  runOperator,
  startEdge,
  startHome,
  textsIn,
} from './two-clusters.ts'

/** Definitions from before children could be in other clusters. */
const withoutClusters = pageDefinitions.map(
  (definition) => JSON.parse(JSON.stringify(definition).replace('"cluster":{"type":"string"},', '')) as object,
)

it('children are pruned and deleted although users of their cluster set fields that would keep them', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  home.run(pageController())
  await home.create(Page, page({ text: 'hello', note: 'n' }))
  await home.settle()
  const { metadata } = await edge.create(ConfigMap, { metadata: { name: 'mine', namespace: 'default' } })
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: metadata.uid, controller: true }]
  for (const name of ['a-note', 'a-text']) {
    const annotations = { 'konverge.dev/prune': 'disabled' }
    await edge.patch(ConfigMap, `default/${name}`, { metadata: { annotations, ownerReferences } })
  }
  await home.settle()
  await home.patch(Page, 'default/a', { spec: { note: null } })
  await home.settle()
  expect(await edge.find(ConfigMap, 'default/a-note')).toBeUndefined()
  await home.delete(Page, 'default/a')
  await home.settle()
  expect(await edge.find(ConfigMap, 'default/a-text')).toBeUndefined()
  expect(await home.find(Page, 'default/a')).toBeUndefined()
})

it('children are created, changed, pruned and deleted in the cluster that the controller names', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  home.run(pageController())
  await home.create(Page, page({ text: 'hello', note: 'n' }))
  await home.settle()
  expect(await readinessOf(home)).toBe('True/Settled')
  expect(await textsIn(edge)).toEqual(['a-note', 'a-text'])
  expect(await textsIn(home)).toEqual([])
  const [edgeUid, homeUid] = await Promise.all(
    [edge, home].map(async (cluster) => (await cluster.find(Namespace, 'kube-system'))?.metadata.uid),
  )
  const child = await edge.find(ConfigMap, 'default/a-text')
  expect(child).toMatchObject({
    data: { text: 'hello' },
    metadata: { labels: { 'konverge.dev/home-cluster': homeUid } },
  })
  expect(child?.metadata).not.toHaveProperty('ownerReferences')
  const parent = await home.find(Page, 'default/a')
  expect(parent?.status).toMatchObject({
    inventory: [
      { kind: 'ConfigMap', namespace: 'default', name: 'a-note', cluster: edgeUid },
      { kind: 'ConfigMap', namespace: 'default', name: 'a-text', cluster: edgeUid },
    ],
  })

  await home.patch(Page, 'default/a', { spec: { text: 'changed', note: null } })
  await home.settle()
  expect(await textsIn(edge)).toEqual(['a-text'])
  expect(await edge.find(ConfigMap, 'default/a-text')).toMatchObject({ data: { text: 'changed' } })
  expect((await home.find(Page, 'default/a'))?.status).toMatchObject({ inventory: [{ name: 'a-text' }] })

  await edge.patch(ConfigMap, 'default/a-text', { data: { text: 'by hand' } })
  await home.settle()
  expect(await edge.find(ConfigMap, 'default/a-text')).toMatchObject({ data: { text: 'changed' } })

  await home.delete(Page, 'default/a')
  await home.settle()
  expect(await textsIn(edge)).toEqual([])
  expect(await home.find(Page, 'default/a')).toBeUndefined()
})

it('the derived rights suffice in both clusters', async () => {
  const controllers = [pageController()]
  const rightsFor = (cluster?: string) => {
    const { namespaced, cluster: clusterWide } = rightsOf({ name: 'operator', controllers, cluster })
    return [...namespaced, ...clusterWide]
  }
  const edge = await startEdge({ rights: rightsFor('edge') })
  const home = await startHome({ edge }, { rights: rightsFor() })
  home.run(...controllers)
  await home.create(Page, page({ text: 'hello', note: 'n' }))
  await home.settle()
  await home.patch(Page, 'default/a', { spec: { text: 'changed', note: null } })
  await home.settle()
  expect(await readinessOf(home)).toBe('True/Settled')
  await home.delete(Page, 'default/a')
  await home.settle()
  expect(await textsIn(edge)).toEqual([])
  const denied = [...edge.requests(), ...home.requests()].filter(({ code }) => code === 403)
  expect(denied).toEqual([])
})

it('a resource can be propagated: its child has the same kind and name', async () => {
  const edge = await startEdge({ definitions: pageDefinitions })
  const home = await startHome({ edge })
  const desired: Parameters<typeof pageController>[0] = {
    owns: [{ resource: Page, hasStatus: false }],
    desired: (chart, { object: { apiVersion, kind, metadata, spec } }) =>
      void new ApiObject(chart, 'copy', { apiVersion, kind, metadata: { name: metadata.name }, spec }),
  }
  home.run(pageController(desired))
  await home.create(Page, page({ text: 'hello' }))
  await home.settle()
  expect(await readinessOf(home)).toBe('True/Settled')
  expect(await edge.find(Page, 'default/a')).toMatchObject({ spec: { text: 'hello' } })
  await home.delete(Page, 'default/a')
  await home.settle()
  expect(await edge.find(Page, 'default/a')).toBeUndefined()
})

it('children are deleted in reverse order', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  home.run(pageController())
  await home.create(Page, page({ text: 'hello', note: 'n' }))
  await home.settle()
  await home.delete(Page, 'default/a')
  await home.settle()
  const deletes = edge.requests().filter(({ verb }) => verb === 'delete')
  expect(deletes.map(({ name }) => name)).toEqual(['a-note', 'a-text'])
})

it('an error for a kind that the other cluster does not serve names the cluster', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  home.run(pageController({ owns: [ConfigMap, Leaflet] }))
  await home.create(Page, page({ text: 'hello' }))
  await home.advance(60_000)
  expect(await readinessOf(home)).toBe('False/KindNotInstalled')
  expect((await home.condition(Page, 'default/a', 'Ready'))?.message).toMatch(
    /^the API server of cluster edge does not serve Leaflet \(example\.dev\/v1\)/,
  )
})

it('an error of the other cluster has the name of the cluster', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  home.run(pageController())
  await home.create(Namespace, { metadata: { name: 'shop' } })
  await home.create(Page, { metadata: { name: 'a', namespace: 'shop' }, spec: { text: 'hello' } })
  await home.advance(60_000)
  const { message } = (await home.condition(Page, 'shop/a', 'Ready')) ?? {}
  expect(message).toMatch(/^cluster edge: apply ConfigMap shop\/a-text: namespaces "shop" not found/)
})

it('a resource gets no children if its CRD has no field for their cluster', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge }, { definitions: withoutClusters })
  home.run(pageController())
  await home.create(Page, page({ text: 'hello' }))
  await home.advance(60_000)
  expect(await readinessOf(home)).toBe('False/RecordsNotKept')
  expect(await textsIn(edge)).toEqual([])
  const [corrected] = pageDefinitions
  await home.patch(CustomResourceDefinition, 'pages.example.dev', { spec: corrected?.spec })
  await home.advance(400_000)
  expect(await readinessOf(home)).toBe('True/Settled')
})

it('readiness names an unreachable cluster, and does not fail', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  const health = new HealthRegistry()
  const [client, remote] = [home, edge].map((cluster) => cluster.clientOf('operator'))
  if (client === undefined || remote === undefined) throw new Error('each cluster has a client')
  runOperator(home, { client, clusters: { edge: remote }, health })
  await home.advance(1_000)
  const report = () => healthText(health.report('ready'), { isVerbose: true })
  expect(report()).toContain('[+] cluster-edge: ok (cluster edge can be reached)')
  cutOff(edge)
  await home.advance(60_000)
  expect(report()).toMatch(/\[\+\] cluster-edge: ok \(cluster edge cannot be reached: .+\)/)
  expect(health.report('ready').isOk).toBe(true)
})

it.each([
  [
    'of which there is no connection',
    { childrenIn: 'west' },
    /has its children in cluster west, and the operator has no connection of that name/,
  ],
  ['without a status', { status: undefined }, /give the controller a status/],
  ['that has a name', { name: 'audit' }, /only the controller without a name can record children in another cluster/],
  [
    'that contributes',
    { watches: [{ resource: ConfigMap, contributes: true, keysFor: () => [] }] },
    /contributes to no object/,
  ],
])('a controller with children in a cluster %s is rejected', async (_, over, message) => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  expect(() => home.run(pageController(over as never))).toThrow(message)
})

it('an idle operator only probes the reachability of the other cluster', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  const first = home.run(pageController())
  await home.create(Page, page({ text: 'hello' }))
  await home.settle()
  await first.stop()
  const before = edge.requests().length
  home.run(pageController())
  const atHome = await home.requestsDuring(120_000)
  const inEdge = edge.requests().slice(before)
  const writes = [...atHome, ...inEdge].filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
  expect(writes).toEqual([])
  const probes = inEdge.filter(({ verb }) => verb === 'get')
  expect(new Set(probes.map(({ name }) => name))).toEqual(new Set(['kube-system']))
  expect(probes.length).toBeLessThanOrEqual(5)
})
