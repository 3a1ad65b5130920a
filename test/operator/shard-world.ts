// Members of a sharded operator without the operator: the real ShardRunner over the model API server. Clocks have
// different speeds, the network delays and loses requests and responses, processes sleep and die, and reconciles take
// time.
import type { Clock, Timer } from '../../src/base/clock.ts'
import { sleep } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { Fence } from '../../src/kube/fence.ts'
import { untilAborted } from '../../src/kube/shared-runner.ts'
import { defaultTiming } from '../../src/operator/election.ts'
import { ShardRunner } from '../../src/operator/shard-runner.ts'
import { Shard, type Slot } from '../../src/reconcile/shard.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { LifeClock } from '../e2e/life-clock.ts'
import { ModelApi } from '../model-api.ts'

/** Fate of one request. */
export interface Luck {
  readonly toServerMs: number
  readonly toUsMs: number
  readonly lost: 'request' | 'answer' | 'none'
}

export interface MemberPlan {
  readonly startMs: number
  /** Speed of its clock; at most 1.49 times that of another. */
  readonly rate: number
  readonly luck: readonly Luck[]
  readonly prepareMs: number
  readonly fillMs: number
  /** Duration of its reconciles. */
  readonly reconcileMs: number
  readonly sleeps: readonly { readonly atMs: number; readonly forMs: number }[]
  readonly end: { readonly atMs: number; readonly kind: 'killed' | 'stopped' } | undefined
}

/** Clock with its own speed. */
class SkewedClock implements Clock {
  readonly #world: Clock
  readonly #rate: number
  readonly #offsetMs: number

  constructor(world: Clock, rate: number, offsetMs: number) {
    this.#world = world
    this.#rate = rate
    this.#offsetMs = offsetMs
  }

  now(): number {
    return this.#world.now() + this.#offsetMs * 1_000
  }

  monotonicMs(): number {
    return this.#offsetMs + this.#world.monotonicMs() * this.#rate
  }

  // Timers are slightly late: doubles round, and a timer must not be early forever.
  setTimer(delayMs: number, run: () => void): Timer {
    return this.#world.setTimer(Math.max(0, delayMs) / this.#rate + 0.01, run)
  }
}

class WatchedShard extends Shard {
  onTaken = () => {}

  override fill(slots: readonly Slot[]): void {
    super.fill(slots)
    this.onTaken()
  }
}

export class ShardWorld {
  readonly clock = new SimClock()
  readonly api = new ModelApi(this.clock)
  readonly members: Member[] = []
  /** Slots that two members could write for at the same time. */
  readonly violations: string[] = []
  taken = 0
  cuts = 0

  add(plan: MemberPlan): Member {
    const member = new Member(this, plan, this.members.length)
    this.members.push(member)
    return member
  }

  check(): void {
    this.taken += 1
    const owners = new Map<Slot, string>()
    for (const { shard, fence, identity } of this.members) {
      if (!fence.isOpen) continue
      for (const slot of shard.slotsIn('filling', 'worked', 'draining')) {
        const other = owners.get(slot)
        if (other !== undefined)
          this.violations.push(`${slot}: ${other} and ${identity} at ${this.clock.monotonicMs()}`)
        owners.set(slot, identity)
      }
    }
  }

  /** Number of slots that living members work. */
  get worked(): number {
    const open = this.members.filter(({ fence, isAlive }) => isAlive && fence.isOpen)
    return open.reduce((sum, { shard }) => sum + shard.slotsIn('worked').length, 0)
  }
}

export class Member {
  readonly identity: string
  readonly shard = new WatchedShard()
  readonly fence: Fence
  readonly #world: ShardWorld
  readonly #plan: MemberPlan
  readonly #clock: LifeClock
  readonly #stop = new AbortController()
  readonly #reconciles = new Set<Promise<unknown>>()
  #requests = 0
  ended: Promise<unknown> = Promise.resolve('not started')
  isAlive = false

  constructor(world: ShardWorld, plan: MemberPlan, index: number) {
    this.#world = world
    this.#plan = plan
    this.identity = `member-${index}`
    this.#clock = new LifeClock(new SkewedClock(world.clock, plan.rate, index * 1_000))
    this.fence = new Fence(this.#clock)
    this.shard.onTaken = () => world.check()
    const at = (ms: number, run: () => void) => world.clock.setTimer(ms - world.clock.monotonicMs(), run)
    at(plan.startMs, () => this.#start(index))
    for (const { atMs, forMs } of plan.sleeps) {
      at(plan.startMs + atMs, () => this.#clock.sleep())
      at(plan.startMs + atMs + forMs, () => this.#clock.wake())
    }
    if (plan.end?.kind === 'killed') at(plan.startMs + plan.end.atMs, () => this.kill())
    if (plan.end?.kind === 'stopped') at(plan.startMs + plan.end.atMs, () => void this.stop())
  }

  kill(): void {
    this.isAlive = false
    this.#clock.end()
    this.fence.close()
    this.#stop.abort()
  }

  /** Stops in order: reconciles end before the slots are released. */
  async stop(): Promise<void> {
    this.isAlive = false
    await Promise.allSettled([...this.#reconciles])
    this.#stop.abort()
  }

  #start(index: number): void {
    this.isAlive = true
    const clock = this.#clock
    const { prepareMs, fillMs } = this.#plan
    const runner = new ShardRunner({
      ...{ operatorName: 'shop', clock, random: seededRandom(index), instruments: silentInstruments },
      ...{ client: this.#client(), fieldManager: 'shop-lease', identity: this.identity, namespace: 'ops' },
      ...{ timing: defaultTiming, fence: this.fence, shard: this.shard },
    })
    this.ended = runner
      .run(this.#stop.signal, {
        prepare: (signal) => sleep(clock, prepareMs, signal),
        fill: (signal) => sleep(clock, fillMs, signal),
        resync: () => this.#reconcileAll(),
        prune: () => {},
        resources: 0,
      })
      .then(
        () => 'in order',
        (thrown: unknown) => {
          this.isAlive = false
          return thrown
        },
      )
  }

  /** Keeps one reconcile running: when it ends, the next resource has one. */
  #reconcileAll(resource = 0): void {
    if (!this.isAlive) return
    const set = `resource-${resource % 40}`
    const { reconcileMs } = this.#plan
    const reconcile = async (signal: AbortSignal) => {
      try {
        await sleep(this.#clock, reconcileMs, signal)
      } catch (thrown) {
        this.#world.cuts += 1
        throw thrown
      }
      return { kind: 'settled' } as const
    }
    const begun = this.shard.run(set, reconcile, this.#stop.signal).catch(() => {})
    this.#reconciles.add(begun)
    void begun.then(() => {
      this.#reconciles.delete(begun)
      this.#clock.setTimer(1_000, () => this.#reconcileAll(resource + 1))
    })
  }

  #client(): KubeClient {
    const { api } = this.#world
    return new Proxy(api, {
      get:
        (_, verb: keyof KubeClient) =>
        async (...all: readonly unknown[]): Promise<unknown> => {
          const signal = all.find((argument) => argument instanceof AbortSignal)
          // Sound: each verb is called with its own arguments. A request that timed out may still arrive.
          const ask = (api[verb] as (...given: readonly unknown[]) => Promise<unknown>).bind(api)
          const arguments_ = all.map((argument) => (argument === signal ? new AbortController().signal : argument))
          const answer = this.#send(() => ask(...arguments_))
          // The caller may have timed out before.
          answer.catch(() => {})
          return signal === undefined ? await answer : await untilAborted(answer, signal)
        },
    })
  }

  async #send(ask: () => Promise<unknown>): Promise<unknown> {
    const { luck } = this.#plan
    const { toServerMs, toUsMs, lost } = luck[this.#requests++ % luck.length] ?? {
      toServerMs: 1,
      toUsMs: 1,
      lost: 'none',
    }
    const { clock } = this.#world
    const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(ms, resolve))
    const never = new Promise<never>(() => {})
    if (lost === 'request') return await never
    await pass(toServerMs)
    const answer = ask()
    answer.catch(() => {})
    await pass(toUsMs)
    if (lost === 'answer' || this.#clock.isDead) return await never
    await new Promise<void>((resolve) => this.#clock.whenAwake(resolve))
    return await answer
  }
}
