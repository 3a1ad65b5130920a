// Any sequence of events between a server and an informer: at the end the informer shows the server's state. It has
// never gone back, and has reported the history of each object in order.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { FieldSetPool } from '../../src/cache/field-set-pool.ts'
import { Freshness } from '../../src/cache/freshness.ts'
import { Informer } from '../../src/cache/informer.ts'
import { compareVersions } from '../../src/cache/resource-version.ts'
import { KubeError, type KubeErrorCode } from '../../src/kube/kube-errors.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { isChildManager } from '../../src/object/identity.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyOf } from '../../src/object/ref.ts'
import { BusyClock } from './busy-clock.ts'
import { ModelServer } from './model-server.ts'

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write'), name } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'recreate'), name } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tick') } as const) },
)
const fault = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      'bookmark',
      'compact',
      'break',
      'end',
      'silence',
      'expire',
      'lose',
      'thaw',
      'mend',
      'upgrade',
      'downgrade',
    ),
  } as const),
  fc.record({ kind: fc.constant('freeze'), back: fc.nat(6) } as const),
  fc.record({
    kind: fc.constant('outage'),
    code: fc.constantFrom<KubeErrorCode>(
      'Unreachable',
      'TooManyRequests',
      'ServerError',
      'Forbidden',
      'ResourceNotFound',
      'Expired',
    ),
  } as const),
)
const pause = fc.record({ kind: fc.constant('pause'), ms: fc.constantFrom(0, 1, 700, 5_000, 40_000, 130_000) } as const)
const own = fc.oneof(
  fc.record({ kind: fc.constant('ownWrite'), name, isLate: fc.boolean() } as const),
  fc.record({ kind: fc.constant('ownDelete'), name } as const),
)
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never
type Operation = Drawn<typeof change> | Drawn<typeof fault> | Drawn<typeof pause> | Drawn<typeof own>
type Meddling = Exclude<Drawn<typeof fault>['kind'], 'freeze' | 'outage'> | 'tick'

class World {
  /** Each object takes long, so that snapshots are read in several slices, with any events between them. */
  readonly clock = new BusyClock()
  readonly server = new ModelServer(this.clock)
  readonly freshness = new Freshness()
  readonly informer: Informer
  readonly stop = new AbortController()
  /** Kinds of events by uid. */
  readonly lives = new Map<string, string[]>()
  readonly written = new Map<string, string>()
  #lastVersion = '1'
  readonly #selected = { labels: { app: 'x' } }

  constructor(seed: number) {
    this.server.sendsBookmarks = seed % 3 !== 0
    this.informer = new Informer({
      clock: this.clock,
      random: seededRandom(seed),
      instruments: silentInstruments,
      client: this.server,
      resource: ConfigMap,
      selection: { labelSelector: 'app=x' },
      keepsFieldsOf: isChildManager,
      fieldSets: new FieldSetPool(),
      indexes: { labels: ['app'] },
      transform: (object) => {
        this.clock.work(2)
        return object
      },
    })
    // The last writes are gone with the kind; freshness waits for the watch to pass them nevertheless.
    this.informer.addServedHandler((isServed) => {
      if (!isServed) this.written.clear()
    })
    this.informer.addHandler(({ kind, object }) => {
      this.clock.work(2)
      this.lives.set(object.metadata.uid, [...(this.lives.get(object.metadata.uid) ?? []), kind])
    })
  }

  async perform(operation: Operation): Promise<void> {
    const { server } = this
    switch (operation.kind) {
      case 'write':
        server.write(operation.name, this.#selected)
        break
      case 'remove':
        server.remove(operation.name)
        break
      case 'recreate':
        server.remove(operation.name)
        server.write(operation.name, this.#selected)
        break
      case 'ownWrite': {
        const answer = server.write(operation.name, this.#selected)
        if (operation.isLate) await this.clock.advance(1)
        this.#record(answer)
        break
      }
      case 'ownDelete':
        this.#delete(operation.name)
        break
      case 'outage':
        server.outage = new KubeError({ code: operation.code, message: operation.code })
        break
      case 'freeze':
        server.freeze(Math.max(100, server.version - operation.back))
        break
      case 'pause':
        await this.clock.advance(operation.ms)
        break
      default:
        this.#meddle(operation.kind)
    }
    this.#check()
  }

  #meddle(kind: Meddling): void {
    const { server } = this
    const deeds: Record<Meddling, () => void> = {
      tick: () => server.tick(),
      bookmark: () => server.bookmark(),
      compact: () => server.compact(),
      break: () => server.breakStreams(),
      end: () => server.endStreams(),
      silence: () => server.silenceStreams(),
      expire: () => server.sendError(410, 'Expired'),
      lose: () => server.sendError(500, 'StoreReadError'),
      thaw: () => server.thaw(),
      mend: () => {
        server.outage = undefined
      },
      upgrade: () => {
        server.hasWatchList = true
      },
      downgrade: () => {
        server.hasWatchList = false
      },
    }
    deeds[kind]()
  }

  #record(answer: LiveObject): void {
    this.informer.recordWrite(answer)
    this.freshness.wroteAt('owner', this.informer, answer.metadata)
    this.written.set(keyOf(answer), answer.metadata.resourceVersion)
  }

  #delete(name: string): void {
    const object = this.server.find(name)
    if (object === undefined) return
    this.server.remove(name)
    this.freshness.deletedAt('owner', this.informer, object.metadata)
  }

  /** Checks the invariants. */
  #check(): void {
    const version = this.informer.lastResourceVersion ?? this.#lastVersion
    expect(compareVersions(version, this.#lastVersion)).not.toBe('older')
    this.#lastVersion = version
    for (const [key, writtenAt] of this.written) {
      const found = this.informer.list().find((object) => keyOf(object) === key)
      const isPast = this.informer.hasSeen(writtenAt)
      // Until the watch has passed an own write, reads return it or a later version.
      if (!isPast) expect(found && compareVersions(found.metadata.resourceVersion, writtenAt)).toMatch(/newer|equal/)
    }
  }

  /** Ends the faults. */
  async settle(): Promise<void> {
    this.server.outage = undefined
    this.server.sendsBookmarks = true
    this.server.thaw()
    await this.clock.advance(300_000)
    this.server.bookmark()
    await this.clock.advance(0)
  }
}

async function live(seed: number, operations: readonly Operation[]): Promise<World> {
  const world = new World(seed)
  world.informer.start(world.stop.signal)
  for (const operation of operations) await world.perform(operation)
  await world.settle()
  await world.informer.stop()
  return world
}

const content = (objects: readonly LiveObject[]) =>
  objects.map((object) => `${keyOf(object)} ${object.metadata.uid} ${object.metadata.resourceVersion}`).sort()

describe('an informer, after any sequence of events', () => {
  it('shows the server’s state, never goes back, and reports each history in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(fc.oneof(change, fault, pause), { maxLength: 60, size: 'max' }),
        async (seed, operations) => {
          const { server, informer, lives } = await live(seed, operations)
          expect(content(informer.list())).toEqual(content(server.objects()))
          expect(informer.health).toMatchObject({ state: 'synced', lastResourceVersion: String(server.version) })
          // After a false 404, existing objects return.
          for (const life of lives.values())
            expect(life.join(' ')).toMatch(/^added( updated)*( deleted( added( updated)*)?)*$/)
          const living = [...lives].filter(([, life]) => life.at(-1) !== 'deleted').map(([uid]) => uid)
          expect(living.sort()).toEqual(
            server
              .objects()
              .map(({ metadata }) => metadata.uid)
              .sort(),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it('reads its own writes until the watch has passed them, and then the server’s state', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(fc.oneof(change, fault, pause, own, own), { maxLength: 60, size: 'max' }),
        async (seed, operations) => {
          const { server, informer, lives, freshness } = await live(seed, operations)
          expect(content(informer.list())).toEqual(content(server.objects()))
          expect(content(informer.byLabel('app', 'x'))).toEqual(content(server.objects()))
          expect(freshness.isFresh('owner')).toBe(true)
          // For an own object that the watch never showed, only the deletion is reported.
          for (const life of lives.values())
            expect(life.join(' ')).toMatch(/^((added( updated)*( deleted)?|deleted)( |$))+$/)
        },
      ),
      { numRuns: 100 },
    )
  })
})
