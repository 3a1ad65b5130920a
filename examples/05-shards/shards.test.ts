// Test of an operator with several members. Each runs in the test's own process, with the rights that its declarations
// give. Outside this repository the imports read: from 'konverge' and from 'konverge/testing'.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { Deployment, rightsOf } from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { Website, website } from '../01-minimal/website.ts'

const definition = parse(readFileSync(new URL('../01-minimal/website.crd.yaml', import.meta.url), 'utf8'))
const names = Array.from({ length: 60 }, (_, index) => `site-${index}`)

/** Returns the members that have written the status of each website so far. */
function writersOf(cluster: TestCluster, from: number): ReadonlyMap<string, ReadonlySet<string>> {
  const writes = cluster
    .requests()
    .slice(from)
    .filter(
      ({ verb, resource, subresource }) => verb === 'patch' && resource === 'websites' && subresource === 'status',
    )
  const byName = Map.groupBy(writes, ({ name = '' }) => name)
  return new Map([...byName].map(([name, all]) => [name, new Set(all.map(({ userAgent }) => userAgent))]))
}

async function edit(cluster: TestCluster, image: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const from = cluster.requests().length
  for (const name of names) await cluster.patch(Website, name, { spec: { image } })
  await cluster.advance(30_000)
  for (const name of names) {
    const template = { spec: { containers: [{ image }] } }
    expect(await cluster.find(Deployment, name)).toMatchObject({ spec: { template } })
  }
  return writersOf(cluster, from)
}

it('divides the websites among three members, and divides them again when one stops', async () => {
  const rights = rightsOf({ name: 'operator', controllers: [website], isSharded: true })
  await using cluster = await startCluster({
    definitions: [definition],
    rights: [...rights.namespaced, ...rights.cluster, ...rights.home],
  })
  const [first] = ['a', 'b', 'c'].map((member) => cluster.runMember(member, website))
  for (const name of names) {
    await cluster.create(Website, { metadata: { name }, spec: { image: 'registry.example/shop:1', replicas: 1 } })
  }
  await cluster.advance(30_000)

  const among3 = await edit(cluster, 'registry.example/shop:2')
  expect([...among3.values()].every((writers) => writers.size === 1)).toBe(true)
  expect(new Set([...among3.values()].flatMap((writers) => [...writers]))).toEqual(new Set(['a', 'b', 'c']))

  await first?.stop()
  const among2 = await edit(cluster, 'registry.example/shop:3')
  for (const [name, writers] of among2) {
    const [before] = among3.get(name) ?? []
    // The other members keep their websites.
    if (before !== 'a') expect([...writers]).toEqual([before])
    else expect(['b', 'c']).toContain([...writers][0])
  }
  expect(cluster.requests().filter(({ code }) => code === 403)).toEqual([])
})

it('ends a member that is cut off, and the others work its websites', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const cutOff = cluster.runMember('cut-off', website)
  cluster.runMember('other', website)
  for (const name of names) {
    await cluster.create(Website, { metadata: { name }, spec: { image: 'registry.example/shop:1', replicas: 1 } })
  }
  await cluster.advance(30_000)
  cluster.faults.add({ fault: { kind: 'cut', when: 'before' }, on: { userAgent: 'cut-off' } })
  await cluster.advance(60_000)
  await expect(cutOff.done).rejects.toMatchObject({ code: 'LeaseLost' })
  const writers = await edit(cluster, 'registry.example/shop:2')
  expect(new Set([...writers.values()].flatMap((all) => [...all]))).toEqual(new Set(['other']))
})
