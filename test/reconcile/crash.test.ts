// Crashes at any request: the next process reaches the end state of an uninterrupted run (I3).
import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../src/object/object.ts'
import type { Controller } from '../../src/reconcile/definition.ts'
import { at, failure, type ModelRequest } from '../model-api.ts'
import { secretText } from '../taint/secret-text.ts'
import { Site, siteController, World } from './life.ts'
import { spreadController, versionOne, versionTwo } from './spread.ts'

/** Returns the objects without uids, versions and times, which differ between runs. */
function shapeOf(objects: readonly LiveObject[]): unknown {
  return objects
    .map((object) => {
      const { uid: _, resourceVersion: __, ownerReferences = [], managedFields, ...metadata } = object.metadata
      const owners = ownerReferences.map(({ kind, name }) => `${kind} ${name}`)
      const conditions = (at(object, 'status', 'conditions') ?? []) as readonly Record<string, unknown>[]
      const told = conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message }))
      return { ...object, metadata: { ...metadata, owners, creationTimestamp: '' }, status: { told }, managedFields }
    })
    .sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
}

/** A part of a scenario; it ends when nothing changes any more. */
interface Part {
  readonly name: string
  begin(world: World): void
  /** The controller from this part on: an upgrade. */
  readonly controller?: Controller
}

interface Story {
  readonly title: string
  readonly parts: readonly Part[]
  /** The objects at the end. */
  readonly remains: readonly string[]
}

const stories: readonly Story[] = [
  {
    title: 'a site',
    parts: [
      { name: 'making', begin: (world) => void world.addSite('a', { page: 'hello', password: secretText('x') }) },
      {
        name: 'changing',
        begin: (world) => void world.api.edit(Site, 'default/a', { spec: { page: 'new', password: null } }),
      },
      { name: 'deleting', begin: (world) => world.api.remove(Site, 'default/a') },
    ],
    remains: [],
  },
  {
    title: 'children in other namespaces and in none',
    parts: [
      {
        name: 'making',
        controller: spreadController(),
        begin: (world) => void world.addSite('a', { page: 'elsewhere' }),
      },
      { name: 'moving', begin: (world) => void world.api.edit(Site, 'default/a', { spec: { page: 'third' } }) },
      { name: 'deleting', begin: (world) => world.api.remove(Site, 'default/a') },
    ],
    remains: [],
  },
  {
    title: 'an operator that no longer makes a kind',
    parts: [
      { name: 'making', controller: versionOne(), begin: (world) => void world.addSite() },
      { name: 'upgrading', controller: versionTwo(), begin: () => {} },
      { name: 'deleting', begin: (world) => world.api.remove(Site, 'default/a') },
    ],
    remains: ['Secret a-kept'],
  },
  {
    title: 'a deletion right after an upgrade',
    parts: [
      { name: 'making', controller: versionOne(), begin: (world) => void world.addSite() },
      { name: 'deleting', controller: versionTwo(), begin: (world) => world.api.remove(Site, 'default/a') },
    ],
    remains: ['Secret a-kept'],
  },
]

interface Crash {
  /** Index of the part in the scenario. */
  readonly part: number
  /** Number of the request in that part, from 1. */
  readonly at: number
  /** Before the server has performed the request, or after it, so that only the response is lost. */
  readonly when: 'before' | 'after'
}

/** Makes all requests of the process fail from the given one on, once. */
class Fate {
  readonly #crash: Crash | undefined
  #part = 0
  #requests = 0
  isDead = false
  hasStruck = false

  constructor(crash: Crash | undefined) {
    this.#crash = crash
  }

  begin(part: number): void {
    this.#part = part
    this.#requests = 0
  }

  strike(when: Crash['when'], { verb }: ModelRequest): void {
    if (this.isDead) throw failure('Unreachable', 'the process is dead')
    if (verb === 'watch' || this.hasStruck) return
    if (this.#crash?.part !== this.#part || this.#crash.when !== when) return
    this.#requests += 1
    if (this.#requests < this.#crash.at) return
    this.isDead = true
    this.hasStruck = true
    throw failure('Unreachable', 'the process is dead')
  }
}

/** Runs the scenario; after a crash, a new process continues. */
async function play({ parts }: Story, crash?: Crash) {
  const world = new World()
  const fate = new Fate(crash)
  world.api.before = (request) => fate.strike('before', request)
  world.api.after = (request) => fate.strike('after', request)
  const states: unknown[] = []
  let controller = siteController()
  let life = await world.live(controller)
  const rest = async (ms: number) => {
    await world.clock.advance(ms)
    if (!fate.isDead) return
    await life.end()
    fate.isDead = false
    life = await world.live(controller)
  }
  for (const [part, { begin, controller: next }] of parts.entries()) {
    fate.begin(part)
    if (next !== undefined) {
      await life.drain()
      begin(world)
      controller = next
      life = await world.live(controller)
    } else begin(world)
    await rest(0)
    for (let round = 0; round < 4; round++) {
      await rest(60_000)
      world.api.collectGarbage()
    }
    await rest(60_000)
    states.push(shapeOf(world.api.all()))
  }
  await life.drain()
  const left = world.api.all().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  return { states, left, history: [...world.api.history].sort(), hasStruck: fate.hasStruck }
}

describe('a crash', () => {
  const crashes = stories.flatMap((story) =>
    story.parts.map(({ name }, part) => ({ title: `${story.title}, ${name}`, story, part })),
  )

  it.each(crashes)('at any request of $title ends in the state of an undisturbed run', async ({ story, part }) => {
    const { hasStruck: _, ...undisturbed } = await play(story)
    expect(undisturbed.left).toEqual(story.remains)
    for (const when of ['before', 'after'] as const) {
      let at = 1
      for (; ; at++) {
        const { hasStruck, ...ended } = await play(story, { part, at, when })
        expect(ended, `${when} request ${at}`).toEqual(undisturbed)
        if (!hasStruck) break
      }
      expect(at, 'requests that were broken').toBeGreaterThan(2)
    }
  })
})
