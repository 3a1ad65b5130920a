// Outage of a cluster of children: its resources report it, all others continue. Deletions wait, or abandon the
// children by an annotation.
import { expect, it } from 'vitest'
import { ConfigMap, Event } from '../../src/object/built-in.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import {
  cutOff,
  Leaflet,
  leafletController,
  Page,
  page,
  pageController,
  readinessOf,
  startEdge,
  startHome,
  textsIn,
} from './two-clusters.ts'

const abandon = { metadata: { annotations: { 'konverge.dev/abandon-external': 'true' } } }

/** Starts an outage after the page has settled. */
async function outage() {
  const edge = await startEdge()
  const home = await startHome({ edge })
  const running = home.run(pageController())
  await home.create(Page, page({ text: 'hello' }))
  await home.settle()
  const end = cutOff(edge)
  await home.advance(60_000)
  return { edge, home, running, end }
}

const messageOf = async (home: TestCluster) => (await home.condition(Page, 'default/a', 'Ready'))?.message

it('resources report that the cluster of their children is unreachable, and recover soon after', async () => {
  const { edge, home, end } = await outage()
  expect(await readinessOf(home)).toBe('False/ClusterUnreachable')
  expect(await messageOf(home)).toMatch(
    /^Page default\/a: cluster edge cannot be reached: .+; its children there stay as they are$/,
  )
  await home.patch(Page, 'default/a', { spec: { text: 'changed' } })
  await home.advance(300_000)
  expect(await readinessOf(home)).toBe('False/ClusterUnreachable')
  end()
  await home.advance(10_000)
  expect(await readinessOf(home)).toBe('True/Settled')
  expect(await edge.find(ConfigMap, 'default/a-text')).toMatchObject({ data: { text: 'changed' } })
})

it('an operator that starts during an outage reconciles all other resources', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  const end = cutOff(edge)
  home.run(pageController(), leafletController())
  await home.create(Leaflet, page({ text: 'hello' }))
  await home.create(Page, page({ text: 'hello' }))
  await home.advance(1_000)
  expect(await readinessOf(home, Leaflet)).toBe('True/Settled')
  await home.advance(20_000)
  expect(await readinessOf(home)).toBe('False/ClusterUnreachable')
  expect((await home.find(Page, 'default/a'))?.status).not.toHaveProperty('inventory')
  end()
  await home.advance(20_000)
  expect(await readinessOf(home)).toBe('True/Settled')
  expect(await textsIn(edge)).toEqual(['a-text'])
})

it('a single failed request to the cluster changes no condition', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  home.run(pageController())
  await home.create(Page, page({ text: 'hello' }))
  await home.settle()
  const { resourceVersion } = (await home.find(Page, 'default/a'))?.metadata ?? {}
  edge.faults.add({ fault: { kind: 'cut', when: 'before' }, on: { resource: 'namespaces' }, times: 1 })
  await home.advance(120_000)
  expect((await home.find(Page, 'default/a'))?.metadata.resourceVersion).toBe(resourceVersion)
})

it('a deletion waits for the cluster and says how to abandon the children', async () => {
  const { edge, home, end } = await outage()
  await home.delete(Page, 'default/a')
  await home.advance(300_000)
  expect(await readinessOf(home)).toBe('False/ClusterUnreachable')
  expect(await messageOf(home)).toMatch(
    /the deletion waits for it; if the cluster is gone for good, set the annotation konverge\.dev\/abandon-external: "true"/,
  )
  end()
  await home.settle()
  expect(await home.find(Page, 'default/a')).toBeUndefined()
  expect(await textsIn(edge)).toEqual([])
})

it('the annotation lets a deletion proceed without the cluster, and an Event names remaining children', async () => {
  const { edge, home } = await outage()
  await home.delete(Page, 'default/a')
  await home.advance(10_000)
  await home.patch(Page, 'default/a', abandon)
  await home.settle()
  expect(await home.find(Page, 'default/a')).toBeUndefined()
  expect(await textsIn(edge)).toEqual(['a-text'])
  const notes = (await home.list(Event)).flatMap((event) => (event['reason'] === 'LeftAlone' ? event['note'] : []))
  expect(notes).toEqual([
    expect.stringMatching(/^ConfigMap default\/a-text in the cluster with UID .+ stays if it exists/),
  ])
})

it('the annotation abandons no children of a resource that is not deleted', async () => {
  const { edge, home, end } = await outage()
  await home.patch(Page, 'default/a', abandon)
  await home.patch(Page, 'default/a', { spec: { text: 'changed' } })
  await home.advance(120_000)
  expect(await readinessOf(home)).toBe('False/ClusterUnreachable')
  expect((await home.find(Page, 'default/a'))?.status).toMatchObject({ inventory: [{ name: 'a-text' }] })
  end()
  await home.settle()
  expect(await readinessOf(home)).toBe('True/Settled')
  expect(await textsIn(edge)).toEqual(['a-text'])
})

it('a resource without remote children is deleted during an outage', async () => {
  const edge = await startEdge()
  const home = await startHome({ edge })
  cutOff(edge)
  home.run(pageController())
  await home.create(Page, page({ text: 'hello' }))
  await home.advance(20_000)
  await home.delete(Page, 'default/a')
  await home.settle()
  expect(await home.find(Page, 'default/a')).toBeUndefined()
})
