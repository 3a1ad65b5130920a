// Failures of external resources. The rest of the resource continues, and its status reports the cause. Nothing is
// created twice, too early, or by a process without the right to act.
import { describe, expect, it, onTestFinished } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { ConfigMap, type ExternalReport, passwordFrom } from '../../src/index.ts'
import { recordsOf } from '../../src/reconcile/records.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { at, failure } from '../model-api.ts'
import { World } from '../reconcile/life.ts'
import { down, RemoteWorld } from './remote-world.ts'
import { addShelf, boxesOf, Shelf, type ShelfOptions, shelfController, shelfDefinition, shelfOf } from './shelf.ts'

async function setUp(definition = shelfDefinition()): Promise<{ cluster: TestCluster; remote: RemoteWorld }> {
  const cluster = await startCluster({ definitions: [definition] })
  onTestFinished(() => cluster.stop())
  return { cluster, remote: new RemoteWorld(cluster.clock) }
}

/** A shelf on the model API server, without external resources yet. */
async function modelled(options: ShelfOptions = {}) {
  const world = new World()
  const remote = new RemoteWorld(world.clock)
  const controller = shelfController(remote, options)
  const life = await world.live(controller)
  const metadata = { name: 'a', namespace: 'default' }
  const spec = { size: 1, isEmpty: true }
  world.api.put(Shelf, {
    apiVersion: 'example.dev/v1',
    kind: 'Shelf',
    metadata,
    spec,
  })
  await world.clock.advance(60_000)
  const want = () => void world.api.edit(Shelf, 'default/a', { spec: { isEmpty: false } })
  return { world, remote, controller, life, want }
}

describe('an endpoint that is down', () => {
  it('stops neither the children nor the status, and counts as up after one successful probe', async () => {
    const { cluster, remote } = await setUp()
    cluster.run(shelfController(remote))
    await addShelf(cluster)
    await cluster.advance(5_000)
    remote.before = () => {
      throw down('connection refused')
    }
    await cluster.patch(Shelf, 'default/a', { spec: { size: 2 } })
    await cluster.advance(30_000)
    expect(await cluster.find(ConfigMap, 'default/a')).toMatchObject({
      data: { size: '2' },
    })
    expect(await cluster.condition(Shelf, 'a', 'Degraded')).toMatchObject({
      reason: 'BoxesUnreachable',
      message: 'connection refused',
    })
    expect(await boxesOf(cluster)).toBe('box failed/BoxesUnreachable (1)')
    await cluster.advance(300_000)
    expect(await cluster.condition(Shelf, 'a', 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'DependencyUnavailable',
    })
    await cluster.patch(Shelf, 'default/a', { spec: { size: 3 } })
    await cluster.advance(5_000)
    expect(await cluster.find(ConfigMap, 'default/a')).toMatchObject({
      data: { size: '3' },
    })
    remote.before = () => {}
    await cluster.advance(300_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'True',
    })
    expect(remote.boxes.get('a-box')).toMatchObject({ size: 3 })
    expect(remote.deeds).toEqual(['create a-box', 'update a-box: SizeChanged'])
  })

  it('makes nothing unready that was ready until it has been down for 30 s, and then at once', async () => {
    const { cluster, remote } = await setUp()
    cluster.run(shelfController(remote, { cadenceMs: 60_000 }))
    await addShelf(cluster)
    await cluster.advance(5_000)
    let downSinceMs = 0
    remote.before = () => {
      downSinceMs ||= cluster.clock.now()
      throw down('connection refused')
    }
    const ready = () => cluster.condition(Shelf, 'a', 'Ready')
    while (downSinceMs === 0) await cluster.advance(100)
    await cluster.advance(downSinceMs + 29_500 - cluster.clock.now())
    expect(await ready()).toMatchObject({ status: 'True' })
    expect(remote.calls.length).toBeGreaterThan(4)
    await cluster.advance(1_500)
    expect(await ready()).toMatchObject({ status: 'False', reason: 'BoxesUnreachable' })
    remote.before = () => {}
    await cluster.advance(120_000)
    expect(await ready()).toMatchObject({ status: 'True' })
    // The time restarts.
    remote.before = () => {
      throw down('connection refused')
    }
    const calls = remote.calls.length
    while (remote.calls.length === calls) await cluster.advance(100)
    await cluster.advance(20_000)
    expect(await ready()).toMatchObject({ status: 'True' })
  })

  it('is reported at the second failure by a resource that was not ready before', async () => {
    const { cluster, remote } = await setUp()
    cluster.run(shelfController(remote))
    remote.before = () => {
      throw down('connection refused')
    }
    await addShelf(cluster)
    await cluster.advance(15_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({ reason: 'BoxesUnreachable' })
  })

  it('costs one call per probe, however many resources need it', async () => {
    const { cluster, remote } = await setUp()
    cluster.run(shelfController(remote))
    for (let index = 0; index < 30; index++) await addShelf(cluster, {}, `shelf-${index}`)
    remote.before = () => {
      throw down()
    }
    await cluster.advance(60_000)
    remote.calls.length = 0
    await cluster.advance(1_200_000)
    expect(remote.calls.length).toBeLessThanOrEqual(12)
    remote.before = () => {}
    await cluster.advance(600_000)
    expect(remote.count('create')).toBe(30)
  })

  it('never counts as empty', async () => {
    const { cluster, remote } = await setUp()
    cluster.run(shelfController(remote))
    await addShelf(cluster, { recreatesIfMissing: true })
    await cluster.advance(5_000)
    remote.before = (operation) => {
      if (operation === 'observe')
        throw new CodedError({
          code: 'BoxesOdd',
          message: 'no idea',
          remedy: 'stop',
          retryAfterMs: 20_000,
        })
    }
    await cluster.advance(400_000)
    expect(await cluster.condition(Shelf, 'a', 'Stalled')).toMatchObject({
      reason: 'BoxesOdd',
    })
    remote.before = () => {}
    await cluster.advance(25_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({
      status: 'True',
    })
    expect(remote.deeds).toEqual(['create a-box'])
  })
})

describe('before a creation outside', () => {
  it('the journal entry must be stored, or the error names the definition of the kind', async () => {
    const { cluster, remote } = await setUp(shelfDefinition({ type: 'array', items: { type: 'object' } }))
    cluster.run(shelfController(remote))
    await addShelf(cluster)
    await cluster.advance(60_000)
    expect(remote.count('create')).toBe(0)
    expect(await cluster.condition(Shelf, 'a', 'Stalled')).toMatchObject({
      reason: 'RecordsNotKept',
    })
  })

  it('the children are in the cluster', async () => {
    const { world, remote, want } = await modelled()
    world.api.before = ({ plural, verb }) => {
      if (plural === 'configmaps' && verb === 'apply') throw failure('ServiceUnavailable', 'etcd is full')
    }
    world.api.remove(ConfigMap, 'default/a')
    want()
    await world.clock.advance(60_000)
    expect(remote.calls).toEqual([])
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(remote.deeds).toEqual(['create a-box'])
  })

  it('the resource must be the newest, or the reconcile restarts without a report', async () => {
    const { world, remote, want } = await modelled()
    let edits = 0
    remote.before = (operation) => {
      if (operation === 'observe' && edits++ < 2)
        world.api.edit(Shelf, 'default/a', {
          metadata: { labels: { edit: `${edits}` } },
        })
    }
    const told: unknown[] = []
    world.api.after = ({ verb, subresource }) => {
      if (verb === 'patch' && subresource === 'status') told.push(world.api.find(Shelf, 'default/a')?.status)
    }
    world.api.hold(Shelf, false)
    want()
    await world.clock.advance(60_000)
    expect(remote.deeds).toEqual(['create a-box'])
    expect(JSON.stringify(told)).not.toContain('Conflict')
  })
})

describe('the last status of a reconcile', () => {
  it('has the journal entry of a creation, even if the reconcile fails for another reason', async () => {
    const { world, remote, want } = await modelled({ more: ['lid'] })
    remote.before = (_, { externalName }) => {
      if (externalName === 'a-lid') throw down()
    }
    want()
    await world.clock.advance(1_000)
    expect(remote.calls.filter((call) => call.endsWith('lid'))).toHaveLength(1)
    expect(recordsOf(world.api.find(Shelf, 'default/a') ?? failed()).external).toMatchObject([{ phase: 'Available' }])
  })

  it('loses no journal entry of another writer, and the reconcile restarts without a report', async () => {
    const { world, remote, want } = await modelled()
    const other = {
      name: 'lid',
      phase: 'Available',
      externalName: 'x',
      token: { uid: 'u', generation: 1 },
      requestedAt: '2026-01-01T00:00:00Z',
    }
    remote.after = () => {
      if (remote.count('create') === 0 || remote.calls.length !== 3) return
      const known = recordsOf(world.api.find(Shelf, 'default/a') ?? failed()).external
      world.api.edit(Shelf, 'default/a', {
        status: { external: JSON.parse(JSON.stringify([...known, other])) },
      })
    }
    want()
    await world.clock.advance(2_000)
    const records = recordsOf(world.api.find(Shelf, 'default/a') ?? failed()).external
    expect(records).toEqual([expect.objectContaining({ name: 'box', phase: 'Available' }), other])
    expect(at(world.api.find(Shelf, 'default/a'), 'status', 'boxes')).toBe('box available/AsDesired (1)')
  })
})

function failed(): never {
  throw new Error('there is a shelf')
}

describe('two operators', () => {
  it('create one external resource for one desired state', async () => {
    const { world, remote, controller, want } = await modelled()
    await world.live(controller)
    want()
    await world.clock.advance(400_000)
    expect(remote.calls.filter((call) => call.startsWith('create'))).toEqual(['create a-box'])
  })

  it('create nothing twice when one of them has a stale cache and observes no box', async () => {
    const { world, remote, controller, want } = await modelled()
    await world.live(controller)
    remote.after = (operation) => {
      if (operation === 'create') world.api.hold(Shelf, true)
    }
    want()
    await world.clock.advance(1_000)
    remote.boxes.clear()
    await world.clock.advance(120_000)
    expect(remote.deeds).toEqual(['create a-box'])
    world.api.hold(Shelf, false)
    await world.clock.advance(400_000)
    expect(remote.deeds).toEqual(['create a-box'])
  })
})

describe('observe', () => {
  it('receives the external state of the last reconcile, and runs again at once when that has changed', async () => {
    const { cluster, remote } = await setUp()
    const told: (readonly ExternalReport[])[] = []
    const passwords: string[] = []
    const observe = ({
      externals,
      secrets,
    }: {
      externals: readonly ExternalReport[]
      secrets: Parameters<typeof passwordFrom>[0]
    }) => {
      told.push(externals)
      passwords.push(passwordFrom(secrets, 20))
      return Promise.resolve(undefined)
    }
    cluster.run(shelfController(remote, { over: { observe } }))
    await addShelf(cluster)
    await cluster.advance(1_000)
    expect(told.map((reports) => reports.map(({ state }) => state))).toEqual([[], ['available']])
    expect(new Set(passwords).size).toBe(2)
    await cluster.advance(400_000)
    expect(told).toHaveLength(3)
  })

  it('that returns other facts each time causes no hot loop', async () => {
    const { cluster, remote } = await setUp()
    let turns = 0
    const observe = () => Promise.resolve(++turns)
    const controller = shelfController(remote, { over: { observe } })
    const [box] = controller.external
    if (box === undefined) throw new Error('there is one')
    const restless = {
      ...controller,
      external: [
        {
          ...box,
          wish: () =>
            ({
              kind: 'wanted',
              externalName: 'a-box',
              desired: { size: turns },
            }) as const,
        },
      ],
    }
    cluster.run(restless)
    await addShelf(cluster)
    await cluster.advance(600_000)
    expect(turns).toBeLessThan(150)
  })
})

describe('the stop of an operator', () => {
  it("closes the drivers' connections, newest first, after the last reconcile", async () => {
    const { cluster, remote } = await setUp()
    const closed: string[] = []
    const controller = shelfController(remote, { more: ['lid', 'lock'] })
    const opening = controller.external.map((external) => ({
      ...external,
      driver: (tools: Parameters<typeof external.driver>[0]) => {
        tools.atStop(() => {
          closed.push(`${external.name} after ${remote.calls.length}`)
          return external.name === 'lid' ? Promise.reject(new Error('it is stuck')) : Promise.resolve()
        })
        return external.driver(tools)
      },
    }))
    const running = cluster.run({ ...controller, external: opening })
    await addShelf(cluster)
    await cluster.advance(5_000)
    await running.stop()
    expect(closed).toEqual(['lock after 9', 'lid after 9', 'box after 9'])
    expect((await shelfOf(cluster))?.status?.external).toHaveLength(3)
  })
})
