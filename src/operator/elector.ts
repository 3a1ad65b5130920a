// Elector: carries out the decisions of election.ts, opens the fence while this process leads, and releases the Lease
// at the end. Invariant: losing the Lease is final; the process ends, so that no stale memory acts.
import { assert, unreachable } from '../base/assert.ts'
import { type Clock, deadline, sleep } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Gauge, Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Fence } from '../kube/fence.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { Lease } from '../object/built-in.ts'
import type { LiveObject } from '../object/object.ts'
import {
  afterClaim,
  afterConflict,
  afterFailure,
  afterRead,
  type Candidate,
  type Election,
  type ElectionStep,
  nextStep,
  notYetElected,
} from './election.ts'
import { claimPatch, firstLease, holderOf, type LeaseLocation, releasePatch } from './lease.ts'

export interface ElectorOptions extends Candidate {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Unfenced client, preferably with its own connections: renewals must not wait for other requests. */
  readonly client: KubeClient
  readonly lease: LeaseLocation
  readonly fieldManager: string
  /** Fence of all writes; open while this process leads. */
  readonly fence: Fence
}

/** Error of a process that lost its Lease. Another process leads, or will. */
export class LeaseLostError extends CodedError<'LeaseLost'> {
  override readonly name = 'LeaseLostError'
}

/** Limit of the release. If the release fails, the successor waits for the lease duration. */
const releaseLimitMs = 1_000

export class Elector {
  readonly #options: ElectorOptions
  readonly #master: Gauge
  readonly #won = Promise.withResolvers<void>()
  #election: Election = notYetElected
  #isRunning = false
  #trouble: string | undefined
  #knownHolder: string | undefined

  constructor(options: ElectorOptions) {
    this.#options = options
    this.#master = options.instruments.metrics.gauge({
      name: 'leader_election_master_status',
      help: '1 while this process holds the Lease, 0 while it is a standby.',
      labels: ['name'],
    })
  }

  /** Resolves when this process becomes the leader; possibly never. */
  get elected(): Promise<void> {
    return this.#won.promise
  }

  /**
   * Problem that prevents this process from taking part, as one sentence; undefined if there is none, also for a
   * standby.
   */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Returns the state as text: `leads` or `stands by for <holder>`. */
  get standing(): string {
    if (this.#options.fence.isOpen) return 'leads'
    return this.#knownHolder === undefined ? 'stands by' : `stands by for ${this.#knownHolder}`
  }

  /**
   * Takes part until the signal aborts, also while the API server is unreachable. Then releases the Lease, within 1 s,
   * and resolves. The leader's work must have ended before the signal aborts. Rejects with a LeaseLostError if this
   * process led and lost the Lease.
   */
  async run(signal: AbortSignal): Promise<void> {
    assert(!this.#isRunning, 'an elector runs once')
    this.#isRunning = true
    this.#report()
    try {
      while (!signal.aborted) await this.#carryOut(nextStep(this.#election, this.#nowMs()), signal)
    } finally {
      this.#options.fence.close()
      this.#report()
    }
    await this.#release()
  }

  /** Rejects only with a LeaseLostError. */
  async #carryOut(step: ElectionStep, signal: AbortSignal): Promise<void> {
    switch (step.kind) {
      case 'wait':
        // Only the signal rejects, and then the loop ends.
        return sleep(this.#options.clock, step.untilMs - this.#nowMs(), signal).catch(() => {})
      case 'read':
        return this.#attempt((limit) => this.#look(limit), signal)
      case 'claim':
        return this.#attempt((limit) => this.#claim(step.lease, limit), signal)
      case 'lost':
        throw this.#lost(step.to)
      default:
        unreachable(step)
    }
  }

  /**
   * Sends one request, with half the renew deadline as its limit: a hanging request leaves time for a second one. Never
   * rejects.
   */
  async #attempt(request: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, random, timing } = this.#options
    const halfMs = timing.renewDeadlineMs / 2
    const leftMs = (this.#election.leadsUntilMs ?? Number.POSITIVE_INFINITY) - this.#nowMs()
    const limit = deadline(clock, Math.min(halfMs, leftMs), signal)
    try {
      await request(limit.signal)
      this.#trouble = undefined
    } catch (thrown) {
      const moment = { nowMs: this.#nowMs(), jitter: random.next() }
      if (isKubeError(thrown, 'Conflict', 'AlreadyExists')) {
        this.#election = afterConflict(this.#election, this.#options, moment)
      } else {
        this.#election = afterFailure(this.#election, this.#options, moment)
        if (!signal.aborted) this.#note(limit.hasPassed() ? 'the API server gave no answer in time' : messageOf(thrown))
      }
    } finally {
      limit.clear()
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { random } = this.#options
    const lease = await this.#readLease(signal)
    this.#election = afterRead(this.#election, lease, this.#options, { nowMs: this.#nowMs(), jitter: random.next() })
    this.#noteHolder(lease)
  }

  async #claim(lease: LiveObject | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, fieldManager, identity, timing, fence, lease: location } = this.#options
    const claim = { identity, durationMs: timing.durationMs }
    const isFirst = this.#election.leadsUntilMs === undefined
    const sentMs = this.#nowMs()
    const claimed = await (lease === undefined
      ? client.create(Lease, firstLease(location, claim, clock), { fieldManager }, signal)
      : client.patch(
          Lease,
          location,
          { type: 'merge', body: claimPatch(lease, claim, clock) },
          { fieldManager },
          signal,
        ))
    this.#election = afterClaim(this.#election, claimed, this.#options, { sentMs, nowMs: this.#nowMs() })
    const { leadsUntilMs } = this.#election
    if (leadsUntilMs === undefined) return
    fence.openUntil(leadsUntilMs)
    this.#noteHolder(claimed)
    if (isFirst) this.#begin()
  }

  #begin(): void {
    this.#report()
    this.#won.resolve()
  }

  /** Releases the Lease if this process holds it, or may hold it after an interrupted claim. Never rejects. */
  async #release(): Promise<void> {
    const { clock, client, fieldManager, identity, instruments, lease: location } = this.#options
    if (this.#election.leadsUntilMs === undefined && !this.#election.isStale) return
    const limit = deadline(clock, releaseLimitMs, new AbortController().signal)
    try {
      const lease = await this.#readLease(limit.signal)
      if (lease === undefined || holderOf(lease) !== identity) return
      await client.patch(Lease, location, { type: 'merge', body: releasePatch(lease) }, { fieldManager }, limit.signal)
      instruments.log.info({ ...location }, 'gave the lease back')
    } catch (thrown) {
      instruments.log.warn(
        { ...location, error: messageOf(thrown) },
        'the lease could not be given back; a standby takes it when it has run out',
      )
    } finally {
      limit.clear()
    }
  }

  #readLease(signal: AbortSignal): Promise<LiveObject | undefined> {
    return loadIfPresent(this.#options.client, Lease, this.#options.lease, signal)
  }

  /** Logs a problem once, and again when it changes. */
  #note(trouble: string): void {
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.#options.instruments.log.warn({ error: trouble }, 'the lease cannot be reached; trying again')
  }

  #noteHolder(lease: LiveObject | undefined): void {
    const { identity, instruments, lease: location } = this.#options
    const holder = lease === undefined ? undefined : holderOf(lease)
    if (holder === this.#knownHolder) return
    this.#knownHolder = holder
    if (holder === identity) instruments.log.info({ ...location, identity }, 'this process leads')
    else if (holder !== undefined)
      instruments.log.info({ ...location, identity, leader: holder }, 'another process leads')
  }

  #lost(to: string | undefined): LeaseLostError {
    const { lease, timing } = this.#options
    const why =
      to === undefined
        ? `could not be renewed within ${timing.renewDeadlineMs / 1000} s${this.#trouble === undefined ? '' : ` (${this.#trouble})`}`
        : `was taken by ${to}`
    return new LeaseLostError({
      code: 'LeaseLost',
      remedy: 'stop',
      message: `the lease ${lease.namespace}/${lease.name} ${why}; this process ends, so that only one leads; started again it stands by`,
    })
  }

  #report(): void {
    this.#master.set({ name: this.#options.lease.name }, this.#options.fence.isOpen ? 1 : 0)
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs()
  }
}
