// Resources whose `status.inventory` another writer uses, as Flux's Kustomization does in its own form.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { at } from '../model-api.ts'
import { Site, siteController, World } from './life.ts'
import { pages, settled } from './sites.ts'
import { spreadController } from './spread.ts'

const served = { namespaces: ['default', 'elsewhere'] }
const forms: Readonly<Record<string, unknown>> = {
  'an object': { entries: [] },
  'a list of other items': [{ id: 'default_a__ConfigMap', v: 'v1' }],
  'a list of nothing': [null],
  'a text': 'none',
}
/** Writes the inventory as another writer. */
function replace(world: World, inventory: unknown) {
  world.api.edit(Site, 'default/a', { status: { inventory: inventory as Json } })
}
async function settle(world: World) {
  for (let minute = 0; minute < 6; minute++) {
    await world.clock.advance(60_000)
    world.api.collectGarbage()
  }
}

describe('a resource whose inventory another writer uses', () => {
  it.each(Object.entries(forms))('for %s reconciles if its children are in its namespace', async (_, form) => {
    const world = new World()
    world.addSite('a')
    await world.live(siteController())
    replace(world, form)
    world.api.edit(ConfigMap, pages, { data: { index: 'drift' } })
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await settle(world)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'new' })
    expect(world.conditions()).toEqual(settled)
    expect(at(world.site(), 'status', 'inventory')).toEqual(form)
    world.api.requests.length = 0
    await settle(world)
    expect(world.api.requests).toEqual([])
    world.api.remove(Site, 'default/a')
    await settle(world)
    expect(world.site()).toBeUndefined()
  })

  it('creates no child outside of its namespace, and reports that', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello' })
    replace(world, { entries: [] })
    const far = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'far', namespace: 'elsewhere' } }
    await world.live(siteController({ desired: () => [far] }), served)
    await settle(world)
    expect(world.conditions()).toMatchObject({ Ready: 'False/RecordsNotKept' })
    expect(world.message('Ready')).toBe(
      "status.inventory of Site default/a is not the list that konverge keeps there, because another writer uses the field, so no child is created outside of the resource's namespace: have the other writer use another field, and remove status.inventory",
    )
    expect(world.api.find(ConfigMap, 'elsewhere/far')).toBeUndefined()
    expect(at(world.site(), 'status', 'inventory')).toEqual({ entries: [] })
  })

  it('is neither applied nor deleted while children may be in other namespaces, and names these', async () => {
    const world = new World()
    world.addSite('a', { page: 'elsewhere' })
    await world.live(spreadController(), served)
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')).toBeDefined()
    const before = at(world.site(), 'status', 'inventory')
    replace(world, { entries: [] })
    world.api.edit(Site, 'default/a', { spec: { page: 'here' } })
    await settle(world)
    expect(world.conditions()).toMatchObject({ Ready: 'False/RecordsNotKept', Stalled: 'True/RecordsNotKept' })
    expect(world.message('Ready')).toContain('so its children in the namespaces elsewhere')
    world.api.remove(Site, 'default/a')
    await settle(world)
    expect(world.conditions()).toMatchObject({ Ready: 'False/RecordsNotKept' })
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')).toBeDefined()
    replace(world, before)
    await settle(world)
    await settle(world)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')).toBeUndefined()
  })

  it('is deleted without them when its user abandons them', async () => {
    const world = new World()
    world.addSite('a', { page: 'elsewhere' })
    await world.live(spreadController(), served)
    replace(world, { entries: [] })
    world.api.remove(Site, 'default/a')
    await settle(world)
    expect(world.site()).toBeDefined()
    world.api.edit(Site, 'default/a', { metadata: { annotations: { 'konverge.dev/abandon-external': 'true' } } })
    await settle(world)
    expect(world.site()).toBeUndefined()
  })
})
