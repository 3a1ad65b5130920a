// Reconciles of a resource with an external resource, from its creation to its deletion. On the embedded API server,
// with a model of the outside world.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Event, type ExternalRecord, valueAt } from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { type RemoteOptions, RemoteWorld } from './remote-world.ts'
import { addShelf, boxesOf, Shelf, shelfController, shelfDefinition, shelfOf } from './shelf.ts'

let cluster: TestCluster
let remote: RemoteWorld

beforeEach(async () => {
  cluster = await startCluster({ definitions: [shelfDefinition()] })
})

afterEach(() => cluster.stop())

function world(options: RemoteOptions = {}): RemoteWorld {
  remote = new RemoteWorld(cluster.clock, options)
  return remote
}

async function recordOf(name = 'a'): Promise<ExternalRecord | undefined> {
  return (await shelfOf(cluster, name))?.status?.external?.[0]
}

describe('an external resource', () => {
  it('is created once, after its journal entry, and not observed again before its cadence', async () => {
    cluster.run(shelfController(world()))
    let recorded: unknown
    remote.before = (operation) => {
      if (operation !== 'create') return
      recorded = cluster.requests().findLast(({ verb }) => verb === 'patch')
    }
    const { metadata } = await addShelf(cluster)
    await cluster.advance(1_000)
    expect(remote.calls).toEqual(['observe a-box', 'create a-box', 'observe a-box'])
    expect(recorded).toMatchObject({ subresource: 'status' })
    expect(await boxesOf(cluster)).toBe('box available/AsDesired (1)')
    expect(await recordOf()).toEqual({
      name: 'box',
      phase: 'Available',
      externalName: 'a-box',
      token: { uid: metadata.uid, generation: 1 },
      requestedAt: expect.any(String),
      providerID: 'box-1',
      appliedGeneration: 1,
    })
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'True',
    })
    expect(await writesDuring(298_000)).toEqual([])
    expect(remote.calls).toHaveLength(3)
    expect(await writesDuring(32_000)).toEqual([])
    expect(remote.calls.slice(3)).toEqual(['observe a-box'])
  })

  it('is observed exactly once per cadence, by default, of its own, or as its annotation requests', async () => {
    cluster.run(shelfController(world(), { cadenceMs: 60_000 }))
    await addShelf(cluster)
    await cluster.advance(5_000)
    remote.calls.length = 0
    await cluster.advance(60_000 * 1.1 * 10)
    expect(remote.calls.length).toBeGreaterThanOrEqual(10)
    expect(remote.calls.length).toBeLessThanOrEqual(11)
    await annotate('konverge.dev/reconcile-interval', '20s')
    await cluster.advance(1_000)
    remote.calls.length = 0
    await cluster.advance(220_000)
    expect(remote.calls.length).toBeGreaterThanOrEqual(10)
    expect(remote.calls.length).toBeLessThanOrEqual(11)
  })

  it('is observed on request, once', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster)
    await cluster.advance(5_000)
    remote.calls.length = 0
    await annotate('konverge.dev/reconcile-now', 'today')
    await cluster.advance(60_000)
    expect(remote.calls).toEqual(['observe a-box'])
    expect((await shelfOf(cluster))?.status).toMatchObject({
      lastHandledReconcileAt: 'today',
    })
  })

  it('is observed once after a restart, without a write', async () => {
    const controller = shelfController(world())
    const first = cluster.run(controller)
    await addShelf(cluster)
    await cluster.advance(5_000)
    await first.stop()
    remote.calls.length = 0
    cluster.run(controller)
    expect(await writesDuring(60_000)).toEqual([])
    expect(remote.calls).toEqual(['observe a-box'])
  })

  it('is left alone while its resource is paused, and so is its removal', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster)
    await cluster.advance(5_000)
    await annotate('konverge.dev/paused', 'true')
    remote.calls.length = 0
    remote.edit('a-box', { size: 7 })
    await cluster.advance(600_000)
    await cluster.delete(Shelf, 'a')
    await cluster.advance(60_000)
    expect(remote.calls).toEqual([])
    await annotate('konverge.dev/paused', 'false')
    await cluster.advance(5_000)
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.boxes.size).toBe(0)
  })

  it('is awaited while it is invisible and while it is pending, and never created twice', async () => {
    cluster.run(shelfController(world({ visibilityDelayMs: 30_000, pendingMs: 60_000 })))
    await addShelf(cluster)
    await cluster.advance(10_000)
    expect(await boxesOf(cluster)).toBe('box notYetVisible/NotYetVisible (-)')
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Waiting',
    })
    expect(await cluster.condition(Shelf, 'a', 'Degraded')).toMatchObject({
      status: 'False',
    })
    await cluster.advance(30_000)
    expect(await boxesOf(cluster)).toBe('box pending/Provisioning (-)')
    await cluster.advance(60_000)
    expect(await boxesOf(cluster)).toBe('box available/AsDesired (1)')
    expect(remote.deeds).toEqual(['create a-box'])
  })

  it('has its identity recorded at once, without any other change', async () => {
    cluster.run(shelfController(world({ visibilityDelayMs: 7_000, pendingMs: 600_000 })))
    await addShelf(cluster)
    await cluster.advance(6_000)
    expect(await recordOf()).not.toHaveProperty('providerID')
    await cluster.advance(9_000)
    expect(await recordOf()).toMatchObject({
      phase: 'Pending',
      providerID: 'box-1',
    })
  })

  it('that is absent after its delay is created again under the same name', async () => {
    cluster.run(shelfController(world({ visibilityDelayMs: 20_000 })))
    let isFirst = true
    remote.after = (operation) => {
      if (operation === 'create' && isFirst) remote.boxes.clear()
      if (operation === 'create') isFirst = false
    }
    await addShelf(cluster)
    await cluster.advance(90_000)
    expect(await boxesOf(cluster)).toBe('box available/AsDesired (1)')
    expect(remote.deeds).toEqual(['create a-box', 'create a-box'])
  })

  it('that takes too long is reported, and becomes ready in the end', async () => {
    cluster.run(shelfController(world({ pendingMs: 120_000, createTimeoutMs: 60_000 })))
    await addShelf(cluster)
    await cluster.advance(80_000)
    expect(await cluster.condition(Shelf, 'a', 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'ProvisionTimeout',
    })
    await cluster.advance(60_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'True',
    })
  })
})

describe('drift', () => {
  const seen = async (spec: object) => {
    cluster.run(shelfController(world()))
    await addShelf(cluster, spec)
    await cluster.advance(5_000)
    remote.edit('a-box', { size: 7 })
    await cluster.advance(340_000)
  }

  it('is corrected within a cadence, and reported', async () => {
    await seen({})
    expect(remote.deeds).toEqual(['create a-box', 'update a-box: SizeChanged'])
    expect(await eventsOf()).toEqual([
      'Created: box "a-box" was created',
      'DriftCorrected: box "a-box" was put right: its size is 7, not 1',
    ])
  })

  it('is only reported under the policy Report, until the spec changes', async () => {
    await seen({ driftPolicy: 'Report' })
    expect(remote.deeds).toEqual(['create a-box'])
    expect(await boxesOf(cluster)).toBe('box available/Drifted (7)')
    await cluster.patch(Shelf, 'default/a', { spec: { size: 2 } })
    await cluster.advance(5_000)
    expect(remote.boxes.get('a-box')).toMatchObject({ size: 2 })
    expect(await recordOf()).toMatchObject({
      externalName: 'a-box',
      appliedGeneration: 2,
    })
  })

  it('in the ownership marker is corrected', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster)
    await cluster.advance(5_000)
    remote.edit('a-box', { owner: undefined })
    await cluster.advance(340_000)
    expect(remote.deeds).toEqual(['create a-box', 'update a-box: MarkMissing'])
    expect(remote.boxes.get('a-box')?.owner).toMatchObject({ generation: 1 })
  })

  it('that recurs at once is corrected three times, and then slowly', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster)
    await cluster.advance(5_000)
    remote.isDeaf = true
    remote.edit('a-box', { size: 7 })
    await cluster.advance(300_000 * 1.1)
    await cluster.advance(120_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ChangesDoNotHold',
    })
    expect(remote.count('update')).toBeLessThan(8)
  })
})

describe('a vanished external resource', () => {
  const vanish = async (spec: object, options: RemoteOptions = {}) => {
    cluster.run(shelfController(world(options)))
    await addShelf(cluster, spec)
    await cluster.advance(60_000)
    remote.boxes.clear()
    await cluster.advance(400_000)
  }

  it('is reported, and not recreated', async () => {
    await vanish({})
    expect(await cluster.condition(Shelf, 'a', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'Vanished',
    })
    expect(remote.deeds).toEqual(['create a-box'])
    expect(await boxesOf(cluster)).toBe('box vanished/Vanished (1)')
  })

  it('is recreated if the policy says so', async () => {
    await vanish({ recreatesIfMissing: true })
    expect(remote.deeds).toEqual(['create a-box', 'create a-box'])
    expect(await recordOf()).toMatchObject({
      phase: 'Available',
      providerID: 'box-2',
    })
  })

  it('is ready again within a cadence of its return', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster)
    await cluster.advance(5_000)
    const box = remote.boxes.get('a-box')
    remote.boxes.clear()
    await cluster.advance(340_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Vanished',
    })
    if (box !== undefined) remote.boxes.set('a-box', box)
    await cluster.advance(340_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'True',
    })
  })

  it('does not count as vanished after an observation that may lag', async () => {
    cluster.run(shelfController(world({ visibilityDelayMs: 30_000 })))
    await addShelf(cluster)
    await cluster.advance(60_000)
    const box = remote.boxes.get('a-box')
    remote.boxes.clear()
    // The next observation comes within a tenth of the cadence around it.
    await cluster.advance(300_000 * 0.9 - 60_000)
    const states = new Set<string | undefined>()
    for (let seconds = 0; seconds < 180; seconds += 5) {
      await cluster.advance(5_000)
      states.add((await boxesOf(cluster))?.split(' ')[1])
    }
    expect(box).toBeDefined()
    expect([...states]).toEqual(
      ['available/AsDesired', 'notYetVisible/NotVisible', 'vanished/Vanished'].filter((state) => states.has(state)),
    )
    expect(states).toContain('notYetVisible/NotVisible')
  })

  it('that was replaced by another with its name and marker is recognized as another', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster)
    await cluster.advance(5_000)
    const owner = remote.boxes.get('a-box')?.owner
    remote.put('a-box', owner === undefined ? {} : { owner, size: 9 })
    await cluster.advance(340_000)
    expect(await cluster.condition(Shelf, 'a', 'Stalled')).toMatchObject({
      reason: 'IdentityChanged',
    })
    await cluster.delete(Shelf, 'a')
    await cluster.advance(5_000)
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.boxes.get('a-box')).toMatchObject({ size: 9 })
    expect(await eventsOf()).toContainEqual(expect.stringMatching(/^LeftAlone: "a-box" is not the one/))
  })
})

describe('a taken name', () => {
  it('is rejected, and left alone when the resource is deleted', async () => {
    cluster.run(shelfController(world()))
    remote.put('a-box', { size: 9 })
    await addShelf(cluster)
    await cluster.advance(5_000)
    expect(await cluster.condition(Shelf, 'a', 'Stalled')).toMatchObject({
      reason: 'NotOwned',
      message: '"a-box" exists and carries no mark of this resource; nothing is done to it',
    })
    await cluster.delete(Shelf, 'a')
    await cluster.advance(5_000)
    expect(await shelfOf(cluster)).toBeUndefined()
    expect(remote.deeds).toEqual([])
  })

  it('is adopted under the policy Adopt, recorded before it is marked', async () => {
    cluster.run(shelfController(world()))
    remote.put('a-box', { size: 9 })
    let recorded: unknown
    remote.before = (operation) => {
      if (operation === 'update') recorded = cluster.requests().findLast(({ verb }) => verb === 'patch')
    }
    const { metadata } = await addShelf(cluster, { adopts: true })
    await cluster.advance(5_000)
    expect(recorded).toMatchObject({ subresource: 'status' })
    expect(remote.deeds).toEqual(['update a-box: SizeChanged,MarkMissing'])
    expect(remote.boxes.get('a-box')).toMatchObject({
      size: 1,
      owner: { uid: metadata.uid },
    })
    expect(await eventsOf()).toEqual(['Adopted: box "a-box" was there and is looked after from now on'])
  })

  it('causes no fight of two adopting resources', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster, { name: 'shared', adopts: true }, 'a')
    await cluster.advance(5_000)
    await addShelf(cluster, { name: 'shared', adopts: true }, 'b')
    await cluster.advance(1_000_000)
    expect(remote.deeds).toEqual(['create shared-box', 'update shared-box: MarkMissing'])
    expect(await boxesOf(cluster, 'a')).toBe('box notOwned/NotOwned (1)')
    expect(await boxesOf(cluster, 'b')).toBe('box available/AsDesired (1)')
  })

  it('is owned if the resource created it before the loss of its status', async () => {
    cluster.run(shelfController(world()))
    await addShelf(cluster)
    await cluster.advance(5_000)
    await wipeStatus()
    await cluster.advance(340_000)
    expect(remote.deeds).toEqual(['create a-box'])
    expect(await recordOf()).toMatchObject({
      phase: 'Available',
      providerID: 'box-1',
    })
  })

  it('is observed again when the creation reports it', async () => {
    cluster.run(shelfController(world({ visibilityDelayMs: 10_000 })))
    remote.put('a-box', { size: 9 })
    remote.edit('a-box', { visibleAtMs: cluster.clock.now() + 20_000 })
    await addShelf(cluster)
    await cluster.advance(65_000)
    expect(await boxesOf(cluster)).toBe('box notOwned/NotOwned (-)')
    expect(remote.deeds).toEqual([])
  })
})

const signal = new AbortController().signal

/** Requests except watches, which end and restart. */
async function writesDuring(ms: number) {
  return (await cluster.requestsDuring(ms)).filter(({ verb }) => verb !== 'watch')
}

async function annotate(name: string, value: string): Promise<void> {
  await cluster.patch(Shelf, 'default/a', {
    metadata: { annotations: { [name]: value } },
  })
}

async function wipeStatus(): Promise<void> {
  const at = { namespace: 'default', name: 'a' }
  const body = { status: { external: null, conditions: null, boxes: null } }
  await cluster.client.patch(
    Shelf,
    at,
    { type: 'merge', body },
    { fieldManager: 'test', subresource: 'status' },
    signal,
  )
}

async function eventsOf(): Promise<readonly string[]> {
  await cluster.advance(5_000)
  const events = await cluster.list(Event, 'default')
  return events.map((event) => `${valueAt(event, 'reason')}: ${valueAt(event, 'note') ?? valueAt(event, 'message')}`)
}
