// Crashes at every call and request, before or after its effect (I3). The next process ends in the state of an
// undisturbed run, with as many creations and removals outside. Over the model API server, with a model of the outside
// world.
import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../src/index.ts'
import { at, failure } from '../model-api.ts'
import { type Crash, Fate } from '../reconcile/fate.ts'
import { World } from '../reconcile/life.ts'
import { down, type RemoteOptions, RemoteWorld } from './remote-world.ts'
import { Shelf, type ShelfSpec, shelfController } from './shelf.ts'

interface Story {
  readonly title: string
  readonly remote: RemoteOptions
  /** Boxes besides the first. */
  readonly more?: readonly string[]
  readonly spec?: Partial<ShelfSpec>
  /** True if a box without owner exists at the start. */
  readonly isTaken?: boolean
  /** Runs after the crash, before the next process. */
  readonly atDeath?: (world: World) => void
  /** A part ends when nothing changes any more. */
  readonly parts: readonly { readonly name: string; readonly begin: (world: World, remote: RemoteWorld) => void }[]
}

const make = (spec: Partial<ShelfSpec> = {}) => ({
  name: 'making',
  begin: (world: World) => {
    const metadata = { name: 'a', namespace: 'default' }
    world.api.put(Shelf, { apiVersion: 'example.dev/v1', kind: 'Shelf', metadata, spec: { size: 1, ...spec } })
  },
})
const edit = (spec: Partial<ShelfSpec>) => ({
  name: 'changing',
  begin: (world: World) => void world.api.edit(Shelf, 'default/a', { spec }),
})
const remove = { name: 'deleting', begin: (world: World) => world.api.remove(Shelf, 'default/a') }
const drift = { name: 'drifting', begin: (_: World, remote: RemoteWorld) => remote.edit('a-box', { size: 9 }) }
const vanish = { name: 'vanishing', begin: (_: World, remote: RemoteWorld) => void remote.boxes.delete('a-box') }

const slow: RemoteOptions = { visibilityDelayMs: 20_000, pendingMs: 20_000, deletingMs: 20_000 }

const stories: readonly Story[] = [
  {
    title: 'a place that answers at once',
    remote: {},
    more: ['lid'],
    parts: [make(), edit({ size: 2 }), drift, remove],
  },
  { title: 'a place that takes its time', remote: slow, parts: [make(), edit({ size: 2 }), remove] },
  { title: 'what vanishes and is made anew', remote: {}, parts: [make({ recreatesIfMissing: true }), vanish, remove] },
  {
    title: 'what is wanted no more, and again',
    remote: slow,
    parts: [make(), edit({ isEmpty: true }), edit({ isEmpty: false })],
  },
  { title: 'what is taken over', remote: {}, isTaken: true, parts: [make({ adopts: true }), remove] },
]

async function play({ remote: options, more = [], isTaken = false, parts, atDeath = () => {} }: Story, crash?: Crash) {
  const world = new World()
  const remote = new RemoteWorld(world.clock, options)
  const fate = new Fate(crash)
  for (const when of ['before', 'after'] as const) {
    world.api[when] = ({ verb }) => {
      if (verb === 'watch' && !fate.isDead) return
      if (fate.strikes(when)) throw failure('Unreachable', 'the process is dead')
    }
    remote[when] = () => {
      if (fate.strikes(when)) throw down('the process is dead')
    }
  }
  if (isTaken) remote.put('a-box', { size: 5 })
  const controller = shelfController(remote, { more })
  let life = await world.live(controller)
  const rest = async (ms: number) => {
    await world.clock.advance(ms)
    if (!fate.isDead) return
    await life.end()
    fate.isDead = false
    atDeath(world)
    life = await world.live(controller)
  }
  const states: unknown[] = []
  for (const [part, { begin }] of parts.entries()) {
    fate.begin(part)
    begin(world, remote)
    for (let round = 0; round < 8; round++) await rest(60_000)
    states.push(
      world.api
        .all()
        .filter(({ kind }) => kind === 'Shelf')
        .map(shapeOf),
    )
    states.push(
      [...remote.boxes].map(
        ([name, { size, owner }]) => `${name} ${size} ${owner === undefined ? 'nobody’s' : 'ours'}`,
      ),
    )
  }
  await life.drain()
  const counts = { create: remote.count('create'), delete: remote.count('delete') }
  return { states, counts, hasStruck: fate.hasStruck }
}

/** Removes values that differ between runs: uids, versions, times, and the numbers of the endpoint. */
function shapeOf(object: LiveObject): unknown {
  const conditions = (at(object, 'status', 'conditions') ?? []) as readonly Record<string, unknown>[]
  const records = (at(object, 'status', 'external') ?? []) as readonly Record<string, unknown>[]
  return {
    finalizers: object.metadata.finalizers,
    conditions: conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`),
    boxes: at(object, 'status', 'boxes'),
    records: records.map(({ name, phase, externalName, appliedGeneration }) => [
      name,
      phase,
      externalName,
      appliedGeneration,
    ]),
  }
}

describe('a crash', () => {
  const crashes = stories.flatMap((story) =>
    story.parts.map(({ name }, part) => ({ title: `${story.title}, ${name}`, story, part })),
  )

  it.each(crashes)('at any step of $title ends where an undisturbed run ends', async ({ story, part }) => {
    const { hasStruck: _, ...undisturbed } = await play(story)
    for (const when of ['before', 'after'] as const) {
      let step = 1
      for (; ; step++) {
        const { hasStruck, ...ended } = await play(story, { part, at: step, when })
        if (!hasStruck) break
        expect(ended, `${when} step ${step}`).toEqual(undisturbed)
      }
      expect(step, 'steps that were broken').toBeGreaterThan(2)
    }
  })

  it.each([
    { title: 'a place that answers at once', remote: {} },
    { title: 'a place that takes its time', remote: slow },
  ])(
    'at any step of a creation at $title leaves nothing when the resource is deleted meanwhile',
    async ({ title, remote }) => {
      const atDeath = (world: World) => world.api.remove(Shelf, 'default/a')
      for (const when of ['before', 'after'] as const) {
        for (let step = 1; ; step++) {
          const { states, counts, hasStruck } = await play(
            { title, remote, atDeath, parts: [make()] },
            { part: 0, at: step, when },
          )
          if (!hasStruck) break
          expect(states, `${when} step ${step}`).toEqual([[], []])
          expect(counts.delete).toBe(counts.create)
        }
      }
    },
  )
})
