// How does something outside go? First it, last declared first, then the children, then the finalizer; and what is not known to be
// gone is not gone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigMap, Event, valueAt } from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { down, type RemoteOptions, RemoteWorld } from './remote-world.ts'
import {
  addShelf,
  boxesOf,
  Shelf,
  type ShelfOptions,
  type ShelfSpec,
  shelfController,
  shelfDefinition,
  shelfOf,
} from './shelf.ts'

let cluster: TestCluster
let remote: RemoteWorld

beforeEach(async () => {
  cluster = await startCluster({ definitions: [shelfDefinition()] })
})

afterEach(() => cluster.stop())

/** A shelf that has its boxes. */
async function given(spec: Partial<ShelfSpec> = {}, options: RemoteOptions & ShelfOptions = {}): Promise<void> {
  remote = new RemoteWorld(cluster.clock, options)
  cluster.run(shelfController(remote, options))
  await addShelf(cluster, spec)
  await cluster.advance(5_000 + (options.visibilityDelayMs ?? 0))
}

async function remove(ms = 5_000): Promise<void> {
  await cluster.delete(Shelf, 'a')
  await cluster.advance(ms)
}

async function eventsOf(): Promise<readonly string[]> {
  await cluster.advance(5_000)
  const events = await cluster.list(Event, 'default')
  return events.map((event) => `${valueAt(event, 'reason')}: ${valueAt(event, 'note')}`)
}

describe('a deletion', () => {
  it('takes away what is outside, the last declared first', async () => {
    await given({}, { more: ['lid', 'lock'] })
    await remove()
    expect(remote.deeds.slice(3)).toEqual(['delete a-lock', 'delete a-lid', 'delete a-box'])
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(await eventsOf()).toContain('Removed: lid "a-lid" was removed')
  })

  it('waits until it is gone, and says so', async () => {
    await given({}, { deletingMs: 60_000, more: ['lid'] })
    await remove(30_000)
    expect(await boxesOf(cluster)).toBe('box available/AsDesired, lid deleting/BeingDeleted (1, 1)')
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      reason: 'Deleting',
      message: '"a-lid" is being deleted: shredding',
    })
    expect((await shelfOf(cluster))?.status?.external).toMatchObject([{ phase: 'Available' }, { phase: 'Deleting' }])
    await cluster.advance(110_000)
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.count('delete')).toBe(2)
  })

  it('keeps the finalizer while it cannot look', async () => {
    await given()
    remote.before = () => {
      throw down()
    }
    await remove(600_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      reason: expect.stringMatching(/^(BoxesUnreachable|DependencyUnavailable)$/),
    })
    expect(await cluster.find(ConfigMap, 'default/a')).toBeDefined()
    remote.before = () => {}
    await cluster.advance(600_000)
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.boxes.size).toBe(0)
  })

  it('looks again when it was told to, after a refusal', async () => {
    await given()
    remote.before = (operation) => {
      if (operation === 'delete') throw down('not while it is open', 'stop')
    }
    await remove(60_000)
    expect(await cluster.condition(Shelf, 'a', 'Stalled')).toMatchObject({
      reason: 'BoxesRefused',
    })
    remote.before = () => {}
    await cluster.advance(340_000)
    expect(await shelfOf(cluster)).toBeUndefined()
  })

  it('leaves alone what was taken by another, and says so', async () => {
    await given()
    remote.edit('a-box', { owner: { uid: 'another', generation: 1 } })
    await remove()
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.count('delete')).toBe(0)
    expect(await eventsOf()).toContain(
      'LeftAlone: "a-box" exists and belongs to the resource with uid another; nothing is done to it',
    )
  })

  it('leaves what its policy keeps, and says so once', async () => {
    await given({ removal: 'keep' }, { more: ['lid'] })
    remote.calls.length = 0
    await remove()
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.calls).toEqual([])
    expect(remote.boxes.size).toBe(2)
    expect((await eventsOf()).filter((event) => event.startsWith('Kept')).sort()).toEqual([
      'Kept: box "a-box" stays: its policy is to stay',
      'Kept: lid "a-lid" stays: its policy is to stay',
    ])
  })

  it('waits while its controller says not yet, for how long it may be', async () => {
    await given({ removal: 'blocked' })
    await remove(600_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      message: 'somebody uses the box',
    })
    expect(await boxesOf(cluster)).toBe('box blocked/InUse (1)')
    await cluster.patch(Shelf, 'default/a', { spec: { removal: null } })
    await cluster.advance(5_000)
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.count('delete')).toBe(1)
  })

  it('of what was asked for and is not to be seen yet waits until it could be seen', async () => {
    await given({}, { visibilityDelayMs: 60_000 })
    await cluster.stop()
    cluster = await startCluster({ definitions: [shelfDefinition()] })
    remote = new RemoteWorld(cluster.clock, { visibilityDelayMs: 60_000 })
    cluster.run(shelfController(remote))
    await addShelf(cluster)
    await cluster.advance(5_000)
    expect(remote.count('create')).toBe(1)
    await remove(30_000)
    expect(await shelfOf(cluster)).toBeDefined()
    await cluster.advance(120_000)
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.count('delete')).toBe(1)
  })

  it('lets go of what this version of the controller does not know, and says so', async () => {
    remote = new RemoteWorld(cluster.clock)
    const older = cluster.run(shelfController(remote, { more: ['lid'] }))
    await addShelf(cluster)
    await cluster.advance(5_000)
    await older.stop()
    cluster.run(shelfController(remote))
    await remove()
    expect(await shelfOf(cluster)).toBeUndefined()
    expect([...remote.boxes.keys()]).toEqual(['a-lid'])
    expect(await eventsOf()).toContain('LeftAlone: lid "a-lid" stays: this version of the controller does not know it')
  })

  it('of what was never asked for makes no call at all', async () => {
    await given({ waitsFor: 'better days' })
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      message: 'the box waits for better days',
    })
    await remove()
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.calls).toEqual([])
  })

  it('does without facts when observe fails', async () => {
    const observe = () => Promise.reject(new Error('no facts'))
    remote = new RemoteWorld(cluster.clock)
    const able = cluster.run(shelfController(remote))
    await addShelf(cluster)
    await cluster.advance(5_000)
    await able.stop()
    cluster.run(shelfController(remote, { over: { observe } }))
    await remove()
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.boxes.size).toBe(0)
  })
})

describe('a spec that wants it no more', () => {
  it('has it removed, and made again when it is wanted again', async () => {
    await given()
    await cluster.patch(Shelf, 'default/a', { spec: { isEmpty: true } })
    await cluster.advance(5_000)
    expect(await boxesOf(cluster)).toBe('box none/NotWanted (-)')
    await cluster.patch(Shelf, 'default/a', { spec: { isEmpty: false } })
    await cluster.advance(5_000)
    expect(await boxesOf(cluster)).toBe('box available/AsDesired (1)')
    expect(remote.deeds).toEqual(['create a-box', 'delete a-box', 'create a-box'])
  })

  it('has it made again after it went, when the spec changes its mind under way', async () => {
    await given({}, { deletingMs: 60_000 })
    await cluster.patch(Shelf, 'default/a', { spec: { isEmpty: true } })
    await cluster.advance(5_000)
    expect(await boxesOf(cluster)).toBe('box deleting/BeingDeleted (1)')
    await cluster.patch(Shelf, 'default/a', { spec: { isEmpty: false } })
    await cluster.advance(90_000)
    expect(await boxesOf(cluster)).toBe('box available/AsDesired (1)')
    expect(remote.deeds).toEqual(['create a-box', 'delete a-box', 'create a-box'])
  })
})
