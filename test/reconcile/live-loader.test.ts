import { describe, expect, it } from 'vitest'
import { Store } from '../../src/cache/store.ts'
import { ConfigMap, Secret, Service } from '../../src/object/built-in.ts'
import { keyFor } from '../../src/object/ref.ts'
import { type CachedKind, LiveLoader } from '../../src/reconcile/live-loader.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { describeRequest, failure, ModelApi } from '../model-api.ts'
import { live } from '../objects.ts'

/** What a reader gets of a server, and of a memory that holds `kind: ConfigMap` with these objects. */
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

describe('finding an object', () => {
  it('of a kind that is all in memory asks nobody, whether it is there or not', async () => {
    const { api, loader } = setUp({ inMemory: ['a'] })
    expect((await loader.find(ConfigMap, at('a')))?.metadata.name).toBe('a')
    expect(await loader.find(ConfigMap, at('b'))).toBeUndefined()
    expect(api.requests).toEqual([])
  })

  it('of a kind that is partly in memory asks for what is not there', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], selectedLabel: 'app' })
    api.put(ConfigMap, live({ metadata: { name: 'b' } }))
    expect((await loader.find(ConfigMap, at('a')))?.metadata.name).toBe('a')
    expect((await loader.find(ConfigMap, at('b')))?.metadata.name).toBe('b')
    expect(await loader.find(ConfigMap, at('c'))).toBeUndefined()
    expect(api.requests.map(describeRequest)).toEqual(['get configmaps default/b', 'get configmaps default/c'])
  })

  it('of a kind that nobody watches, such as a Secret, asks every time', async () => {
    const { api, loader } = setUp()
    api.put(Secret, live({ kind: 'Secret', metadata: { name: 's' } }))
    await loader.find(Secret, at('s'))
    await loader.find(Secret, at('s'))
    expect(api.requests.map(describeRequest)).toEqual(['get secrets default/s', 'get secrets default/s'])
  })

  it.each(['Forbidden', 'ResourceNotFound', 'Unreachable'] as const)(
    'that the server answers with %s is no absence',
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
  ])('with %s finds nothing in memory, and sends no request', async (_, location) => {
    const { api, loader } = setUp({ inMemory: ['a'] })
    expect(await loader.find(ConfigMap, location)).toBeUndefined()
    await expect(loader.find(Service, location)).rejects.toMatchObject({ code: 'BadRequest' })
    expect(api.requests).toEqual([])
  })

  it('without the namespace of a namespaced kind is a bug, from memory too', async () => {
    const { loader } = setUp({ inMemory: ['a'] })
    for (const name of ['a', 'default/a']) await expect(loader.find(ConfigMap, { name })).rejects.toThrow('namespaced')
  })

  it('ends with the turn', async () => {
    const { stop, loader } = setUp()
    stop.abort(new Error('the turn is over'))
    await expect(loader.find(Secret, at('s'))).rejects.toThrow('the turn is over')
  })
})

describe('listing objects', () => {
  it.each([
    ['an empty namespace', { namespace: '' }],
    ['a namespace that is a path', { namespace: 'default/configmaps' }],
  ])('with %s lists nothing from memory, and sends no request', async (_, selection) => {
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
  ])('with %s is refused alike from memory and from the API server', async (_, selection) => {
    const { api, loader } = setUp({ inMemory: ['a'] })
    await expect(loader.list(ConfigMap, selection)).rejects.toMatchObject({ code: 'BadRequest' })
    await expect(loader.list(Service, selection)).rejects.toMatchObject({ code: 'BadRequest' })
    expect(api.requests).toEqual([])
  })

  it('of a kind that is all in memory asks nobody', async () => {
    const { api, loader } = setUp({ inMemory: ['a', 'b'] })
    expect(await loader.list(ConfigMap, {})).toHaveLength(2)
    expect(await loader.list(ConfigMap, { labels: { app: 'a' } })).toHaveLength(1)
    expect(await loader.list(ConfigMap, { namespace: 'elsewhere' })).toEqual([])
    expect(api.requests).toEqual([])
  })

  it('of an operator that is confined to namespaces means those, unless another one is asked for', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], covered: ['default'] })
    api.put(ConfigMap, live({ metadata: { name: 'x', namespace: 'elsewhere' } }))
    const namesIn = async (selection: { readonly namespace?: string }) =>
      (await loader.list(ConfigMap, selection)).map(({ metadata }) => metadata.name)
    expect(await namesIn({})).toEqual(['a'])
    expect(await namesIn({ namespace: 'elsewhere' })).toEqual(['x'])
  })

  it('by the label that memory goes by asks nobody', async () => {
    const { api, loader } = setUp({ inMemory: ['a', 'b'], selectedLabel: 'app' })
    const found = await loader.list(ConfigMap, { namespace: 'default', labels: { app: 'a' } })
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(await loader.list(ConfigMap, { labels: { app: 'a', tier: 'gold' } })).toEqual([])
    expect(api.requests).toEqual([])
  })

  it('by another label asks the server, with all labels in the question', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], selectedLabel: 'app' })
    api.put(ConfigMap, live({ metadata: { name: 'x', labels: { tier: 'gold', zone: 'z' } } }))
    api.put(ConfigMap, live({ metadata: { name: 'y', labels: { tier: 'gold' } } }))
    const found = await loader.list(ConfigMap, { namespace: 'default', labels: { tier: 'gold', zone: 'z' } })
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['x'])
    expect(await loader.list(ConfigMap, { namespace: 'default' }), 'not only what memory holds').toHaveLength(2)
  })

  it('a label that has the name of a property of every object is a label like any other', async () => {
    const { api, loader } = setUp({ inMemory: ['a'], selectedLabel: 'constructor' })
    api.put(ConfigMap, live({ metadata: { name: 'x' } }))
    expect(await loader.list(ConfigMap, {})).toHaveLength(1)
  })

  it('reads page after page', async () => {
    const { api, loader } = setUp()
    for (let index = 0; index < 1_001; index++)
      api.put(Service, live({ kind: 'Service', metadata: { name: `s${index}` } }))
    expect(await loader.list(Service, {})).toHaveLength(1_001)
  })

  it('of more than 10000 says what to do instead, and that it is no use to try again', async () => {
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
  it('is refused without asking, and the sentence says what to declare', async () => {
    const { api, loader } = setUp({ declared: [] })
    await expect(loader.find(Secret, at('s'))).rejects.toMatchObject({
      code: 'UndeclaredRead',
      remedy: 'stop',
      message: 'find Secret: the controller does not declare it; add Secret to its reads',
    })
    await expect(loader.list(Secret, {})).rejects.toThrow('add { resource: Secret, isListed: true } to its reads')
    expect(api.requests).toEqual([])
  })

  it('may be answered from memory all the same', async () => {
    const { loader } = setUp({ declared: [], inMemory: ['a'] })
    expect(await loader.find(ConfigMap, at('a'))).toBeDefined()
    expect(await loader.list(ConfigMap, {})).toHaveLength(1)
  })
})

describe('looking up by an index', () => {
  it('reads memory, and asks for a declaration where there is none', () => {
    const { api, loader } = setUp({ inMemory: ['apple', 'bread'] })
    expect(loader.byIndex(ConfigMap, 'initial', 'a').map(({ metadata }) => metadata.name)).toEqual(['apple'])
    expect(() => loader.byIndex(ConfigMap, 'colour', 'red')).toThrow(/no watch of ConfigMap has an index colour/)
    expect(() => loader.byIndex(Secret, 'initial', 'a')).toThrow(/no watch of Secret has an index initial/)
    expect(api.requests).toEqual([])
  })
})
