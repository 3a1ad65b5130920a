// Readiness of children of unknown custom kinds.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { ConfigMap } from '../../src/object/built-in.ts'
import { defineResource } from '../../src/object/resource.ts'
import { readyWhen, waitForReady } from '../../src/synth/field-policies.ts'
import { at } from '../model-api.ts'
import { siteController, World } from './life.ts'

const Theme = defineResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Theme',
  plural: 'themes',
  scope: 'Namespaced',
})

/** Returns the conditions of a site whose only child is a theme. */
async function conditionsWith(owned: { readonly hasStatus?: boolean }, themeStatus?: object) {
  const world = new World()
  world.addSite()
  const controller = siteController({
    owns: [{ resource: Theme, ...owned }],
    desired: (chart) => {
      new ApiObject(chart, 'theme', { apiVersion: 'example.dev/v1', kind: 'Theme', metadata: { name: 'dark' } })
    },
  })
  await world.live(controller)
  if (themeStatus !== undefined) world.api.edit(Theme, 'default/dark', { status: { ...themeStatus } })
  await world.clock.advance(60_000)
  return world.conditions()
}

describe('a child of a custom kind', () => {
  it('is not ready while it has no status', async () => {
    expect(await conditionsWith({})).toMatchObject({ Ready: 'False/Waiting' })
  })

  it('is ready by its Ready condition', async () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Done', message: '' }]
    expect(await conditionsWith({}, { conditions })).toMatchObject({ Ready: 'True/Settled' })
  })

  it('without a status in its kind is ready when it exists', async () => {
    expect(await conditionsWith({ hasStatus: false })).toMatchObject({ Ready: 'True/Settled' })
  })
})

describe('a child with its own predicate', () => {
  it('postpones its dependents until the predicate returns true, and is ready then', async () => {
    const world = new World()
    world.addSite()
    const controller = siteController({
      owns: [Theme, ConfigMap],
      desired: (chart) => {
        const theme = new ApiObject(chart, 'theme', {
          apiVersion: 'example.dev/v1',
          kind: 'Theme',
          metadata: { name: 'dark' },
        })
        const page = new ApiObject(chart, 'page', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'page' } })
        readyWhen(theme, (live) => ({
          ready: at(live, 'status', 'phase') === 'Painted',
          message: 'is not painted yet',
        }))
        waitForReady(page, theme)
      },
    })
    await world.live(controller)
    expect(world.api.find(ConfigMap, 'default/page')).toBeUndefined()
    expect(world.message('Ready')).toContain('Theme.example.dev default/dark: is not painted yet')
    world.api.edit(Theme, 'default/dark', { status: { phase: 'Painted' } })
    await world.clock.advance(0)
    expect(world.api.find(ConfigMap, 'default/page')).toBeDefined()
    expect(world.conditions()).toMatchObject({ Ready: 'True/Settled' })
  })
})

it('a thousand children that are not ready make a status below 8 KiB that names some of them', async () => {
  const world = new World()
  world.addSite()
  const names = Array.from({ length: 1_000 }, (_, index) => `theme-${index}`)
  const controller = siteController({
    owns: [Theme],
    desired: (chart) => {
      for (const name of names)
        new ApiObject(chart, name, { apiVersion: 'example.dev/v1', kind: 'Theme', metadata: { name } })
    },
  })
  await world.live(controller)
  await world.clock.advance(60_000)
  expect(JSON.stringify(world.site()?.status).length).toBeLessThan(8_192)
  expect(world.message('Ready')).toMatch(/^Theme(.example.dev)? default\/theme-0: .*; and 995 more$/)
})
