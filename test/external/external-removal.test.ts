// Removal of external resources: first the external resources, last declared first, then the children, then the
// finalizer. An unknown state is not absence.
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

/** A shelf whose boxes exist. */
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
  it('removes the external resources, the last declared first', async () => {
    await given({}, { more: ['lid', 'lock'] })
    await remove()
    expect(remote.deeds.slice(3)).toEqual(['delete a-lock', 'delete a-lid', 'delete a-box'])
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(await eventsOf()).toContain('Removed: lid "a-lid" was removed')
  })

  it('waits until they are gone, and reports it', async () => {
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

  it('keeps the finalizer while it cannot observe', async () => {
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

  it('observes again at the requested time, after a rejection', async () => {
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

  it('leaves a resource alone that another owner took over, and reports it', async () => {
    await given()
    remote.edit('a-box', { owner: { uid: 'another', generation: 1 } })
    await remove()
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.count('delete')).toBe(0)
    expect(await eventsOf()).toContain(
      'LeftAlone: "a-box" exists and belongs to the resource with uid another; nothing is done to it',
    )
  })

  it('leaves resources that its policy keeps, and reports them once', async () => {
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

  it('waits while its controller blocks it, for the time that the controller allows', async () => {
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

  it('waits for the whole visibility delay of a requested resource that is not visible yet', async () => {
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

  it('abandons resources that this version of the controller does not know, and reports them', async () => {
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

  it('without a request makes no call at all', async () => {
    await given({ waitsFor: 'better days' })
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      message: 'the box waits for better days',
    })
    await remove()
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.calls).toEqual([])
  })

  it('works without facts when observe fails', async () => {
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

describe('a spec that no longer requires it', () => {
  it('removes it, and creates it again when it requires it again', async () => {
    await given()
    await cluster.patch(Shelf, 'default/a', { spec: { isEmpty: true } })
    await cluster.advance(5_000)
    expect(await boxesOf(cluster)).toBe('box none/NotWanted (-)')
    await cluster.patch(Shelf, 'default/a', { spec: { isEmpty: false } })
    await cluster.advance(5_000)
    expect(await boxesOf(cluster)).toBe('box available/AsDesired (1)')
    expect(remote.deeds).toEqual(['create a-box', 'delete a-box', 'create a-box'])
  })

  it('creates it again after its removal, when the spec changes back meanwhile', async () => {
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
