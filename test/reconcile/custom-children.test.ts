// When is a child of a kind that we know nothing about ready?
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

/** The conditions of a site whose only child is a theme. */
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
  it('is waited for while it says nothing of itself', async () => {
    expect(await conditionsWith({})).toMatchObject({ Ready: 'False/Waiting' })
  })

  it('is ready when it says so', async () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Done', message: '' }]
    expect(await conditionsWith({}, { conditions })).toMatchObject({ Ready: 'True/Settled' })
  })

  it('whose kind has no status is ready when it exists', async () => {
    expect(await conditionsWith({ hasStatus: false })).toMatchObject({ Ready: 'True/Settled' })
  })
})

describe('a child with a predicate of its own', () => {
  it('holds back what waits for it until the predicate says yes, and then is ready', async () => {
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

it('a thousand children that are not ready make a status of less than 8 KiB, with some of them named', async () => {
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
