// Ownership of fields: gain and loss, as scenarios on the model API server. test/e2e/ownership-histories.real.test.ts
// has the same for the real API server.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { initialOnly, shared } from '../../src/synth/field-policies.ts'
import { at, failure, type ModelRequest } from '../model-api.ts'
import { Site, siteController, World } from './life.ts'
import { pages, settled } from './sites.ts'

/** A site whose pages have an index and, if the page has a second word, a title. */
const titled = (policy: (made: ApiObject) => void = () => {}) =>
  siteController({
    desired: (chart, { object }) => {
      const [index, title] = object.spec.page.split(' ')
      const data = title === undefined ? { index } : { index, title }
      const metadata = { name: 'a-pages' }
      policy(new ApiObject(chart, 'pages', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }))
    },
  })
const data = (world: World) => at(world.api.find(ConfigMap, pages), 'data')
const managers = (world: World) =>
  world.api.find(ConfigMap, pages)?.metadata.managedFields?.map(({ manager }) => manager)
const rest = async (world: World) => {
  world.api.requests.length = 0
  await world.clock.advance(600_000)
  expect(world.api.requests).toEqual([])
}

/** Pages by kubectl, with a field that no other manager declares. */
async function kubectlPages(world: World, annotations: Readonly<Record<string, string>>): Promise<LiveObject> {
  const metadata = { name: 'a-pages', namespace: 'default', annotations }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { index: 'old', title: 't', extra: 'theirs' } }
  const options = { fieldManager: 'kubectl', force: false }
  return await world.api.apply(ConfigMap, object, options, new AbortController().signal)
}

describe('an object that its user hands over', () => {
  it('belongs to the operator in declared fields, so that a dropped field is removed, and to others in the rest', async () => {
    const world = new World()
    await kubectlPages(world, { 'konverge.dev/adopt': 'Site/a' })
    world.addSite('a', { page: 'hello t' })
    await world.live(titled())
    expect(data(world)).toEqual({ index: 'hello', title: 't', extra: 'theirs' })
    expect(world.events.map(({ reason }) => reason)).toEqual(['ChildAdopted'])
    world.api.edit(Site, 'default/a', { spec: { page: 'hello' } })
    await world.clock.advance(0)
    expect(data(world)).toEqual({ index: 'hello', extra: 'theirs' })
    expect(managers(world)).toEqual(['konverge/sites.example.dev', 'kubectl'])
    expect(world.conditions()).toEqual(settled)
    await rest(world)
  })

  it.each([
    ['to another', { 'konverge.dev/adopt': 'Site/b' }, undefined],
    ['to nobody', {}, undefined],
    ['to us, but is controlled by somebody', { 'konverge.dev/adopt': 'Site/a' }, 'other'],
  ])('%s is not touched', async (_, annotations, owner) => {
    const world = new World()
    const made = await kubectlPages(world, annotations)
    if (owner !== undefined) {
      const reference = { apiVersion: 'v1', kind: 'Thing', name: owner, uid: owner, controller: true }
      world.api.edit(ConfigMap, pages, { metadata: { ownerReferences: [reference] } })
    }
    const before = world.api.find(ConfigMap, pages) ?? made
    world.addSite('a', { page: 'hello t' })
    await world.live(titled())
    await world.clock.advance(60_000)
    expect(world.api.find(ConfigMap, pages)).toEqual(before)
    const message = world.message('Degraded')
    expect(message).toContain('ConfigMap default/a-pages exists')
    expect(message?.includes('konverge.dev/adopt: Site/a')).toBe(owner === undefined)
  })

  it('ends in the same state, whatever request the process dies after', async () => {
    for (let cut = 1; cut <= 8; cut++) {
      const world = new World()
      await kubectlPages(world, { 'konverge.dev/adopt': 'Site/a' })
      world.addSite('a', { page: 'hello t' })
      let seen = 0
      world.api.after = () => {
        seen += 1
        if (seen >= cut) throw failure('Unreachable', 'cut off')
      }
      world.api.before = () => {
        if (seen >= cut) throw failure('Unreachable', 'dead')
      }
      const first = await world.live(titled())
      await first.end()
      world.api.after = () => {}
      world.api.before = () => {}
      await world.live(titled())
      world.api.edit(Site, 'default/a', { spec: { page: 'hello' } })
      await world.clock.advance(60_000)
      expect(data(world), `cut after request ${cut}`).toEqual({ index: 'hello', extra: 'theirs' })
    }
  })
})

describe('a shared field', () => {
  it('that the operator owned before keeps its value, without an owner', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello t' })
    const first = await world.live(titled())
    await first.end()
    const controller = titled((made) => shared(made, 'data.title'))
    const second = await world.live(controller)
    expect(data(world)).toEqual({ index: 'hello', title: 't' })
    const fields = JSON.stringify(world.api.find(ConfigMap, pages)?.metadata.managedFields)
    expect(fields).not.toContain('f:title')
    await rest(world)
    await second.end()
    world.api.requests.length = 0
    await world.live(controller)
    await rest(world)
  })
})

describe('an initial-only field', () => {
  const first = () => titled((made) => initialOnly(made, 'data.title'))
  const isWrite = ({ verb, plural }: ModelRequest) => plural === 'configmaps' && verb !== 'get'

  it('is set at the creation, and then left to others', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello t' })
    await world.live(first())
    expect(data(world)).toEqual({ index: 'hello', title: 't' })
    world.api.edit(Site, 'default/a', { spec: { page: 'new u' } })
    await world.clock.advance(0)
    expect(data(world)).toEqual({ index: 'new', title: 't' })
    world.api.edit(ConfigMap, pages, { data: { title: 'theirs' } })
    world.api.edit(Site, 'default/a', { spec: { page: 'newer u' } })
    await world.clock.advance(0)
    expect(data(world)).toEqual({ index: 'newer', title: 'theirs' })
    await rest(world)
  })

  it('needs one more write at the creation and none later, also after a restart', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello t' })
    const life = await world.live(first())
    expect(world.api.requests.filter(isWrite).map(({ verb }) => verb)).toEqual(['apply', 'patch'])
    await life.end()
    world.api.requests.length = 0
    await world.live(first())
    await rest(world)
  })

  it('with the runtime’s own fields keeps the ownership markers', async () => {
    const world = new World()
    const controller = titled((made) => {
      initialOnly(made, 'metadata.annotations')
      initialOnly(made, 'metadata.labels')
      initialOnly(made, 'metadata.ownerReferences')
    })
    world.addSite('a', { page: 'hello' })
    await world.live(controller)
    await rest(world)
    const fields = JSON.stringify(world.api.find(ConfigMap, pages)?.metadata.managedFields)
    for (const name of [
      'konverge.dev/apply-order',
      'konverge.dev/managed-by',
      'konverge.dev/owned-by',
      'f:ownerReferences',
    ])
      expect(fields).toContain(name)
  })

  it('inside an atomic value is rejected, and stays', async () => {
    const world = new World()
    const controller = siteController({
      desired: (chart) => {
        const ends = { subsets: [{ name: 'first' }, { name: 'ours' }] }
        const metadata = { name: 'a-pages' }
        initialOnly(
          new ApiObject(chart, 'pages', { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...ends }),
          'subsets[name=first]',
        )
      },
    })
    world.addSite('a', { page: 'hello' })
    await world.live(controller)
    await world.clock.advance(60_000)
    const made = world.api.find(ConfigMap, pages)
    expect(made === undefined ? undefined : at(made, 'subsets')).toEqual([{ name: 'first' }, { name: 'ours' }])
    expect(world.message('Degraded')).toContain('subsets')
  })

  it('is set again when the object is created again', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello t' })
    await world.live(first())
    world.api.remove(ConfigMap, pages)
    await world.clock.advance(0)
    expect(data(world)).toEqual({ index: 'hello', title: 't' })
  })
})

describe('a declared field that another field manager sets', () => {
  it('is taken with one Event that names child, manager and field, and no value', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello t' })
    await world.live(titled())
    world.api.edit(ConfigMap, pages, { data: { index: 'secret' } })
    await world.clock.advance(60_000)
    expect(data(world)).toEqual({ index: 'hello', title: 't' })
    expect(world.events).toMatchObject([{ type: 'Warning', reason: 'FieldsTakenBack' }])
    expect(world.events[0]?.note).toMatch(/^ConfigMap default\/a-pages: took back data\.index from "somebody"/)
    expect(world.events[0]?.note).not.toContain('secret')
    await rest(world)
  })

  it('makes no Event when only the declaration changed', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello t' })
    await world.live(titled())
    world.api.requests.length = 0
    world.api.edit(Site, 'default/a', { spec: { page: 'new t' } })
    await world.clock.advance(0)
    expect(world.events).toEqual([])
    expect(world.api.requests.filter(({ verb }) => verb === 'apply')).toHaveLength(1)
  })
})
