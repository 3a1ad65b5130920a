import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/base/errors.ts'
import { type Indexes, isSameVersion, type ObjectSelection, Store } from '../../src/cache/store.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { controllerOf } from '../../src/object/ownership.ts'
import { keyFor, keyOf } from '../../src/object/ref.ts'
import { configMap, ownedBy } from './objects.ts'

const indexes: Indexes = {
  labels: ['app'],
  fields: { words: (object) => String(object.words ?? '').split(' ') },
}
function replace(store: Store, objects: readonly LiveObject[]) {
  const next = store.emptied()
  for (const object of new Map(objects.map((object) => [keyOf(object), object])).values()) {
    const known = store.get(keyOf(object))
    next.put(known !== undefined && isSameVersion(known, object) ? known : object)
  }
  const changes = [...store.changesTo(next)].flat()
  store.become(next)
  return changes
}

const names = (objects: readonly LiveObject[]) => objects.map(keyOf).sort()

describe('Store', () => {
  it('reports an addition, an update and a deletion', () => {
    const store = new Store()
    const [first, second] = [configMap('a', { version: 1 }), configMap('a', { version: 2 })]
    const last = configMap('a', { version: 3 })
    expect(store.put(first)).toEqual([{ kind: 'added', object: first }])
    expect(store.put(second)).toEqual([{ kind: 'updated', object: second, previous: first }])
    expect(store.remove(last)).toEqual([{ kind: 'deleted', object: last }])
    expect(store.size).toBe(0)
  })

  it('keeps its object when the same version arrives again', () => {
    const store = new Store()
    const first = configMap('a', { version: 1 })
    store.put(first)
    expect(store.put(configMap('a', { version: 1 }))).toEqual([])
    expect(store.get(keyOf(first))).toBe(first)
  })

  it('reports an object of the same name with another uid as a deletion and an addition', () => {
    const store = new Store()
    const [first, second] = [configMap('a', { version: 1 }), configMap('a', { version: 2, uid: 'a-2' })]
    store.put(first)
    expect(store.put(second)).toEqual([
      { kind: 'deleted', object: first },
      { kind: 'added', object: second },
    ])
  })

  it('does not remove an object with another uid, nor an absent one', () => {
    const store = new Store()
    store.put(configMap('a', { version: 2, uid: 'a-2' }))
    expect(store.remove(configMap('a', { version: 1 }))).toEqual([])
    expect(store.remove(configMap('b', { version: 1 }))).toEqual([])
    expect(store.size).toBe(1)
  })

  it('finds added, removed, changed and recreated objects in a replacement, and skips unchanged ones', () => {
    const store = new Store()
    for (const name of ['gone', 'same', 'changed', 'anew']) store.put(configMap(name, { version: 1 }))
    const changes = replace(store, [
      configMap('same', { version: 1 }),
      configMap('changed', { version: 5 }),
      configMap('anew', { version: 6, uid: 'anew-2' }),
      configMap('new', { version: 7 }),
    ])
    expect(changes.map(({ kind, object }) => `${kind} ${object.metadata.uid}`)).toEqual([
      'deleted gone-1',
      'updated changed-1',
      'deleted anew-1',
      'added anew-2',
      'added new-1',
    ])
  })

  it('finds objects by owner, label and named function', () => {
    const store = new Store(indexes)
    store.put({ ...configMap('a', { version: 1, labels: { app: 'x' }, ...ownedBy('o') }), words: 'one two' })
    store.put({ ...configMap('b', { version: 1, labels: { app: 'y' } }), words: 'two' })
    expect(names(store.byOwner('o'))).toEqual(['default/a'])
    expect(names(store.byLabel('app', 'y'))).toEqual(['default/b'])
    expect(names(store.byIndex('words', 'two'))).toEqual(['default/a', 'default/b'])
    expect(store.byOwner('nobody')).toEqual([])
  })

  it('finds an object by each of its owners', () => {
    const store = new Store()
    const reference = (uid: string) => ({ apiVersion: 'v1', kind: 'Owner', name: uid, uid })
    store.put(configMap('a', { version: 1, ownerReferences: [reference('o'), reference('p')] }))
    expect(names(store.byOwner('o'))).toEqual(['default/a'])
    store.put(configMap('a', { version: 2, ownerReferences: [reference('p')] }))
    expect(store.byOwner('o')).toEqual([])
    expect(names(store.byOwner('p'))).toEqual(['default/a'])
  })

  it('rejects an undeclared look-up', () => {
    const store = new Store(indexes)
    expect(() => store.byLabel('other', 'x')).toThrow('only indexed labels')
    expect(() => store.byIndex('other', 'x')).toThrow('only declared indexes')
  })

  it('indexes existing objects when an index is added, and rejects a second function for its name', () => {
    const store = new Store()
    store.put({ ...configMap('a', { version: 1 }), words: 'one' })
    store.addIndexes(indexes)
    store.addIndexes(indexes)
    expect(names(store.byIndex('words', 'one'))).toEqual(['default/a'])
    expect(() => store.addIndexes({ fields: { words: () => [] } })).toThrow('two for words')
  })

  it('finds an object under no value when an index function throws, and reports the error', () => {
    const told: string[] = []
    const store = new Store(
      { fields: { picky: ({ metadata }) => (metadata.name === 'odd' ? JSON.parse('{') : ['v']) } },
      (name, object) => told.push(`${name} ${object.metadata.name}`),
    )
    for (const name of ['odd', 'even']) store.put(configMap(name, { version: 1 }))
    expect(names(store.byIndex('picky', 'v'))).toEqual(['default/even'])
    expect(store.get(keyFor('default', 'odd'))).toBeDefined()
    expect(told).toEqual(['picky odd'])
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'v'],
    ['an object', { v: 'v' }],
    ['a Set', new Set(['v'])],
  ])('finds an object under no value when an index function returns %s, and reports the error', (_, returned) => {
    const reported: string[] = []
    // Authors without types, or with specs of another form than declared.
    const picky = () => returned as unknown as readonly string[]
    const store = new Store({ fields: { picky } }, (name, { metadata }, thrown) => {
      reported.push(`${name} ${metadata.name}: ${messageOf(thrown)}`)
    })
    store.put(configMap('odd', { version: 1 }))
    store.put(configMap('odd', { version: 2 }))
    expect(store.byIndex('picky', 'v')).toEqual([])
    expect(store.size).toBe(1)
    expect(reported).toContain('picky odd: it returned no list of strings')
  })

  it('keeps every index equal to a naive model', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
        const store = new Store(indexes)
        const model = new NaiveStore()
        for (const { kind, objects } of operations) {
          if (kind === 'replace') replace(store, objects)
          else for (const object of objects) store[kind](object)
          model[kind](objects)
          expect(names(store.list())).toEqual(model.where(() => true))
          for (const uid of ['o', 'p']) {
            expect(names(store.byOwner(uid))).toEqual(model.where((object) => controllerOf(object)?.uid === uid))
          }
          for (const app of ['x', 'y']) {
            expect(names(store.byLabel('app', app))).toEqual(
              model.where(({ metadata }) => metadata.labels?.app === app),
            )
          }
          for (const word of ['one', 'two', '']) {
            const has = (object: LiveObject) => String(object.words).split(' ').includes(word)
            expect(names(store.byIndex('words', word))).toEqual(model.where(has))
          }
        }
      }),
    )
  })
})

const anObject = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    uid: fc.constantFrom('1', '2'),
    version: fc.integer({ min: 1, max: 5 }),
    app: fc.option(fc.constantFrom('x', 'y')),
    owner: fc.option(fc.constantFrom('o', 'p')),
    words: fc.constantFrom('', 'one', 'one two', 'two two'),
  })
  .map(({ name, uid, version, app, owner, words }) => {
    const labels = app === null ? {} : { labels: { app } }
    return { ...configMap(name, { version, uid, ...labels, ...(owner === null ? {} : ownedBy(owner)) }), words }
  })
const operation = fc.record({
  kind: fc.constantFrom('put', 'remove', 'replace'),
  objects: fc.array(anObject, { maxLength: 4 }),
})

/** Answers every query by a scan. */
class NaiveStore {
  #objects: LiveObject[] = []

  put(objects: readonly LiveObject[]): void {
    for (const object of objects) {
      const { uid, resourceVersion } = object.metadata
      const previous = this.#objects.find((other) => keyOf(other) === keyOf(object))
      if (previous?.metadata.uid === uid && previous.metadata.resourceVersion === resourceVersion) continue
      this.#objects = [...this.#objects.filter((other) => other !== previous), object]
    }
  }

  remove(objects: readonly LiveObject[]): void {
    for (const { metadata } of objects) {
      const isMeant = (other: LiveObject) =>
        other.metadata.name === metadata.name && other.metadata.uid === metadata.uid
      this.#objects = this.#objects.filter((other) => !isMeant(other))
    }
  }

  replace(objects: readonly LiveObject[]): void {
    this.#objects = this.#objects.filter((kept) => objects.some((object) => keyOf(object) === keyOf(kept)))
    const lastOfEach = new Map(objects.map((object) => [keyOf(object), object]))
    this.put([...lastOfEach.values()])
  }

  where(holds: (object: LiveObject) => boolean): readonly string[] {
    return names(this.#objects.filter(holds))
  }
}

describe('a selection by namespace and labels', () => {
  const objects = ['a', 'b', 'c'].flatMap((name, index) =>
    ['north', 'south'].map((namespace) =>
      configMap(name, { version: index + 1, namespace, labels: { app: name, tier: index === 0 ? 'web' : 'data' } }),
    ),
  )
  const store = new Store()
  for (const object of objects) store.put(object)
  const select = (selection: ObjectSelection) =>
    store.select(selection).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)

  it.each<[ObjectSelection, readonly string[]]>([
    [{}, ['north/a', 'south/a', 'north/b', 'south/b', 'north/c', 'south/c']],
    [{ namespace: 'north' }, ['north/a', 'north/b', 'north/c']],
    [{ labels: { tier: 'data' } }, ['north/b', 'south/b', 'north/c', 'south/c']],
    [{ namespace: 'south', labels: { tier: 'data', app: 'c' } }, ['south/c']],
    [{ namespace: 'south', labels: { tier: 'web', app: 'c' } }, []],
    [{ namespace: 'nowhere' }, []],
    [{ labels: { app: 'none' } }, []],
    [{ labels: { other: 'x' } }, []],
  ])('%j', (selection, expected) => {
    expect(select(selection)).toEqual(expected)
  })

  it('follows changes after its first use, and supports more labels than are indexed', () => {
    const many = new Store()
    const labels = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`l${index}`, 'x']))
    many.put(configMap('a', { version: 1, labels }))
    for (const label of Object.keys(labels)) expect(many.select({ labels: { [label]: 'x' } })).toHaveLength(1)
    many.put(configMap('b', { version: 2, labels: { l0: 'x', l39: 'x' } }))
    expect(many.select({ labels: { l39: 'x' } })).toHaveLength(2)
    expect(many.select({ labels: { l0: 'x' } })).toHaveLength(2)
    many.remove(configMap('b', { version: 3 }))
    expect(many.select({ namespace: 'default', labels: { l0: 'x' } })).toHaveLength(1)
  })
})
