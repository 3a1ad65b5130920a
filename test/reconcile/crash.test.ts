// Whatever request of a resource's life the process dies at, the next life ends where an undisturbed one does (I3).
import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../src/object/object.ts'
import { at, failure, type ModelRequest } from '../model-api.ts'
import { Site, World } from './life.ts'

/** What there is, without what differs from run to run: uids, versions and times. */
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

/** A life story: a site comes, changes, and goes. Each part ends when nothing moves any more. */
const story = [
  (world: World) => void world.addSite('a', { page: 'hello', password: 'x' }),
  (world: World) => void world.api.edit(Site, 'default/a', { spec: { page: 'new', password: null } }),
  (world: World) => world.api.remove(Site, 'default/a'),
]

interface Crash {
  /** Index into the story. */
  readonly part: number
  /** At which request of that part, from 1. */
  readonly at: number
  /** Before the server has done what was asked, or after, so that only the answer is lost. */
  readonly when: 'before' | 'after'
}

/** Makes the process as good as dead from the given request on, once. */
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
    if (verb === 'list' || verb === 'watch' || this.hasStruck) return
    if (this.#crash?.part !== this.#part || this.#crash.when !== when) return
    this.#requests += 1
    if (this.#requests < this.#crash.at) return
    this.isDead = true
    this.hasStruck = true
    throw failure('Unreachable', 'the process is dead')
  }
}

/** Plays the story; when the process has died, a new life takes over. */
async function play(crash?: Crash) {
  const world = new World()
  const fate = new Fate(crash)
  world.api.before = (request) => fate.strike('before', request)
  world.api.after = (request) => fate.strike('after', request)
  const states: unknown[] = []
  let life = await world.live()
  const rest = async (ms: number) => {
    await world.clock.advance(ms)
    if (!fate.isDead) return
    await life.end()
    fate.isDead = false
    life = await world.live()
  }
  for (const [part, begin] of story.entries()) {
    fate.begin(part)
    begin(world)
    await rest(0)
    for (let round = 0; round < 4; round++) {
      await rest(60_000)
      world.api.collectGarbage()
    }
    await rest(60_000)
    states.push(shapeOf(world.api.all()))
  }
  await life.drain()
  return { states, history: [...world.api.history].sort(), hasStruck: fate.hasStruck }
}

describe('a crash', () => {
  it.each([
    { part: 0, name: 'making' },
    { part: 1, name: 'changing' },
    { part: 2, name: 'deleting' },
  ])('at any request of $name ends where an undisturbed run ends', async ({ part }) => {
    const undisturbed = await play()
    expect(undisturbed.states.at(-1)).toEqual([])
    for (const when of ['before', 'after'] as const) {
      let at = 1
      for (; ; at++) {
        const { hasStruck, ...ended } = await play({ part, at, when })
        expect(ended, `${when} request ${at}`).toEqual({ states: undisturbed.states, history: undisturbed.history })
        if (!hasStruck) break
      }
      expect(at, 'requests that were broken').toBeGreaterThan(2)
    }
  })
})
