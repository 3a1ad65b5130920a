// Any sequence of events for a resource, its external resource and the process: nothing is created twice or taken from
// another owner. At the end the outside world matches the spec, or the status reports why not.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { at, failure } from '../model-api.ts'
import { World } from '../reconcile/life.ts'
import { down, type RemoteOptions, RemoteWorld } from './remote-world.ts'
import { Shelf, shelfController } from './shelf.ts'

const places: readonly RemoteOptions[] = [{}, { visibilityDelayMs: 20_000, pendingMs: 20_000, deletingMs: 20_000 }]

const events = {
  resize: 'the spec wants another size',
  empty: 'the spec wants none, or wants one again',
  drift: 'somebody changes it outside',
  unmark: 'somebody takes its mark off',
  vanish: 'somebody removes it outside',
  outage: 'the place goes down, or comes back',
  partition: 'the API server goes away, or comes back',
  death: 'the process dies, and another begins',
  twin: 'a second process begins',
  hold: 'caches stand still, or go on',
  wait: 'time passes',
} as const
type Event = keyof typeof events

const steps = fc.array(
  fc.record({
    event: fc.constantFrom(...(Object.keys(events) as Event[])),
    ms: fc.constantFrom(0, 10, 1_000, 30_000, 400_000),
  }),
  { maxLength: 25 },
)

async function live(place: RemoteOptions, story: readonly { readonly event: Event; readonly ms: number }[]) {
  const world = new World()
  const remote = new RemoteWorld(world.clock, place)
  const foreign = remote.put('b-box', { size: 5 })
  const controller = shelfController(remote)
  const was = { isEmpty: false, isDown: false, isCut: false, isHeld: false, vanished: 0, size: 1 }
  const lives = [await world.live(controller)]
  remote.before = () => {
    if (was.isDown) throw down()
  }
  world.api.before = ({ verb }) => {
    if (was.isCut && verb !== 'watch') throw failure('Unreachable', 'no route')
  }
  const spec = () => ({ size: was.size, isEmpty: was.isEmpty, recreatesIfMissing: true })
  const edit = () => void world.api.edit(Shelf, 'default/a', { spec: spec() })
  for (const name of ['a', 'b']) {
    const metadata = { name, namespace: 'default' }
    world.api.put(Shelf, { apiVersion: 'example.dev/v1', kind: 'Shelf', metadata, spec: spec() })
  }
  const does: Readonly<Record<Event, () => unknown>> = {
    resize: () => {
      was.size += 1
      edit()
    },
    empty: () => {
      was.isEmpty = !was.isEmpty
      edit()
    },
    drift: () => remote.boxes.has('a-box') && remote.edit('a-box', { size: 99 }),
    unmark: () => remote.boxes.has('a-box') && remote.edit('a-box', { owner: undefined }),
    vanish: () => {
      was.vanished += remote.boxes.delete('a-box') ? 1 : 0
    },
    outage: () => {
      was.isDown = !was.isDown
    },
    partition: () => {
      was.isCut = !was.isCut
    },
    death: async () => {
      for (const life of lives.splice(0)) await life.end()
      lives.push(await world.live(controller))
    },
    twin: async () => {
      if (lives.length < 2) lives.push(await world.live(controller))
    },
    hold: () => {
      was.isHeld = !was.isHeld
      world.api.hold(Shelf, was.isHeld)
    },
    wait: () => {},
  }
  for (const { event, ms } of story) {
    await does[event]()
    await world.clock.advance(ms)
  }
  was.isDown = false
  was.isCut = false
  world.api.hold(Shelf, false)
  await world.clock.advance(1_500_000)
  const status = at(world.api.find(Shelf, 'default/a'), 'status', 'boxes')
  const other = remote.boxes.get('b-box')
  for (const life of lives) await life.end()
  return { remote, was, status, foreign, other }
}

describe('any life of an external resource', () => {
  it.each(places)(
    'at an endpoint with $visibilityDelayMs ms of delay ends as its spec requires, and nothing was created twice',
    async (place) => {
      await fc.assert(
        fc.asyncProperty(steps, async (story) => {
          const { remote, was, status, foreign, other } = await live(place, story)
          const box = remote.boxes.get('a-box')
          expect(other).toEqual(foreign)
          // Each creation except the first follows a removal, by the operator or by others.
          expect(remote.count('create')).toBeLessThanOrEqual(1 + remote.count('delete') + was.vanished)
          if (was.isEmpty) expect([box?.owner, status]).toEqual([undefined, 'box none/NotWanted (-)'])
          else if (status === `box available/AsDesired (${was.size})`) expect(box).toMatchObject({ size: was.size })
          // A resource that lost its marker before its identity was recorded looks like one of another owner.
          else expect([status, box?.owner]).toEqual([expect.stringMatching(/^box notOwned\/NotOwned/), undefined])
        }),
        { numRuns: 40 },
      )
    },
  )
})
