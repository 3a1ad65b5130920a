// Member of a sharded operator: renews its Lease, takes and releases slots by the decisions of shards.ts, and opens the
// fence while it may write. Invariant: losing the Lease is final; the process ends, so that no stale memory acts.
import { assert } from '../base/assert.ts'
import { type Clock, deadline, sleep } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Gauge, Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Fence } from '../kube/fence.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { Lease } from '../object/built-in.ts'
import type { LiveObject } from '../object/object.ts'
import { type Shard, type Slot, slotCount } from '../reconcile/shard.ts'
import { type ElectionTiming, jitterFactor } from './election.ts'
import { LeaseLostError } from './elector.ts'
import type { LeaseLocation } from './lease.ts'
import {
  firstMemberLease,
  leavingPatch,
  type MemberLease,
  type Membership,
  memberLeaseName,
  memberLeaseOf,
  membersSelector,
  renewalPatch,
} from './member-lease.ts'
import { afterList, decideShards, type MemberObservations, type ShardsDecision } from './shards.ts'
import { type ShardWork, SlotRunner } from './slot-runner.ts'

export interface ShardRunnerOptions {
  readonly operatorName: string
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Unfenced client, preferably with its own connections: renewals must not wait for other requests. */
  readonly client: KubeClient
  readonly fieldManager: string
  /** Unique name of this process; no later process may have the same. */
  readonly identity: string
  /** Namespace of the Leases of all members. */
  readonly namespace: string
  readonly timing: ElectionTiming
  /** Fence of all writes; open while this process may write. */
  readonly fence: Fence
  /** Slots of this process; this class fills and empties it. */
  readonly shard: Shard
  /** Resolves when no process without shards reconciles; the member takes no slot before. Default: at once. */
  readonly mayJoin?: ((signal: AbortSignal) => Promise<void>) | undefined
  /**
   * Time for running reconciles to end before they are aborted, when their slot moves to another member. Milliseconds;
   * default 5,000.
   */
  readonly handOverMs?: number | undefined
}

const defaultHandOverMs = 5_000
const leaveLimitMs = 1_000

/** Input of #follow besides the list. */
interface Round {
  readonly writtenVersion: string | undefined
  readonly signal: AbortSignal
  readonly slots: SlotRunner
}

export class ShardRunner {
  readonly checkName = 'shards'
  readonly #options: ShardRunnerOptions
  readonly #lease: LeaseLocation
  readonly #slotsMetric: Gauge
  readonly #membersMetric: Gauge
  readonly #begun = Promise.withResolvers<void>()
  #work: ShardWork | undefined
  #wake = Promise.withResolvers<void>()
  #live: LiveObject | undefined
  #sightings: MemberObservations = new Map()
  #claims: ReadonlySet<Slot> = new Set()
  #members: readonly string[] = []
  #leadsUntilMs: number | undefined
  #isReady = false
  #tidying = Promise.resolve()
  #trouble: string | undefined

  constructor(options: ShardRunnerOptions) {
    const { namespace, operatorName, identity, instruments } = options
    this.#options = options
    this.#lease = { namespace, name: memberLeaseName(operatorName, identity) }
    this.#slotsMetric = instruments.metrics.gauge({
      name: 'shard_slots',
      help: `Slots of this process by state, of ${slotCount} slots in total.`,
      labels: ['state'],
    })
    this.#membersMetric = instruments.metrics.gauge({
      name: 'shard_members',
      help: 'Members that share the slots, as this process observes them.',
      labels: [],
    })
  }

  get shard(): Shard {
    return this.#options.shard
  }

  /** Resolves when this process reconciles its first slots; possibly never. */
  get elected(): Promise<void> {
    return this.#begun.promise
  }

  /** Problem that prevents this process from taking part, as one sentence; undefined if there is none. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Returns the state as text: `works 85 of 256 slots, 1012 resources in memory; members: a, b, c`. */
  get standing(): string {
    const { shard } = this.#options
    const count = (state: 'worked' | 'filling' | 'draining') => shard.slotsIn(state).length
    const moving = [
      ...(count('filling') > 0 ? [`loads ${count('filling')}`] : []),
      ...(count('draining') > 0 ? [`hands over ${count('draining')}`] : []),
    ]
    const works = `works ${count('worked')} of ${slotCount} slots`
    const resources = `${this.#work?.resources ?? 0} resources in memory`
    return `${[works, ...moving, resources].join(', ')}; members: ${this.#members.join(', ') || 'none'}`
  }

  /**
   * Takes part until the signal aborts; then releases all slots, within 1 s, and resolves. The process's work must have
   * ended before the signal aborts. Rejects with a LeaseLostError if this process lost its membership.
   */
  async run(signal: AbortSignal, work: ShardWork): Promise<void> {
    assert(this.#work === undefined, 'a member runs once')
    this.#work = work
    const life = new AbortController()
    const until = AbortSignal.any([signal, life.signal])
    const slots = this.#slotRunner(work)
    const prepared = this.#prepare(work, until)
    void slots.begun.then(() => this.#begun.resolve())
    try {
      while (!signal.aborted) {
        const isPressing = await this.#round(until, slots)
        await this.#rest(isPressing, signal)
      }
    } finally {
      this.#options.fence.close()
      life.abort(new DOMException('the member leaves', 'AbortError'))
      await Promise.all([prepared, slots.end(), this.#tidying])
      this.#report()
    }
    await this.#leave()
  }

  #slotRunner(work: ShardWork): SlotRunner {
    const { clock, instruments, shard, timing, handOverMs = defaultHandOverMs } = this.#options
    return new SlotRunner({
      ...{ clock, log: instruments.log, shard, work, handOverMs },
      // Others wait as long for a member that lost its Lease.
      settleMs: timing.durationMs - timing.renewDeadlineMs,
      onChange: () => this.#report(),
      onReleased: (slots) => {
        this.#claims = new Set([...this.#claims].filter((slot) => !slots.includes(slot)))
        this.#wake.resolve()
      },
    })
  }

  async #prepare(work: ShardWork, signal: AbortSignal): Promise<void> {
    try {
      await work.prepare(signal)
      await this.#options.mayJoin?.(signal)
    } catch {
      return // Only the signal rejects.
    }
    this.#isReady = true
    this.#wake.resolve()
  }

  /**
   * Renews the Lease and lists the others; returns true if the next round is urgent. Rejects only with a
   * LeaseLostError.
   */
  async #round(signal: AbortSignal, slots: SlotRunner): Promise<boolean> {
    if (this.#leadsUntilMs !== undefined && this.#nowMs() >= this.#leadsUntilMs) throw this.#lost()
    const writtenVersion = await this.#attempt((limit) => this.#renew(limit), signal)
    const listed = await this.#attempt((limit) => this.#list(limit), signal)
    if (listed === undefined) return false
    if (writtenVersion !== undefined) this.#trouble = undefined
    return this.#follow(listed, { writtenVersion, signal, slots })
  }

  /**
   * Sends one request; undefined if it failed. Never rejects. The limit is half the renew deadline: a hanging request
   * leaves time for a second one.
   */
  async #attempt<T>(request: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { clock, timing } = this.#options
    const leftMs = (this.#leadsUntilMs ?? Number.POSITIVE_INFINITY) - this.#nowMs()
    const limit = deadline(clock, Math.min(timing.renewDeadlineMs / 2, leftMs), signal)
    try {
      return await request(limit.signal)
    } catch (thrown) {
      // The next list shows the current state.
      const isOvertaken = isKubeError(thrown, 'Conflict', 'AlreadyExists', 'NotFound')
      if (!signal.aborted && !isOvertaken) {
        this.#note(limit.hasPassed() ? 'the API server gave no answer in time' : messageOf(thrown))
      }
      return undefined
    } finally {
      limit.clear()
    }
  }

  /** Renews the Lease and returns its new version. */
  async #renew(signal: AbortSignal): Promise<string> {
    const { client, clock, fieldManager, fence, operatorName, timing } = this.#options
    const live = this.#live
    const membership = this.#membership
    const sentMs = this.#nowMs()
    this.#live = await (live === undefined
      ? client.create(
          Lease,
          firstMemberLease(this.#lease, { operatorName, membership, clock }),
          { fieldManager },
          signal,
        )
      : client.patch(
          Lease,
          this.#lease,
          { type: 'merge', body: renewalPatch(live, membership, clock) },
          { fieldManager },
          signal,
        ))
    this.#leadsUntilMs = sentMs + timing.renewDeadlineMs
    fence.openUntil(this.#leadsUntilMs)
    return this.#live.metadata.resourceVersion
  }

  /** Lists all Leases at one revision. Pages, or an answer from the API server's watch cache, would prove nothing. */
  async #list(signal: AbortSignal): Promise<readonly LiveObject[]> {
    const { client, operatorName, namespace } = this.#options
    const { items } = await client.list(Lease, { namespace, labelSelector: membersSelector(operatorName) }, signal)
    return items
  }

  /** Carries out the decisions from a list; returns true if the own Lease is not up to date yet. */
  #follow(leases: readonly LiveObject[], { writtenVersion, signal, slots }: Round): boolean {
    const { shard, identity, timing } = this.#options
    const { name: ownName } = this.#lease
    const nowMs = this.#nowMs()
    this.#sightings = afterList(this.#sightings, leases, { ownName, nowMs, timing })
    const live = leases.find(({ metadata: { name } }) => name === ownName)
    // The response to its creation was lost or is pending.
    if (live === undefined && this.#leadsUntilMs === undefined) return false
    const lease = live && memberLeaseOf(live)
    const held = new Set(shard.slotsIn('filling', 'worked', 'draining'))
    const own = { identity, lease, writtenVersion, held, draining: new Set(shard.slotsIn('draining')), timing }
    const decision = decideShards(this.#sightings, own, nowMs)
    if (decision === undefined || lease === undefined) throw this.#lost()
    this.#live = live
    this.#claims = decision.claims
    this.#noteMembers(decision.members)
    slots.take(decision.take, signal)
    slots.give(decision.give, signal)
    this.#report()
    this.#tidying = this.#tidying.then(() => this.#tidy(decision, signal))
    const isClaimed = lease.slots.size === this.#claims.size && [...this.#claims].every((slot) => lease.slots.has(slot))
    return !isClaimed || lease.isReady !== this.#isReady
  }

  /** Expels dead members from their Leases, and deletes free Leases. Never rejects. */
  async #tidy({ expel, remove }: ShardsDecision, signal: AbortSignal): Promise<void> {
    const { client, fieldManager, instruments, namespace } = this.#options
    for (const { name, live, identity } of expel) {
      const body = leavingPatch(live)
      await this.#attempt(async (limit) => {
        await client.patch(Lease, { namespace, name }, { type: 'merge', body }, { fieldManager }, limit)
        instruments.log.info(
          { lease: name, member: identity },
          'a member has not renewed its Lease; its slots are free',
        )
        this.#wake.resolve()
      }, signal)
    }
    for (const lease of remove) await this.#attempt((limit) => this.#remove(lease, limit), signal)
  }

  async #remove({ name, live }: MemberLease, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#options
    const { uid, resourceVersion } = live.metadata
    await client.delete(Lease, { namespace, name }, { preconditions: { uid, resourceVersion } }, signal)
  }

  /** Publishes that this member has no slots. Never rejects. */
  async #leave(): Promise<void> {
    const { clock, client, fieldManager, instruments } = this.#options
    if (this.#live === undefined) return
    const limit = deadline(clock, leaveLimitMs, new AbortController().signal)
    try {
      const live = await client.get(Lease, this.#lease, limit.signal)
      if (memberLeaseOf(live).identity !== this.#options.identity) return
      const body = leavingPatch(live)
      await client.patch(Lease, this.#lease, { type: 'merge', body }, { fieldManager }, limit.signal)
      instruments.log.info({ ...this.#lease }, 'gave all slots up')
    } catch (thrown) {
      const fields = { ...this.#lease, error: messageOf(thrown) }
      instruments.log.warn(
        fields,
        'the slots could not be given up; other members take them when the Lease has run out',
      )
    } finally {
      limit.clear()
    }
  }

  async #rest(isPressing: boolean, signal: AbortSignal): Promise<void> {
    const { clock, random, timing } = this.#options
    const periodMs = isPressing ? timing.retryPeriodMs / 10 : timing.retryPeriodMs
    const delayMs = periodMs * (1 + random.next() * (jitterFactor - 1))
    const leftMs = (this.#leadsUntilMs ?? Number.POSITIVE_INFINITY) - this.#nowMs()
    const woken = new AbortController()
    const rest = sleep(clock, Math.min(delayMs, leftMs), AbortSignal.any([signal, woken.signal])).catch(() => {})
    await Promise.race([rest, this.#wake.promise])
    woken.abort()
    this.#wake = Promise.withResolvers()
  }

  get #membership(): Membership {
    const { identity, timing } = this.#options
    return { identity, durationMs: timing.durationMs, slots: this.#claims, isReady: this.#isReady }
  }

  #noteMembers(members: readonly string[]): void {
    if (members.join() === this.#members.join()) return
    this.#members = members
    this.#options.instruments.log.info({ members }, 'the slots are divided among these members')
  }

  /** Logs a problem once, and again when it changes. */
  #note(trouble: string): void {
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.#options.instruments.log.warn({ error: trouble }, 'the Leases cannot be reached; trying again')
  }

  #lost(): LeaseLostError {
    const { namespace, name } = this.#lease
    const { timing } = this.#options
    const isSilent = this.#leadsUntilMs !== undefined && this.#nowMs() >= this.#leadsUntilMs
    const trouble = this.#trouble === undefined ? '' : ` (${this.#trouble})`
    const why = isSilent
      ? `could not be renewed within ${timing.renewDeadlineMs / 1000} s${trouble}`
      : 'was taken from this process'
    return new LeaseLostError({
      code: 'LeaseLost',
      remedy: 'stop',
      message: `the lease ${namespace}/${name} ${why}; this process ends, and other members take its resources; started again it is a new member`,
    })
  }

  #report(): void {
    const { shard, fence } = this.#options
    for (const state of ['filling', 'worked', 'draining'] as const)
      this.#slotsMetric.set({ state }, fence.isOpen ? shard.slotsIn(state).length : 0)
    this.#membersMetric.set({}, this.#members.length)
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs()
  }
}
