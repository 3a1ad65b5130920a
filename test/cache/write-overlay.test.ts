import { describe, expect, it } from 'vitest'
import { type Indexes, Store } from '../../src/cache/store.ts'
import { WriteOverlay } from '../../src/cache/write-overlay.ts'
import { keyFor } from '../../src/object/ref.ts'
import { configMap, ownedBy } from './objects.ts'

const indexes: Indexes = { labels: ['app'], fields: { initial: ({ metadata }) => [metadata.name.charAt(0)] } }
const a = keyFor('default', 'a')

function overlay() {
  const store = new Store(indexes)
  return { store, view: new WriteOverlay(store, indexes) }
}

describe('WriteOverlay', () => {
  it('shows a write before the watch has seen it, in every kind of read', () => {
    const { view } = overlay()
    const written = configMap('a', { version: 7, labels: { app: 'x' }, ...ownedBy('o') })
    view.put(written, '5')
    expect(view.get(a)).toBe(written)
    expect(view.size).toBe(1)
    for (const found of [view.list(), view.byOwner('o'), view.byLabel('app', 'x'), view.byIndex('initial', 'a')]) {
      expect(found).toEqual([written])
    }
  })

  it('hides the older object of the store even if only that one matches', () => {
    const { store, view } = overlay()
    store.put(configMap('a', { version: 3, labels: { app: 'x' }, ...ownedBy('o') }))
    store.put(configMap('b', { version: 4, labels: { app: 'x' } }))
    view.put(configMap('a', { version: 7, labels: { app: 'y' } }), '5')
    expect(view.byLabel('app', 'x').map(({ metadata }) => metadata.name)).toEqual(['b'])
    expect(view.byLabel('app', 'y').map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(view.byOwner('o')).toEqual([])
    expect(view.list()).toHaveLength(2)
    expect(view.size).toBe(2)
  })

  it.each([
    ['the watch has seen that version', 7, '7'],
    ['the watch is past it, so that what was deleted does not come back', 7, '9'],
    ['the version cannot be ordered', 'x7', '5'],
  ])('ignores a write when %s', (_, version, seen) => {
    const { view } = overlay()
    view.put(configMap('a', { version }), seen)
    expect(view.get(a)).toBeUndefined()
  })

  it('accepts writes before the first snapshot', () => {
    const { view } = overlay()
    view.put(configMap('a', { version: 7 }), undefined)
    expect(view.get(a)?.metadata.resourceVersion).toBe('7')
  })

  it('keeps the later of two responses, in any order', () => {
    const { view } = overlay()
    view.put(configMap('a', { version: 10 }), '5')
    view.put(configMap('a', { version: 9 }), '5')
    expect(view.get(a)?.metadata.resourceVersion).toBe('10')
    view.put(configMap('a', { version: 11 }), '5')
    expect(view.get(a)?.metadata.resourceVersion).toBe('11')
  })

  it('drops an entry when the watch reaches it, and not before', () => {
    const { view } = overlay()
    const written = configMap('a', { version: 10 })
    view.put(written, '5')
    expect(view.reached('9')).toEqual([])
    expect(view.get(a)).toBe(written)
    expect(view.reached('10')).toEqual([written])
    expect(view.get(a)).toBeUndefined()
  })

  describe('with a deletion', () => {
    it('shows the object, which finalizers may hold, until the watch shows its end', () => {
      const { store, view } = overlay()
      const object = configMap('a', { version: 3 })
      store.put(object)
      expect(view.get(a)).toBe(object)
      expect(view.hasSeenDeleteOf(a, 'a-1')).toBe(false)
      store.remove(object)
      expect(view.hasSeenDeleteOf(a, 'a-1')).toBe(true)
    })

    it.each([
      ['is there', [configMap('a', { version: 9 })], false],
      ['has given way to a namesake', [configMap('a', { version: 9, uid: 'a-2' })], true],
      ['is being deleted', [configMap('a', { version: 9, deletionTimestamp: '2026-01-01T00:00:00Z' })], true],
    ])('checks whether the object %s, in the store or written by the operator', (_, [object], hasSeen) => {
      const [seen, written] = [overlay(), overlay()]
      if (object !== undefined) seen.store.put(object)
      if (object !== undefined) written.view.put(object, '5')
      expect([seen.view.hasSeenDeleteOf(a, 'a-1'), written.view.hasSeenDeleteOf(a, 'a-1')]).toEqual([hasSeen, hasSeen])
    })
  })
})
