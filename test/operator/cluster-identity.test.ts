// Identity of clusters: two home clusters that share a cluster of children never touch each other's children. A
// connection that points to another cluster than before stops its resources.
import { ApiObject } from 'cdk8s'
import { expect, it } from 'vitest'
import { ConfigMap, Namespace } from '../../src/object/built-in.ts'
import { retain } from '../../src/synth/field-policies.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import { HookedClient } from './hooked-client.ts'
import {
  childrenIn,
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

const keptText = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a-text' }, data: { text: 'kept' } }
const abandon = { metadata: { annotations: { 'konverge.dev/abandon-external': 'true' } } }
const messageOf = async (home: TestCluster) => (await home.condition(Page, 'default/a', 'Ready'))?.message
const uidOf = async (cluster: TestCluster) => (await cluster.find(Namespace, 'kube-system'))?.metadata.uid

it('operators with one name in two clusters never take, change or delete each other’s children', async () => {
  const edge = await startEdge()
  const [first, second] = [await startHome({ edge }), await startHome({ edge }, { seed: 3 })]
  first.run(pageController())
  await first.create(Page, page({ text: 'first', note: 'n' }))
  await first.settle()
  const before = await childrenIn(edge)
  second.run(pageController())
  await second.create(Page, page({ text: 'second' }))
  await second.create(Page, page({ text: 'own' }, 'b'))
  await second.settle()
  expect(await readinessOf(second)).toBe('False/ConflictingOwner')
  const mark = `konverge.dev/adopt: Page/default/a@${await uidOf(second)}`
  expect(await messageOf(second)).toBe(
    `ConfigMap default/a-text exists in cluster edge and is not controlled by Page default/a; delete or rename one of the two, or hand it over with the annotation ${mark}`,
  )
  await second.delete(Page, 'default/a')
  await second.delete(Page, 'default/b')
  await second.settle()
  expect(await second.find(Page, 'default/a')).toBeUndefined()
  expect(await childrenIn(edge)).toEqual(before)
  expect(await readinessOf(first)).toBe('True/Settled')
})

it('an operator neither takes nor blocks children that a namesake made in the cluster of the children', async () => {
  const edge = await startEdge({ definitions: pageDefinitions })
  const home = await startHome({ edge })
  const kept = pageController({ desired: (chart) => retain(new ApiObject(chart, 'text', keptText)) })
  home.run(kept)
  await home.create(Page, page({ text: 'from home' }))
  await home.settle()
  const [before] = await childrenIn(edge)
  edge.run(pageController({ childrenIn: undefined } as never))
  await edge.create(Page, page({ text: 'from the edge' }))
  await edge.settle()
  expect(await readinessOf(edge)).toBe('False/ConflictingOwner')
  expect(await childrenIn(edge)).toEqual([before])
  const labels = before?.metadata.labels ?? {}
  expect(labels['konverge.dev/managed-by']).toMatch(/^operator\.[0-9a-f]{20}$/)
})

it('an object is handed over to the parent of one cluster, and never to a namesake in another', async () => {
  const edge = await startEdge()
  const [first, second] = [await startHome({ edge }), await startHome({ edge }, { seed: 3 })]
  for (const home of [first, second]) home.run(pageController())
  const annotations = { 'konverge.dev/adopt': `Page/default/a@${await uidOf(first)}` }
  await edge.create(ConfigMap, { metadata: { name: 'a-text', annotations }, data: { text: 'theirs' } })
  await second.create(Page, page({ text: 'second' }))
  await second.settle()
  expect(await readinessOf(second)).toBe('False/ConflictingOwner')
  await first.create(Page, page({ text: 'first' }))
  await first.settle()
  expect(await readinessOf(first)).toBe('True/Settled')
  expect(await edge.find(ConfigMap, 'default/a-text')).toMatchObject({ data: { text: 'first' } })
  expect(await readinessOf(second)).toBe('False/ConflictingOwner')
})

it('a foreign object with all labels and an owner reference to the parent is no child', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  home.run(pageController())
  await home.create(Page, page({ text: 'hello' }))
  await home.settle()
  const [child] = await childrenIn(edge)
  const parent = await home.find(Page, 'default/a')
  const { apiVersion, kind, metadata } = parent ?? expect.fail('the page exists')
  const owner = { apiVersion, kind, name: 'a', uid: metadata.uid, controller: true }
  const planted = { name: 'planted', labels: child?.metadata.labels ?? {}, ownerReferences: [owner] }
  await edge.create(ConfigMap, { metadata: planted })
  await home.settle()
  expect((await home.find(Page, 'default/a'))?.status).toMatchObject({ inventory: [{ name: 'a-text' }] })
  expect(home.requests().filter(({ verb }) => verb === 'delete')).toEqual([])
})

/**
 * Returns a settled page with children in one cluster, and an operator whose connection points to another one after its
 * restart.
 */
async function led(other: (edge: TestCluster) => Promise<Readonly<Record<string, TestCluster>>>, over = {}) {
  const edge = await startEdge()
  const clusters: Record<string, TestCluster> = { edge }
  const home = await startHome(clusters)
  const running = home.run(pageController())
  await home.create(Page, page({ text: 'hello' }))
  await home.settle()
  await running.stop()
  Object.assign(clusters, await other(edge))
  home.run(pageController(over))
  await home.settle()
  return { edge, home, clusters }
}

const toWest = async ({ clock }: TestCluster) => ({ edge: await startEdge({ seed: 20, clock }) })

it('nothing is written to a cluster while another cluster has the recorded children', async () => {
  const { edge, home, clusters } = await led(toWest)
  expect(await readinessOf(home)).toBe('False/ClusterChanged')
  expect(await messageOf(home)).toBe(
    `Page default/a has recorded ConfigMap default/a-text in the cluster with UID ${await uidOf(edge)}, but the controller makes children in cluster edge (UID ${await uidOf(clusters['edge'] ?? edge)}) now; let the connection edge lead to the recorded cluster again, or set the annotation konverge.dev/abandon-external: "true" to leave the recorded children alone`,
  )
  expect(await textsIn(edge)).toEqual(['a-text'])
  expect(await textsIn(clusters['edge'] ?? edge)).toEqual([])
  await home.delete(Page, 'default/a')
  await home.settle()
  expect(await readinessOf(home)).toBe('False/ClusterChanged')
})

it('a resource gets new children in the other cluster after its user abandons the recorded ones', async () => {
  const { edge, home, clusters } = await led(toWest)
  await home.patch(Page, 'default/a', abandon)
  await home.settle()
  expect(await readinessOf(home)).toBe('True/Settled')
  expect(await textsIn(edge)).toEqual(['a-text'])
  expect(await textsIn(clusters['edge'] ?? edge)).toEqual(['a-text'])
  const inventory = [{ name: 'a-text', cluster: await uidOf(clusters['edge'] ?? edge) }]
  expect((await home.find(Page, 'default/a'))?.status).toMatchObject({ inventory })
})

it('a controller stops when its children move to the cluster of its resources, or back', async () => {
  const { edge, home } = await led(async () => ({}), { childrenIn: undefined })
  expect(await readinessOf(home)).toBe('False/ClusterChanged')
  expect(await textsIn(home)).toEqual([])
  expect(await textsIn(edge)).toEqual(['a-text'])
  await home.create(Page, page({ text: 'at home' }, 'b'))
  await home.settle()
  expect(await textsIn(home)).toEqual(['b-text'])
})

it('a controller stops when its children move to another cluster', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  const running = home.run(pageController({ childrenIn: undefined } as never))
  await home.create(Page, page({ text: 'hello' }))
  await home.settle()
  await running.stop()
  home.run(pageController())
  await home.settle()
  expect(await readinessOf(home)).toBe('False/ClusterChanged')
  expect(await textsIn(edge)).toEqual([])
})

it('a connection that changes its cluster at run time counts as unreachable, and keeps all records', async () => {
  const edge = await startEdge()
  const west = await startEdge({ seed: 20, clock: edge.clock })
  const home = await startHome({ edge })
  let current = edge.clientOf('operator')
  const back = current
  const connection = new HookedClient((send) => send(current))
  runOperator(home, { client: home.clientOf('operator'), clusters: { edge: connection } })
  await home.create(Page, page({ text: 'hello', note: 'n' }))
  await home.settle()
  current = west.clientOf('operator')
  // The pruned child was observed before; the new child is looked up in the other cluster.
  await home.patch(Page, 'default/a', { spec: { text: 'changed', note: null } })
  await home.advance(20_000)
  expect((await home.find(Page, 'default/a'))?.status).toMatchObject({
    inventory: [{ name: 'a-note' }, { name: 'a-text' }],
  })
  await home.advance(120_000)
  expect(await readinessOf(home)).toBe('False/ClusterUnreachable')
  expect(await messageOf(home)).toContain('is another cluster than before')
  expect(await textsIn(west)).toEqual([])
  current = back
  await home.settle()
  expect(await readinessOf(home)).toBe('True/Settled')
  expect(await textsIn(edge)).toEqual(['a-text'])
})
