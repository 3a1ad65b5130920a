import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChangeFeed } from '../../src/cache/change-feed.ts'
import type { ObjectEvent } from '../../src/kube/object-event.ts'
import { configMap } from './objects.ts'

const text = (event: ObjectEvent) => {
  if (event.kind === 'synced') return 'synced'
  if (event.kind === 'deleted') return `deleted ${event.object.name} ${event.object.uid}`
  return `${event.kind} ${event.object.metadata.name} ${event.object.metadata.resourceVersion}`
}

function readAll(feed: ChangeFeed): readonly string[] {
  const seen: string[] = []
  for (let events = feed.take(); events.length > 0; events = feed.take()) seen.push(...events.map(text))
  return seen
}

const object = (name: string, version: number, uid = name) => configMap(name, { version, uid })

function fed(...objects: readonly ReturnType<typeof object>[]): ChangeFeed {
  const feed = new ChangeFeed()
  for (const one of objects) feed.collect(one)
  feed.replace()
  return feed
}

/** Objects as `uid/version`, by name: the existing ones, and those that a reader of the feed knows. */
class World {
  readonly there = new Map<string, string>()
  readonly seen = new Map<string, string>()
  readonly #feed = fed()

  write(name: string, version: number): void {
    const known = this.there.get(name)?.split('/')[0]
    const uid = known ?? `${name}${version}`
    this.there.set(name, `${uid}/${version}`)
    this.#feed.apply({ type: known === undefined ? 'ADDED' : 'MODIFIED', object: object(name, version, uid) })
  }

  remove(name: string, version: number): void {
    const known = this.there.get(name)?.split('/')[0]
    if (known === undefined) return
    this.there.delete(name)
    this.#feed.apply({ type: 'DELETED', object: object(name, version, known) })
  }

  relist(): void {
    for (const [name, state] of this.there) {
      const [uid, version] = state.split('/')
      this.#feed.collect(object(name, Number(version), uid))
    }
    this.#feed.replace()
  }

  /** Reads the next events; true if there were any. */
  take(): boolean {
    const events = this.#feed.take()
    for (const event of events) this.#read(event)
    return events.length > 0
  }

  #read(event: ObjectEvent): void {
    if (event.kind === 'synced') return
    if (event.kind === 'deleted') {
      expect(this.seen.get(event.object.name)?.split('/')[0]).toBe(event.object.uid)
      this.seen.delete(event.object.name)
      return
    }
    const { name, uid, resourceVersion } = event.object.metadata
    expect(this.seen.has(name)).toBe(event.kind === 'modified')
    this.seen.set(name, `${uid}/${resourceVersion}`)
  }
}

describe('a change feed', () => {
  it('returns the current objects, then synced, then changes', () => {
    const feed = fed(object('a', 1), object('b', 2))
    expect(readAll(feed)).toEqual(['added a 1', 'added b 2', 'synced'])
    feed.apply({ type: 'MODIFIED', object: object('a', 3) })
    feed.apply({ type: 'DELETED', object: object('b', 4) })
    feed.apply({ type: 'ADDED', object: object('c', 5) })
    expect(readAll(feed)).toEqual(['modified a 3', 'deleted b b', 'added c 5'])
    expect(readAll(feed)).toEqual([])
  })

  it('is in sync at once without objects', () => {
    expect(readAll(new ChangeFeed())).toEqual([])
    expect(readAll(fed())).toEqual(['synced'])
  })

  it('reports synced before a later change, and also if all objects are gone by then', () => {
    const feed = fed(object('a', 1))
    feed.apply({ type: 'ADDED', object: object('b', 2) })
    feed.apply({ type: 'DELETED', object: object('a', 3) })
    expect(readAll(feed)).toEqual(['synced', 'added b 2'])
  })

  it('skips unread states', () => {
    const feed = fed()
    feed.apply({ type: 'ADDED', object: object('a', 1) })
    feed.apply({ type: 'MODIFIED', object: object('a', 2) })
    feed.apply({ type: 'ADDED', object: object('b', 3) })
    feed.apply({ type: 'DELETED', object: object('b', 4) })
    expect(readAll(feed)).toEqual(['synced', 'added a 2'])
  })

  it('distinguishes by its uid an object that was deleted and created again', () => {
    const feed = fed(object('a', 1, 'first'))
    readAll(feed)
    feed.apply({ type: 'DELETED', object: object('a', 2, 'first') })
    feed.apply({ type: 'ADDED', object: object('a', 3, 'second') })
    expect(readAll(feed)).toEqual(['deleted a first', 'added a 3'])
  })

  it('returns a later snapshot as changes', () => {
    const feed = fed(object('a', 1), object('b', 2), object('c', 3))
    readAll(feed)
    for (const one of [object('a', 1), object('b', 9), object('d', 8)]) feed.collect(one)
    feed.replace()
    expect(readAll(feed)).toEqual(['deleted c c', 'modified b 9', 'added d 8'])
  })

  it('drops an interrupted snapshot', () => {
    const feed = new ChangeFeed()
    feed.collect(object('a', 1))
    feed.discard()
    feed.collect(object('b', 2))
    feed.collect(object('c', 3))
    feed.uncollect(object('c', 4))
    feed.replace()
    expect(readAll(feed)).toEqual(['added b 2', 'synced'])
  })

  it('reports the deletion of all objects with their kind', () => {
    const feed = fed(object('a', 1))
    readAll(feed)
    feed.absent()
    expect(readAll(feed)).toEqual(['deleted a a'])
  })

  it('brings a reader of any speed to the current state', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      act: fc.constantFrom('write', 'remove', 'take', 'relist'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new World()
        for (const [at, { name, act }] of steps.entries()) world[act](name, at + 1)
        while (world.take()) {}
        expect(world.seen).toEqual(world.there)
      }),
    )
  })

  it('is read in linear time', () => {
    const count = 50_000
    const feed = fed(...Array.from({ length: count }, (_, at) => object(`o-${at}`, at + 1)))
    const startedMs = performance.now()
    expect(readAll(feed)).toHaveLength(count + 1)
    // A walk over the entries that have been read would take minutes.
    expect(performance.now() - startedMs).toBeLessThan(10_000)
  })
})
