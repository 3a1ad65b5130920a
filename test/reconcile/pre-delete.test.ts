// Pre-delete work of a resource: it is done before the deletion proceeds (I6).
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import type { ControllerOptions } from '../../src/index.ts'
import { failure } from '../model-api.ts'
import { secretText } from '../taint/secret-text.ts'
import { Site, type SiteSpec, type SiteStatus, siteController, type World } from './life.ts'
import { settledSite } from './sites.ts'

type Parting = NonNullable<ControllerOptions<SiteSpec, SiteStatus, unknown>['preDelete']>

/** Declares a Secret until `isDone`. */
const partingUntil =
  (isDone: () => boolean): Parting =>
  (chart, { object }) => {
    if (isDone()) return
    const metadata = { name: `${object.metadata.name}-farewell` }
    new ApiObject(chart, 'farewell', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { word: secretText('bye') },
    })
  }

async function leaving(parting: Parting, observe = () => Promise.resolve<unknown>({})): Promise<World> {
  const { world, life } = await settledSite()
  await life.drain()
  await world.live(siteController({ preDelete: parting, observe }))
  world.api.remove(Site, 'default/a')
  await world.clock.advance(40_000)
  return world
}

const childrenIn = (world: World) =>
  world.api
    .all()
    .filter(({ kind }) => kind !== 'Site')
    .map(({ metadata }) => metadata.name)
    .sort()

async function end(world: World): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await world.clock.advance(20_000)
    world.api.collectGarbage()
  }
}

describe('pre-delete', () => {
  it('is applied, prunes undeclared children, and ends when it declares nothing', async () => {
    let isDone = false
    const world = await leaving(partingUntil(() => isDone))
    expect(childrenIn(world)).toEqual(['a-farewell'])
    expect(world.site()?.metadata.finalizers).toContain('konverge.dev/konverge')
    isDone = true
    await end(world)
    expect(world.api.all()).toEqual([])
  })

  it('ends when the status reports that its work is done', async () => {
    const { world, life } = await settledSite()
    await life.drain()
    const farewell: Parting = (chart, context) =>
      partingUntil(() => context.object.status?.pages === 100)(chart, context)
    await world.live(
      siteController({
        preDelete: farewell,
        status: ({ object, children }) => {
          const isDone = object.status?.pages === 100 || children.some(({ object: { kind } }) => kind === 'Secret')
          return { fields: { pages: isDone ? 100 : 1 }, conditions: [] }
        },
      }),
    )
    world.api.remove(Site, 'default/a')
    await world.clock.advance(1_000)
    expect(childrenIn(world)).toEqual(['a-farewell'])
    await world.clock.advance(60_000)
    await end(world)
    expect(world.api.all()).toEqual([])
  })

  it('waits while its facts are not known', async () => {
    let isKnown = false
    const observe = () => (isKnown ? Promise.resolve({}) : Promise.reject(failure('Forbidden', 'may not look')))
    const world = await leaving(
      partingUntil(() => true),
      observe,
    )
    expect(world.site()).toBeDefined()
    expect(childrenIn(world)).toEqual(['a', 'a-pages'])
    isKnown = true
    await world.clock.advance(600_000)
    await end(world)
    expect(world.api.all()).toEqual([])
  })
})
