import { describe, expect, it } from 'vitest'
import { Store } from '../../src/cache/store.ts'
import { ConfigMap, Secret, Service } from '../../src/object/built-in.ts'
import { keyFor } from '../../src/object/ref.ts'
import { type CachedKind, LiveLoader } from '../../src/reconcile/live-loader.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { describeRequest, failure, ModelApi } from '../model-api.ts'
import { live } from '../objects.ts'

/** Returns a reader over a server, and over a cache with these objects of `kind: ConfigMap`. */
function setUp({
  inMemory = [] as readonly string[],
  selectedLabel = undefined as string | undefined,
  declared = ['find', 'list'],
  covered = undefined as readonly string[] | undefined,
} = {}) {
  const api = new ModelApi(new SimClock())
  const objects = inMemory.map((name) => live({ metadata: { name, labels: { app: name } } }))
  const store = new Store({ fields: { initial: ({ metadata }) => [metadata.name.charAt(0)] } })
  for (const object of objects) store.put(object)
  const cached: CachedKind = {
    selectedLabel,
    covers: (namespace) => covered === undefined || (namespace !== undefined && covered.includes(namespace)),
    get: (key) => objects.find(({ metadata }) => keyFor(metadata.namespace, metadata.name) === key),
    select: (selection) => store.select(selection),
    byIndex: (index, value) => (index === 'initial' ? store.byIndex(index, value) : undefined),
  }
  const stop = new AbortController()
  const cachedKind = ({ kind }: { readonly kind: string }) => (kind === 'ConfigMap' ? cached : undefined)
  const mayAsk = (_: unknown, verb: string) => declared.includes(verb)
  return { api, stop, loader: new LiveLoader({ client: api, cachedKind, mayAsk, signal: stop.signal }) }
}

const at = (name: string) => ({ namespace: 'default', name })

describe('find', () => {
  it('makes no request for a fully cached kind, found or not', async () => {
    const { api, loader } = setUp({ inMemory: ['a'] })
    expect((await loader.find(ConfigMap, at('a')))?.metadata.name).toBe('a')
    expect(await loader.find(ConfigMap, at('b'))).toBeUndefined()
    expect(api.requests).toEqual([])
  })

  it('requests objects of a partly cached kind that are not cached', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], selectedLabel: 'app' })
    api.put(ConfigMap, live({ metadata: { name: 'b' } }))
    expect((await loader.find(ConfigMap, at('a')))?.metadata.name).toBe('a')
    expect((await loader.find(ConfigMap, at('b')))?.metadata.name).toBe('b')
    expect(await loader.find(ConfigMap, at('c'))).toBeUndefined()
    expect(api.requests.map(describeRequest)).toEqual(['get configmaps default/b', 'get configmaps default/c'])
  })

  it('requests objects of an unwatched kind, such as a Secret, every time', async () => {
    const { api, loader } = setUp()
    api.put(Secret, live({ kind: 'Secret', metadata: { name: 's' } }))
    await loader.find(Secret, at('s'))
    await loader.find(Secret, at('s'))
    expect(api.requests.map(describeRequest)).toEqual(['get secrets default/s', 'get secrets default/s'])
  })

  it.each(['Forbidden', 'ResourceNotFound', 'Unreachable'] as const)(
    'does not treat response %s as absence',
    async (code) => {
      const { api, loader } = setUp()
      api.before = () => {
        throw failure(code, 'no')
      }
      await expect(loader.find(Secret, at('s'))).rejects.toMatchObject({ code })
    },
  )

  it.each([
    ['a name with a namespace in it, beside another', { namespace: 'own', name: 'default/a' }],
    ['a namespace with a name in it', { namespace: 'default/a', name: 'a' }],
    ['an empty name', { namespace: 'default', name: '' }],
    ['the way up', { namespace: 'default', name: '..' }],
  ])('with %s finds nothing in the cache, and sends no request', async (_, location) => {
    const { api, loader } = setUp({ inMemory: ['a'] })
    expect(await loader.find(ConfigMap, location)).toBeUndefined()
    await expect(loader.find(Service, location)).rejects.toMatchObject({ code: 'BadRequest' })
    expect(api.requests).toEqual([])
  })

  it('rejects a namespaced kind without a namespace, also from the cache', async () => {
    const { loader } = setUp({ inMemory: ['a'] })
    for (const name of ['a', 'default/a']) await expect(loader.find(ConfigMap, { name })).rejects.toThrow('namespaced')
  })

  it('rejects after the end of the reconcile', async () => {
    const { stop, loader } = setUp()
    stop.abort(new Error('the turn is over'))
    await expect(loader.find(Secret, at('s'))).rejects.toThrow('the turn is over')
  })
})

describe('list', () => {
  it.each([
    ['an empty namespace', { namespace: '' }],
    ['a namespace that is a path', { namespace: 'default/configmaps' }],
  ])('with %s returns nothing from the cache, and sends no request', async (_, selection) => {
    const { api, loader } = setUp({ inMemory: ['a'] })
    expect(await loader.list(ConfigMap, selection)).toEqual([])
    await expect(loader.list(Service, selection)).rejects.toMatchObject({ code: 'BadRequest' })
    expect(api.requests).toEqual([])
  })

  it.each([
    ['a label value that selects another one', { labels: { app: '=a' } }],
    ['a label value that adds a selector', { labels: { app: 'a,other' } }],
    ['a label key that is a selector', { labels: { '!app': '' } }],
    ['a label value that is none', { labels: { app: undefined as unknown as string } }],
  ])('with %s is rejected by the cache as by the API server', async (_, selection) => {
    const { api, loader } = setUp({ inMemory: ['a'] })
    await expect(loader.list(ConfigMap, selection)).rejects.toMatchObject({ code: 'BadRequest' })
    await expect(loader.list(Service, selection)).rejects.toMatchObject({ code: 'BadRequest' })
    expect(api.requests).toEqual([])
  })

  it('makes no request for a fully cached kind', async () => {
    const { api, loader } = setUp({ inMemory: ['a', 'b'] })
    expect(await loader.list(ConfigMap, {})).toHaveLength(2)
    expect(await loader.list(ConfigMap, { labels: { app: 'a' } })).toHaveLength(1)
    expect(await loader.list(ConfigMap, { namespace: 'elsewhere' })).toEqual([])
    expect(api.requests).toEqual([])
  })

  it('covers the namespaces of a confined operator, unless another one is requested', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], covered: ['default'] })
    api.put(ConfigMap, live({ metadata: { name: 'x', namespace: 'elsewhere' } }))
    const namesIn = async (selection: { readonly namespace?: string }) =>
      (await loader.list(ConfigMap, selection)).map(({ metadata }) => metadata.name)
    expect(await namesIn({})).toEqual(['a'])
    expect(await namesIn({ namespace: 'elsewhere' })).toEqual(['x'])
  })

  it('makes no request for the label that the cache selects by', async () => {
    const { api, loader } = setUp({ inMemory: ['a', 'b'], selectedLabel: 'app' })
    const found = await loader.list(ConfigMap, { namespace: 'default', labels: { app: 'a' } })
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(await loader.list(ConfigMap, { labels: { app: 'a', tier: 'gold' } })).toEqual([])
    expect(api.requests).toEqual([])
  })

  it('by another label requests the server, with all labels', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], selectedLabel: 'app' })
    api.put(ConfigMap, live({ metadata: { name: 'x', labels: { tier: 'gold', zone: 'z' } } }))
    api.put(ConfigMap, live({ metadata: { name: 'y', labels: { tier: 'gold' } } }))
    const found = await loader.list(ConfigMap, { namespace: 'default', labels: { tier: 'gold', zone: 'z' } })
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['x'])
    expect(await loader.list(ConfigMap, { namespace: 'default' }), 'not only what memory holds').toHaveLength(2)
  })

  it('accepts a label with the name of a property of every object', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], selectedLabel: 'constructor' })
    api.put(ConfigMap, live({ metadata: { name: 'x' } }))
    expect(await loader.list(ConfigMap, {})).toHaveLength(1)
  })

  it('reads all pages', async () => {
    const { api, loader } = setUp()
    for (let index = 0; index < 1_001; index++)
      api.put(Service, live({ kind: 'Service', metadata: { name: `s${index}` } }))
    expect(await loader.list(Service, {})).toHaveLength(1_001)
  })

  it('with more than 10000 objects names the remedy, and stops', async () => {
    const { api, loader } = setUp()
    for (let index = 0; index < 10_001; index++)
      api.put(Service, live({ kind: 'Service', metadata: { name: `s${index}` } }))
    await expect(loader.list(Service, {})).rejects.toMatchObject({
      code: 'TooManyObjects',
      remedy: 'stop',
      message: expect.stringContaining("add it to the controller's watches"),
    })
  })
})

describe('a read that the controller does not declare', () => {
  it('is rejected without a request, and the message has the missing declaration', async () => {
    const { api, loader } = setUp({ declared: [] })
    await expect(loader.find(Secret, at('s'))).rejects.toMatchObject({
      code: 'UndeclaredRead',
      remedy: 'stop',
      message: 'find Secret: the controller does not declare it; add Secret to its reads',
    })
    await expect(loader.list(Secret, {})).rejects.toThrow('add { resource: Secret, isListed: true } to its reads')
    expect(api.requests).toEqual([])
  })

  it('may be answered from the cache nevertheless', async () => {
    const { loader } = setUp({ declared: [], inMemory: ['a'] })
    expect(await loader.find(ConfigMap, at('a'))).toBeDefined()
    expect(await loader.list(ConfigMap, {})).toHaveLength(1)
  })
})

describe('byIndex', () => {
  it('reads the cache, and rejects an undeclared index', () => {
    const { api, loader } = setUp({ inMemory: ['apple', 'bread'] })
    expect(loader.byIndex(ConfigMap, 'initial', 'a').map(({ metadata }) => metadata.name)).toEqual(['apple'])
    expect(() => loader.byIndex(ConfigMap, 'colour', 'red')).toThrow(/no watch of ConfigMap has an index colour/)
    expect(() => loader.byIndex(Secret, 'initial', 'a')).toThrow(/no watch of Secret has an index initial/)
    expect(api.requests).toEqual([])
  })
})
