// Guarantees of the provisioner: the order of its effects, its memory, and its behaviour when it may not act.
import { describe, expect, it } from 'vitest'
import { sleep } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { DesiredExternal, ExternalDriver, ExternalRecord } from '../../src/external/external.ts'
import type { Pass } from '../../src/external/pass.ts'
import { type EffectGate, openGate } from '../../src/external/protocol-runner.ts'
import { Provisioner } from '../../src/external/provisioner.ts'
import { ToolBox } from '../../src/external/tool-box.ts'
import { Fence } from '../../src/kube/fence.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { down, type RemoteOptions, RemoteWorld } from './remote-world.ts'

const wish: DesiredExternal<unknown> = {
  kind: 'wanted',
  externalName: 'a-box',
  desired: { size: 1 },
}

interface Given extends RemoteOptions {
  readonly gateOver?: (clock: SimClock) => EffectGate
  /** Duration of the request for a creation. */
  readonly createMs?: number
  /** Further methods of the driver. */
  readonly over?: Pick<ExternalDriver<{ readonly size: number }, { readonly size: number }>, 'enter' | 'question'>
}

function setUp({ gateOver = () => openGate, createMs = 0, over = {}, ...place }: Given = {}) {
  const clock = new SimClock()
  const random = seededRandom(1)
  const remote = new RemoteWorld(clock, place)
  const tools = new ToolBox({ clock, random, instruments: silentInstruments })
  const { log, tracer } = silentInstruments
  const gate = gateOver(clock)
  const plain = remote.driver(tools)
  const driver: typeof plain = {
    ...plain,
    ...over,
    create: async (call) => {
      if (createMs > 0) await sleep(clock, createMs, call.signal)
      await plain.create(call)
    },
  }
  const provisioner = new Provisioner({
    name: 'box',
    driver,
    clock,
    random,
    log,
    tracer,
    gate,
  })
  const stored: ExternalRecord[] = []
  const passOf = (over: Partial<Pass> = {}): Pass => ({
    namespace: 'shop',
    token: { uid: 'u', generation: 1 },
    record: undefined,
    cadenceMs: 60_000,
    store: (record) => {
      stored.push(record)
      return Promise.resolve()
    },
    logFields: {},
    signal: new AbortController().signal,
    ...over,
  })
  return { clock, remote, provisioner, stored, passOf }
}

describe('a provisioner', () => {
  it('creates nothing when the journal entry could not be stored', async () => {
    const { remote, provisioner, passOf } = setUp()
    const store = () => Promise.reject(new Error('409'))
    await expect(provisioner.provide(wish, passOf({ store }))).rejects.toThrow('409')
    expect(remote.calls).toEqual(['observe a-box'])
  })

  it('removes nothing when the journal entry could not be stored', async () => {
    const { remote, provisioner, passOf } = setUp()
    const { record } = await provisioner.provide(wish, passOf())
    const store = () => Promise.reject(new Error('409'))
    const removal = {
      kind: 'remove',
      externalName: 'a-box',
      desired: { size: 1 },
    } as const
    await expect(provisioner.remove(removal, passOf({ record, store }))).rejects.toThrow('409')
    expect(remote.count('delete')).toBe(0)
  })

  it('restarts the count of observations without the resource after an unknown one', async () => {
    const { clock, remote, provisioner, passOf } = setUp({
      visibilityDelayMs: 20_000,
    })
    const { record: asked } = await provisioner.provide(wish, passOf())
    await clock.advance(20_000)
    const { record } = await provisioner.provide(wish, passOf({ record: asked }))
    const looks = async (ms: number) => {
      await clock.advance(ms)
      return (await provisioner.provide(wish, passOf({ record, cadenceMs: 1_000 }))).report.state
    }
    remote.boxes.clear()
    expect(await looks(10_000)).toBe('notYetVisible')
    remote.before = () => {
      throw down()
    }
    expect(await looks(15_000)).toBe('failed')
    remote.before = () => {}
    expect(await looks(10_000)).toBe('notYetVisible')
    expect(await looks(21_000)).toBe('vanished')
  })

  it('does not consider a creation gone whose request took long', async () => {
    const { clock, remote, provisioner, passOf } = setUp({
      visibilityDelayMs: 20_000,
      createMs: 40_000,
    })
    const providing = provisioner.provide(wish, passOf())
    await clock.advance(40_000)
    const { record } = await providing
    const removal = {
      kind: 'remove',
      externalName: 'a-box',
      desired: { size: 1 },
    } as const
    await clock.advance(5_000)
    const early = await provisioner.remove(removal, passOf({ record }))
    expect(early.report.state).toBe('notYetVisible')
    await clock.advance(20_000)
    await provisioner.remove(removal, passOf({ record: early.record }))
    expect(remote.count('delete')).toBe(1)
  })

  it('remembers while generation, desired state and journal entry are unchanged and the cadence lasts', async () => {
    const { clock, remote, provisioner, passOf } = setUp()
    const { record } = await provisioner.provide(wish, passOf())
    const asks = async (over: Partial<Pass>, asked = wish) => {
      remote.calls.length = 0
      await provisioner.provide(asked, passOf({ record, ...over }))
      return remote.calls.length > 0
    }
    expect(await asks({})).toBe(false)
    expect(await asks({ token: { uid: 'u', generation: 2 } })).toBe(true)
    expect(await asks({}, { ...wish, adopts: true } as typeof wish)).toBe(true)
    expect(await asks({}, { ...wish, adopts: true } as typeof wish)).toBe(false)
    expect(await asks({})).toBe(true)
    expect(await asks({ record: undefined })).toBe(true)
    expect(await asks({})).toBe(false)
    expect(await asks({ demand: 'now' })).toBe(true)
    expect(await asks({ demand: 'now' })).toBe(false)
    await clock.advance(30_000)
    expect(await asks({ demand: 'now' })).toBe(false)
    expect(await asks({ demand: 'now', cadenceMs: 30_000 })).toBe(true)
    await clock.advance(60_000)
    expect(await asks({ demand: 'now' })).toBe(true)
    expect(await asks({ demand: 'now', token: { uid: 'another', generation: 1 } })).toBe(true)
    provisioner.forget('u')
    expect(await asks({ demand: 'now' })).toBe(true)
  })

  it("does not observe again for changes outside the driver's question", async () => {
    const { remote, provisioner, passOf } = setUp({ over: { question: ({ size }) => size > 5 } })
    const { record } = await provisioner.provide(wish, passOf())
    const asks = async (size: number) => {
      remote.calls.length = 0
      await provisioner.provide({ ...wish, desired: { size } } as typeof wish, passOf({ record }))
      return remote.calls.length > 0
    }
    expect([await asks(2), await asks(6), await asks(7), await asks(3)]).toEqual([false, true, false, true])
  })

  it('calls enter of a driver before each pass with observations, and leave after it, also after a failure', async () => {
    const told: string[] = []
    const enter = async ({ desired }: { readonly desired: { readonly size: number } }) => {
      told.push(`enter ${desired.size}`)
      return () => void told.push('leave')
    }
    const { remote, provisioner, passOf } = setUp({ over: { enter } })
    remote.before = (operation) => {
      told.push(operation)
      if (operation === 'create') throw down()
    }
    const { record } = await provisioner.provide(wish, passOf())
    expect(told.splice(0)).toEqual(['enter 1', 'observe', 'create', 'leave'])
    remote.before = (operation) => void told.push(operation)
    const there = await provisioner.provide(wish, passOf({ record }))
    expect(told.splice(0)).toEqual(['enter 1', 'observe', 'create', 'observe', 'leave'])
    await provisioner.provide(wish, passOf({ record: there.record }))
    expect(told).toEqual([])
    const removal = { kind: 'remove', externalName: 'a-box', desired: { size: 1 } } as const
    await provisioner.remove(removal, passOf({ record: there.record }))
    expect(told).toEqual(['enter 1', 'observe', 'delete', 'observe', 'leave'])
  })

  it('reports a failure of enter like any other error of the driver', async () => {
    const { remote, provisioner, passOf } = setUp({ over: { enter: () => Promise.reject(down()) } })
    const { report } = await provisioner.provide(wish, passOf())
    expect(report).toMatchObject({ state: 'failed', message: down().message })
    expect(remote.calls).toEqual([])
  })

  it('reports a correction once', async () => {
    const { clock, remote, provisioner, passOf } = setUp()
    const { record } = await provisioner.provide(wish, passOf())
    remote.edit('a-box', { size: 7 })
    await clock.advance(60_000)
    const reports = [
      await provisioner.provide(wish, passOf({ record })),
      await provisioner.provide(wish, passOf({ record })),
    ]
    expect(reports.map(({ report }) => report.corrected.length)).toEqual([1, 0])
    expect(reports.map(({ events }) => events.length)).toEqual([1, 0])
  })
})

describe('a process that may no longer act', () => {
  it('starts no effects, and still observes', async () => {
    const { remote, provisioner, passOf } = setUp({
      gateOver: (clock) => new Fence(clock),
    })
    const { report, end } = await provisioner.provide(wish, passOf())
    expect(report).toMatchObject({ state: 'failed', reason: 'NotLeader' })
    expect(end).toBe('retry')
    expect(remote.calls).toEqual(['observe a-box'])
  })

  it('cuts off effects in flight', async () => {
    let fence: Fence | undefined
    const { clock, remote, provisioner, passOf } = setUp({
      gateOver: (time) => {
        fence = new Fence(time)
        fence.openUntil(1_000)
        return fence
      },
    })
    const isCut = Promise.withResolvers<void>()
    remote.before = (operation, { signal }) => {
      if (operation === 'create') fence?.close()
      if (signal.aborted) isCut.resolve()
      signal.throwIfAborted()
    }
    const { report } = await provisioner.provide(wish, passOf())
    await isCut.promise
    expect(report).toMatchObject({ state: 'failed', reason: 'NotLeader' })
    expect(remote.deeds).toEqual([])
    expect(clock.monotonicMs()).toBe(0)
  })
})
