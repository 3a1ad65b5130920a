// A resource with a saga, from its desired state to its end. The tests use the embedded API server, with a model of the
// external system.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigMap, Event, type SagaResource, valueAt } from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { addHaul, Haul, type HaulSpec, haulController, haulDefinition, haulOf, wordsOf } from './haul.ts'
import { blocked, Road, type RoadOptions } from './road.ts'

let cluster: TestCluster
let road: Road

beforeEach(async () => {
  cluster = await startCluster({ definitions: [haulDefinition()] })
})

afterEach(() => cluster.stop())

function world(options: RoadOptions = {}): Road {
  road = new Road(cluster.clock, options)
  return road
}

const recordOf = async () => (await haulOf(cluster))?.status?.sagas?.[0]
const words = async () => wordsOf(await recordOf())
const told = async () => (await haulOf(cluster))?.status?.told
const edit = (spec: { readonly [Field in keyof HaulSpec]?: HaulSpec[Field] | null }) =>
  cluster.patch(Haul, 'default/a', { spec })
const complete = 'Completed: Load Done, Drive Done, Unload Done, Sign Done'
const forth = ['run to-north Load', 'run to-north Drive', 'run to-north Unload', 'run to-north Sign']

/** Makes the function of the step fail. */
function fail(operation: string, step: string, failure: () => Error = blocked) {
  road.before = (asked, at) => {
    if (asked === operation && at === step) throw failure()
  }
}

async function eventsOf(): Promise<readonly string[]> {
  await cluster.advance(5_000)
  const events = await cluster.list(Event, 'default')
  return events.map((event) => `${valueAt(event, 'reason')}: ${valueAt(event, 'note') ?? valueAt(event, 'message')}`)
}

describe('a saga', () => {
  it('runs its steps in order, each recorded before, and then is idle', async () => {
    cluster.run(haulController(world()))
    const recorded: unknown[] = []
    road.before = (operation, step) => {
      if (operation !== 'run') return
      const last = cluster.requests().findLast(({ verb }) => verb !== 'watch' && verb !== 'create')
      recorded.push([step, last?.verb, last?.subresource])
    }
    await addHaul(cluster)
    await cluster.advance(5_000)
    expect(await words()).toBe(complete)
    expect(road.calls).toEqual(forth)
    expect(recorded).toEqual(['Load', 'Drive', 'Unload', 'Sign'].map((step) => [step, 'patch', 'status']))
    expect(await recordOf()).toMatchObject({
      id: 'to-north',
      generation: 1,
      input: { to: 'north' },
      pivotedAt: expect.any(String),
      steps: expect.arrayContaining([expect.objectContaining({ attempts: 1, notes: { seal: 'Load-sealed' } })]),
    })
    expect(await cluster.condition(Haul, 'a', 'Ready')).toMatchObject({ status: 'True' })
    expect(await told()).toBe('completed/Completed: haul is complete')
    road.looks = 0
    expect((await cluster.requestsDuring(600_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
    expect(road.looks).toBe(0)
    expect(await eventsOf()).toEqual([
      'SagaRunning: haul to-north runs: Load 1/4',
      'SagaCompleted: haul to-north is complete',
    ])
  })

  it('writes twice for each step', async () => {
    cluster.run(haulController(world(), { over: { owns: [], desired: () => {} } }))
    await addHaul(cluster)
    await cluster.advance(5_000)
    const writes = cluster.requests().filter(({ subresource }) => subresource === 'status')
    // Two writes for the start, and for each step one before its effect and one after it.
    expect(writes).toHaveLength(2 + 2 * 4)
  })

  it('gives facts and children the current step', async () => {
    const due: unknown[] = []
    const watching = (name: string) => ({
      // The steps receive the scene of this kind's sagas.
      verify: async (call: object) => {
        const { children } = call as Pick<SagaResource<unknown, unknown, unknown>, 'children'>
        due.push(...children.map(({ object }) => `${name} by ${valueAt(object, 'data', 'due')}`))
        return { kind: 'done' } as const
      },
    })
    const steps = Object.fromEntries(['Load', 'Drive', 'Unload', 'Sign'].map((name) => [name, watching(name)]))
    cluster.run(haulController(world(), { steps }))
    await addHaul(cluster)
    await cluster.advance(5_000)
    expect(due).toEqual(['Load by Load', 'Drive by Drive', 'Unload by Unload', 'Sign by Sign'])
    expect(await cluster.find(ConfigMap, 'default/a')).toMatchObject({ data: { due: '-' } })
  })

  it('reports the progress of a running step, and does not start it again', async () => {
    cluster.run(haulController(world({ comingMs: 100_000 })))
    await addHaul(cluster)
    await cluster.advance(40_000)
    expect(await cluster.condition(Haul, 'a', 'Progressing')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/^haul: Load 1\/4: (3\d|40) %$/),
    })
    await cluster.advance(600_000)
    expect(await words()).toBe(complete)
    expect(road.calls).toEqual(forth)
  })

  it('completes its first inputs before it starts the current spec', async () => {
    cluster.run(haulController(world({ comingMs: 10_000 })))
    await addHaul(cluster)
    await cluster.advance(15_000)
    await edit({ to: 'south' })
    await cluster.advance(15_000)
    expect(await recordOf()).toMatchObject({ id: 'to-north', generation: 1, input: { to: 'north' } })
    await cluster.advance(600_000)
    expect(await recordOf()).toMatchObject({
      id: 'to-south',
      generation: 2,
      input: { to: 'south' },
      state: 'Completed',
    })
    expect(road.deeds).toEqual([...forth, ...forth.map((deed) => deed.replace('north', 'south'))])
  })

  it('backs off from a failing step, also after restarts, and continues when the step succeeds', async () => {
    const controller = haulController(world(), { steps: { Drive: { backoff: { baseMs: 60_000, capMs: 300_000 } } } })
    let running = cluster.run(controller)
    fail('run', 'Drive')
    await addHaul(cluster)
    await cluster.advance(3_000)
    expect(await cluster.condition(Haul, 'a', 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'RoadBlocked',
      message: 'haul: Drive 2/4: the road is blocked',
    })
    for (let restarts = 0; restarts < 3; restarts++) {
      await running.stop()
      running = cluster.run(controller)
      await cluster.advance(200)
    }
    expect(road.calls).toEqual(['run to-north Load', 'run to-north Drive'])
    await cluster.advance(130_000)
    expect(road.calls).toEqual(['run to-north Load', 'run to-north Drive', 'run to-north Drive'])
    road.before = () => {}
    await cluster.advance(300_000)
    expect(await words()).toBe(complete)
  })

  it('records the state before its effect, and passes it to the compensation', async () => {
    const given: unknown[] = []
    let lamps = 3
    const drive = {
      count: () => lamps,
      async remember() {
        return { lamps: String(this.count()) }
      },
      compensate: async ({ notes }: { readonly notes: object }) => {
        given.push(notes)
        road.effects.delete('to-north Drive')
      },
    }
    cluster.run(haulController(world(), { steps: { Drive: drive } }))
    fail('run', 'Unload', () => blocked('no gate', 'stop'))
    road.after = (operation, step) => {
      if (operation !== 'run' || step !== 'Drive') return
      lamps = 0
      throw blocked('cut off')
    }
    await addHaul(cluster)
    await cluster.advance(60_000)
    expect(given).toEqual([
      expect.objectContaining({ Load: { seal: 'Load-sealed' }, Drive: { lamps: '3', seal: 'Drive-sealed' } }),
    ])
  })
})

describe('a step that fails permanently', () => {
  it('before the pivot compensates all steps in reverse, and reports why', async () => {
    cluster.run(haulController(world()))
    fail('run', 'Unload', () => blocked('the gate is closed', 'stop'))
    await addHaul(cluster)
    await cluster.advance(10_000)
    expect(await words()).toBe('Compensated: Load Compensated, Drive Compensated, Unload Kept, Sign Pending')
    expect(road.calls).toEqual([...forth.slice(0, 3), 'compensate to-north Drive', 'compensate to-north Load'])
    expect(road.present).toEqual([])
    const message =
      'haul was taken back: Unload failed: the gate is closed; to try it again, set spec.try to another word'
    expect(await cluster.condition(Haul, 'a', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'Compensated',
      message,
    })
    road.calls.length = 0
    await cluster.advance(3_600_000)
    expect(road.calls).toEqual([])
    expect(await eventsOf()).toContain('SagaCompensating: haul is taken back: Unload failed: the gate is closed')
  })

  it('is retried for another retry token', async () => {
    cluster.run(haulController(world()))
    fail('run', 'Unload', () => blocked('the gate is closed', 'stop'))
    await addHaul(cluster)
    await cluster.advance(10_000)
    road.before = () => {}
    await edit({ try: 'again' })
    await cluster.advance(10_000)
    expect(await words()).toBe(complete)
    expect(await recordOf()).toMatchObject({ id: 'to-north-again' })
  })

  it('after the pivot is stalled and compensates nothing, until a retry is requested', async () => {
    cluster.run(haulController(world()))
    fail('run', 'Sign', () => blocked('no pen', 'stop'))
    await addHaul(cluster)
    await cluster.advance(10_000)
    expect(await words()).toBe('ManualIntervention: Load Done, Drive Done, Unload Done, Sign Running')
    const message =
      'haul cannot go on and has passed the point of no return; Sign 4/4: no pen; put that right by hand, then set spec.try to another word'
    expect(await cluster.condition(Haul, 'a', 'Stalled')).toMatchObject({ reason: 'ManualIntervention', message })
    await edit({ cancel: 'too late' })
    await cluster.advance(3_600_000)
    expect(road.calls).toEqual(forth)
    road.before = () => {}
    await edit({ cancel: null, try: 'again' })
    await cluster.advance(10_000)
    // The stalled saga completes first; then the new desired state starts, whose steps have their own effects.
    expect(road.calls).toEqual([
      ...forth,
      'run to-north Sign',
      ...forth.map((call) => call.replace('north', 'north-again')),
    ])
    expect(await words()).toBe(complete)
  })

  it('leaves behind only what cannot be compensated', async () => {
    cluster.run(haulController(world()))
    road.before = (operation, step) => {
      if (operation === 'run' && step === 'Unload') throw blocked('the gate is closed', 'stop')
      if (operation === 'compensate' && step === 'Drive') throw blocked('the lorry is lost', 'stop')
    }
    await addHaul(cluster)
    await cluster.advance(10_000)
    expect(await words()).toBe('ManualIntervention: Load Compensated, Drive Failed, Unload Kept, Sign Pending')
    expect(road.present).toEqual(['to-north Drive'])
    expect(await told()).toContain(
      'but for Drive (the lorry is lost); put that right by hand, then set spec.try to another word',
    )
    road.before = () => {}
    await edit({ try: 'again', cancel: null })
    await cluster.advance(20_000)
    expect(road.deeds).toContain('compensate to-north Drive')
    expect(await recordOf()).toMatchObject({ id: 'to-north-again', state: 'Completed' })
  })
})

describe('a cancelled saga', () => {
  it('before the pivot is compensated, and the resource is ready', async () => {
    cluster.run(haulController(world({ comingMs: 10_000, goingMs: 50_000 })))
    await addHaul(cluster)
    await cluster.advance(15_000)
    await edit({ cancel: 'it was a mistake' })
    await cluster.advance(35_000)
    expect(await cluster.condition(Haul, 'a', 'Progressing')).toMatchObject({
      message: 'haul: taking back Drive 2/4: going',
    })
    await cluster.advance(120_000)
    expect(await words()).toBe('Compensated: Load Compensated, Drive Compensated, Unload Pending, Sign Pending')
    expect(road.deeds.slice(2)).toEqual(['compensate to-north Drive', 'compensate to-north Load'])
    expect(await cluster.condition(Haul, 'a', 'Ready')).toMatchObject({ status: 'True' })
  })

  it('after the pivot is completed', async () => {
    cluster.run(haulController(world({ comingMs: 10_000 })))
    await addHaul(cluster)
    await cluster.advance(35_000)
    await edit({ cancel: 'it was a mistake' })
    await cluster.advance(60_000)
    expect(await words()).toBe(complete)
  })
})

describe('a resource that is deleted during a saga', () => {
  const begin = async (spec: HaulSpec, ms: number) => {
    cluster.run(haulController(world({ comingMs: 10_000, goingMs: 50_000 })))
    await addHaul(cluster, { to: 'north', ...spec })
    await cluster.advance(ms)
    await cluster.delete(Haul, 'a')
  }

  it('stays until the saga is compensated, and reports it', async () => {
    await begin({}, 15_000)
    await cluster.advance(35_000)
    expect(await cluster.condition(Haul, 'a', 'Ready')).toMatchObject({
      reason: 'Deleting',
      message: 'haul: taking back Drive 2/4: going',
    })
    expect(await cluster.find(ConfigMap, 'default/a')).toBeDefined()
    await cluster.advance(120_000)
    expect(await haulOf(cluster)).toBeUndefined()
    expect(road.present).toEqual([])
  })

  it('completes the saga first after the pivot, or when that is the policy', async () => {
    await begin({ removal: 'finish' }, 15_000)
    await cluster.advance(120_000)
    expect(await haulOf(cluster)).toBeUndefined()
    expect(road.deeds).toEqual(forth)
  })

  it('is deleted immediately when the policy leaves the effects', async () => {
    await begin({ removal: 'leave' }, 15_000)
    await cluster.advance(5_000)
    expect(await haulOf(cluster)).toBeUndefined()
    expect(road.present).toEqual(['to-north Load', 'to-north Drive'])
    expect(await eventsOf()).toContain('LeftAlone: haul is left as it is, Drive 2/4: its spec says so')
  })

  it('stays while an effect cannot be compensated', async () => {
    await begin({}, 15_000)
    fail('compensate', 'Load', () => blocked('no crane', 'stop'))
    await cluster.advance(600_000)
    expect(await cluster.condition(Haul, 'a', 'Stalled')).toMatchObject({
      reason: 'ManualIntervention',
      message: expect.stringMatching(
        /; while it is being deleted, konverge.dev\/reconcile-now with another word does that$/,
      ),
    })
    // The deletion requests one more attempt, and only one.
    const tries = () => road.calls.filter((call) => call === 'compensate to-north Load').length
    expect(tries()).toBe(2)
    const ask = (word: string) => ({ metadata: { annotations: { 'konverge.dev/reconcile-now': word } } })
    await cluster.patch(Haul, 'default/a', ask('please'))
    await cluster.advance(600_000)
    expect(tries()).toBe(3)
    await edit({ removal: 'leave' })
    await cluster.advance(5_000)
    expect(await haulOf(cluster)).toBeUndefined()
  })

  it('is deleted when the failed compensation succeeds on a requested retry', async () => {
    await begin({}, 15_000)
    fail('compensate', 'Load', () => blocked('no crane', 'stop'))
    await cluster.advance(600_000)
    road.before = () => {}
    await cluster.advance(600_000)
    expect(road.present).toEqual(['to-north Load'])
    await cluster.patch(Haul, 'default/a', { metadata: { annotations: { 'konverge.dev/reconcile-now': 'now' } } })
    await cluster.advance(120_000)
    expect(await haulOf(cluster)).toBeUndefined()
    expect(road.present).toEqual([])
  })
})

describe('a saga of another version of the operator', () => {
  it('is stalled, and does not crash the operator', async () => {
    const first = cluster.run(haulController(world({ comingMs: 10_000 })))
    await addHaul(cluster)
    await cluster.advance(15_000)
    await first.stop()
    cluster.run(haulController(road, { more: ['Fuel'] }))
    await cluster.advance(60_000)
    expect(await told()).toContain('of this one its steps are Load, Fuel, Drive, Unload, Sign')
    expect(road.calls).toEqual(forth.slice(0, 2))
  })

  it('stays unchanged when a controller without sagas deletes the resource, and an Event reports it', async () => {
    const first = cluster.run(haulController(world({ comingMs: 10_000 })))
    await addHaul(cluster)
    await cluster.advance(15_000)
    await first.stop()
    cluster.run(haulController(road, { over: { sagas: [] } }))
    await cluster.delete(Haul, 'a')
    await cluster.advance(5_000)
    expect(await haulOf(cluster)).toBeUndefined()
    expect(road.calls).toEqual(forth.slice(0, 2))
    expect(await eventsOf()).toContain(
      'LeftAlone: haul is left as it is, Drive 2/4: this version of the controller does not know it',
    )
  })

  it('has no effect when it has ended', async () => {
    const first = cluster.run(haulController(world()))
    await addHaul(cluster)
    await cluster.advance(5_000)
    await first.stop()
    cluster.run(haulController(road, { more: ['Fuel'] }))
    await cluster.advance(60_000)
    expect(await words()).toBe(complete)
  })
})

it('a saga runs no step when its journal entry is not stored', async () => {
  await using other = await startCluster({ definitions: [haulDefinition('none')] })
  road = new Road(other.clock)
  other.run(haulController(road))
  await addHaul(other)
  await other.advance(600_000)
  expect(road.calls).toEqual([])
  expect(await other.condition(Haul, 'a', 'Degraded')).toMatchObject({ reason: 'RecordsNotKept' })
})
