// Deletion of a resource after its children's CRD was uninstalled. The operator removes the finalizer when two answers
// of the API server confirm that the kind is not served, and keeps it on errors (I4).
import { ApiObject } from 'cdk8s'
import { beforeEach, describe, expect, it } from 'vitest'
import type { KubeErrorCode } from '../../src/kube/kube-errors.ts'
import { defineResource } from '../../src/object/resource.ts'
import { failure } from '../model-api.ts'
import { Site, siteController, World } from './life.ts'

const ofExample = { group: 'example.dev', version: 'v1' } as const
const Theme = defineResource({ ...ofExample, kind: 'Theme', plural: 'themes', scope: 'Namespaced' })
const Palette = defineResource({ ...ofExample, kind: 'Palette', plural: 'palettes', scope: 'Cluster' })

/** Orders the page first in the deletion; a Palette is outside of the site's namespace. */
const controller = (over: Parameters<typeof siteController>[0] = {}) =>
  siteController({
    owns: [Theme, Palette].map((resource) => ({ resource, hasStatus: false })),
    desired: (chart, { object: { metadata } }) => {
      const { name } = metadata
      const theme = new ApiObject(chart, 'theme', { apiVersion: 'example.dev/v1', kind: 'Theme', metadata: { name } })
      const palette = { apiVersion: 'example.dev/v1', kind: 'Palette', metadata: { name } }
      new ApiObject(chart, 'palette', palette).addDependency(theme)
    },
    ...over,
  })

let world: World
beforeEach(() => {
  world = new World()
  world.api.served = [...world.api.served, Theme, Palette]
  world.addSite()
})

/** Makes requests for both kinds fail with this code, and discovery, too. */
function fail(kinds: KubeErrorCode, discovery?: KubeErrorCode): void {
  world.api.before = ({ plural, verb }) => {
    if (plural === 'themes' || plural === 'palettes') throw failure(kinds, `${verb} ${plural}`)
    if (discovery !== undefined && plural === '/apis') throw failure(discovery, plural)
  }
  // Watches end, and pending events are lost.
  world.api.compact()
}

/** Deletes the CRDs with all their objects. */
function uninstall(): void {
  for (const resource of [Theme, Palette])
    for (const { metadata } of world.api.all(resource))
      world.api.remove(resource, resource === Theme ? `default/${metadata.name}` : metadata.name)
  world.api.served = world.api.served.filter((resource) => resource !== Theme && resource !== Palette)
  fail('ResourceNotFound')
}

async function remove(): Promise<void> {
  world.api.remove(Site, 'default/a')
  await world.clock.advance(120_000)
}

describe.each(['running', 'started again'])('a resource, with its operator %s,', (when) => {
  async function given(lose: () => void): Promise<void> {
    const life = await world.live(controller())
    await world.clock.advance(1_000)
    expect(world.conditions()).toMatchObject({ Ready: 'True/Settled' })
    expect([Theme, Palette].map((resource) => world.api.all(resource).length)).toEqual([1, 1])
    if (when === 'running') {
      lose()
      await world.clock.advance(60_000)
    } else {
      await life.end()
      lose()
      await world.live(controller())
    }
  }

  it('is deleted when the CRDs of its children are uninstalled', async () => {
    await given(uninstall)
    await remove()
    expect(world.site()).toBeUndefined()
  })

  it('stays while the API of its children does not respond', async () => {
    await given(() => fail('ServiceUnavailable'))
    await remove()
    expect(world.site()?.metadata.finalizers).toEqual(['konverge.dev/konverge'])
  })

  it.each([
    ['discovery still tells of the kind', undefined],
    ['discovery does not answer', 'ServiceUnavailable'],
  ] as const)('stays when its children are not found but %s', async (_, discovery) => {
    await given(() => fail('ResourceNotFound', discovery))
    await remove()
    expect(world.site()?.metadata.finalizers).toEqual(['konverge.dev/konverge'])
    expect(world.message('Ready')).toMatch(/Theme|Palette/)
    fail('ResourceNotFound')
    world.api.served = []
    await world.clock.advance(600_000)
    expect(world.site()).toBeUndefined()
  })
})

it('pre-delete work of a kind that is not served is left out', async () => {
  const life = await world.live(controller())
  await life.end()
  uninstall()
  const { desired } = controller()
  await world.live(controller({ preDelete: (chart, context) => desired(chart, context) }))
  await remove()
  expect(world.site()).toBeUndefined()
})
