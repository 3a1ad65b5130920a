// Crashes of a process at any call or request of a saga, before or after its effect. Invariant (I3): the next process
// reaches the end state of a run without crashes, with the same effects in the same order.
// The same holds for two concurrent operators. The tests use the model API server, with a model of the external system.
import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../src/index.ts'
import { at, failure } from '../model-api.ts'
import { type Crash, Fate } from '../reconcile/fate.ts'
import { type Life, World } from '../reconcile/life.ts'
import { Haul, haulController } from './haul.ts'
import { blocked, Road, type RoadOptions } from './road.ts'

interface Story {
  readonly title: string
  readonly road: RoadOptions
  readonly refusals?: readonly string[]
  /** A part ends when no change is pending. */
  readonly parts: readonly Part[]
}

interface Part {
  readonly name: string
  readonly begin: (world: World, road: Road) => void
  /** True: no process crashes in it, because another story covers the same requests. */
  readonly isSpared?: boolean
}

const make = {
  name: 'making',
  begin: (world: World) => {
    const metadata = { name: 'a', namespace: 'default' }
    world.api.put(Haul, { apiVersion: 'example.dev/v1', kind: 'Haul', metadata, spec: { to: 'north' } })
  },
}
const edit = (name: string, spec: Readonly<Record<string, string>>) => ({
  name,
  begin: (world: World) => void world.api.edit(Haul, 'default/a', { spec }),
})
const mend = {
  name: 'mending',
  begin: (world: World, road: Road) => {
    road.refusals.clear()
    world.api.edit(Haul, 'default/a', { spec: { try: 'again' } })
  },
}
const remove = { name: 'deleting', begin: (world: World) => world.api.remove(Haul, 'default/a') }

/** The second step runs when the first part ends. */
const halfway = { comingMs: 3_000_000, goingMs: 5_000, slow: 'Drive' }

const stories: readonly Story[] = [
  { title: 'a saga', road: {}, parts: [make, { ...edit('wanting another', { to: 'south' }), isSpared: true }] },
  { title: 'a slow saga', road: { comingMs: 10_000 }, parts: [make] },
  {
    title: 'a saga that fails',
    road: { goingMs: 5_000 },
    refusals: ['run Unload'],
    parts: [make, { ...mend, isSpared: true }],
  },
  {
    title: 'a saga stuck after the pivot',
    road: {},
    refusals: ['run Sign'],
    parts: [{ ...make, isSpared: true }, mend],
  },
  {
    title: 'a saga stuck on its way back',
    road: {},
    refusals: ['run Unload', 'compensate Drive'],
    parts: [{ ...make, isSpared: true }, mend],
  },
  {
    title: 'a saga under way',
    road: halfway,
    parts: [{ ...make, isSpared: true }, edit('cancelling', { cancel: 'no' })],
  },
  { title: 'a resource with a saga under way', road: halfway, parts: [{ ...make, isSpared: true }, remove] },
]

async function play({ road: options, refusals = [], parts }: Story, crash?: Crash, operators = 1) {
  const world = new World()
  const road = new Road(world.clock, options)
  const fate = new Fate(crash)
  for (const refusal of refusals) road.refusals.add(refusal)
  for (const when of ['before', 'after'] as const) {
    world.api[when] = ({ verb }) => {
      if (verb === 'watch' && !fate.isDead) return
      if (fate.strikes(when)) throw failure('Unreachable', 'the process is dead')
    }
    road[when] = () => {
      if (fate.strikes(when)) throw blocked('the process is dead')
    }
  }
  // Two operators that see the saga at different steps would desire different children.
  const over = operators === 1 ? {} : { owns: [], desired: () => {} }
  const controller = haulController(road, { over })
  const lives: Life[] = []
  const begin = async () => {
    for (let count = 0; count < operators; count++) lives.push(await world.live(controller))
  }
  await begin()
  const states: unknown[] = []
  for (const [part, story] of parts.entries()) {
    fate.begin(part)
    story.begin(world, road)
    for (let round = 0; round < 3; round++) {
      await world.clock.advance(30_000)
      if (!fate.isDead) continue
      for (const life of lives.splice(0)) await life.end()
      fate.isDead = false
      await begin()
    }
    const hauls = world.api.all().filter(({ kind }) => kind === 'Haul')
    states.push(hauls.map(shapeOf), road.present)
  }
  for (const life of lives) await life.end()
  return { states, deeds: road.deeds, hasStruck: fate.hasStruck }
}

/** Returns the object without what differs between runs: UIDs, versions, times, and the number of attempts. */
function shapeOf(object: LiveObject): unknown {
  const conditions = (at(object, 'status', 'conditions') ?? []) as readonly Record<string, unknown>[]
  const sagas = (at(object, 'status', 'sagas') ?? []) as readonly Record<string, unknown>[]
  return {
    finalizers: object.metadata.finalizers,
    conditions: conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`),
    sagas: sagas.map(({ id, state, reason, message, input, pivotedAt, steps }) => {
      const told = (steps as readonly Record<string, unknown>[]).map((step) => [
        step['name'],
        step['state'],
        step['notes'],
      ])
      return { id, state, reason, message, input, hasPivoted: pivotedAt !== undefined, told }
    }),
  }
}

describe('a crash', () => {
  const crashes = stories.flatMap((story) =>
    story.parts.flatMap(({ name, isSpared }, part) =>
      isSpared === true ? [] : [{ title: `${story.title}, ${name}`, story, part }],
    ),
  )

  it.each(crashes)('at any step of $title ends like a run without a crash', async ({ story, part }) => {
    const { hasStruck: _, ...undisturbed } = await play(story)
    for (const when of ['before', 'after'] as const) {
      let step = 1
      for (; ; step++) {
        const { hasStruck, ...ended } = await play(story, { part, at: step, when })
        if (!hasStruck) break
        expect(ended, `${when} step ${step}`).toEqual(undisturbed)
      }
      expect(step, 'steps that were broken').toBeGreaterThan(5)
    }
  })
})

it.each(stories)('two concurrent operators end like one: $title', async (story) => {
  const { states, deeds } = await play(story, undefined, 2)
  expect({ states, deeds, hasStruck: false }).toEqual(await play(story))
})

it('a reconcile from a stale cache starts nothing', async () => {
  const world = new World()
  const road = new Road(world.clock)
  road.before = (operation, step) => {
    if (operation === 'run' && step === 'Drive') throw blocked()
  }
  make.begin(world)
  const life = await world.live(haulController(road))
  await world.clock.advance(2_000)
  expect(road.calls).toEqual(['run to-north Load', 'run to-north Drive'])
  world.api.hold(Haul, true)
  // Another operator continues, and this one does not receive the event.
  world.api.edit(Haul, 'default/a', { status: { told: 'by another' } })
  await world.clock.advance(60_000)
  expect(road.calls).toHaveLength(2)
  world.api.hold(Haul, false)
  await world.clock.advance(60_000)
  expect(road.calls.length).toBeGreaterThan(2)
  await life.end()
})
