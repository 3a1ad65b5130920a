// Functions of a controller that return or throw other values than their types allow. One resource with such a function
// neither ends the operator nor delays another resource.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyFor } from '../../src/object/ref.ts'
import { type SiteSpec, siteController, World } from './life.ts'
import { pages, settled } from './sites.ts'

const rejections: unknown[] = []
const onRejection = (reason: unknown) => void rejections.push(reason)
beforeEach(() => {
  rejections.length = 0
  process.on('unhandledRejection', onRejection)
})
afterEach(() => void process.off('unhandledRejection', onRejection))

type Over = Parameters<typeof siteController>[0]
/** An author's function with any result. */
// biome-ignore lint/suspicious/noExplicitAny: these functions break their types on purpose.
type Wrong = any

const isEvil = ({ spec }: { readonly spec?: unknown }) => (spec as SiteSpec | undefined)?.page === 'evil'
const unprintable: unknown = Object.create(null)
const failing = () => {
  throw unprintable
}
const theme = (over: object): Over => ({
  watches: [{ resource: ConfigMap, keysFor: () => [keyFor('default', 'a')], ...over }],
})

const wrong: Readonly<Record<string, Over>> = {
  'an index that returns nothing': { indexes: { theme: ((site: Wrong) => (isEvil(site) ? undefined : [])) as Wrong } },
  'an index that throws what has no text': { indexes: { theme: (site) => (isEvil(site) ? failing() : []) } },
  'an index of a watch that returns nothing': theme({ indexes: { theme: () => undefined } }),
  'keysFor that returns nothing': theme({ keysFor: () => undefined }),
  'keysFor that returns no keys': theme({ keysFor: () => [undefined, 5, {}] }),
  'keysFor that throws what has no text': theme({ keysFor: failing }),
  'a digest that is cyclic': theme({
    digest: ({ metadata }: LiveObject) => {
      const cyclic: { metadata: unknown; self?: unknown } = { metadata }
      cyclic.self = cyclic
      return cyclic
    },
  }),
  'a digest that throws what has no text': theme({ digest: failing }),
  'keep of a watch that returns nothing': theme({ keep: () => undefined }),
  'keep that returns nothing': { keep: (() => undefined) as Wrong },
  'keep that returns no kind': { keep: (({ metadata, spec }: LiveObject<SiteSpec>) => ({ metadata, spec })) as Wrong },
  'events that are none': { events: () => undefined as Wrong },
  'events that name nothing': {
    events: async function* () {
      yield undefined as Wrong
    },
  },
  'events that throw what has no text': { events: failing },
}

describe('a resource whose controller has', () => {
  it.each(Object.entries(wrong))('%s does not end the operator, and other resources reconcile', async (_, over) => {
    const world = new World()
    world.addSite('a')
    await world.live(siteController(over))
    world.addSite('evil', { page: 'evil' })
    await world.clock.advance(1_000)
    world.api.edit(ConfigMap, pages, { data: { index: 'drift' } })
    world.addSite('b')
    await world.clock.advance(60_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(rejections).toEqual([])
    expect([world.conditions('default/a'), world.conditions('default/b')]).toEqual([settled, settled])
  })

  it('the log names an index function that returns no list', async () => {
    const world = new World()
    world.addSite('evil', { page: 'evil' })
    await world.live(siteController(wrong['an index that returns nothing']))
    const errors = world.lines.filter(({ level }) => level === 'error')
    expect(errors).toContainEqual(
      expect.objectContaining({
        fields: expect.objectContaining({ name: 'evil', error: 'it returned no list of strings' }),
      }),
    )
  })
})
