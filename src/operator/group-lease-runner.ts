// Group Lease: holds the Lease of the operator for all its members together. Invariant: members and a process without
// shards never reconcile at the same time; no member takes a slot before. The Lease is not renewed. It lasts for ten
// years; to return to one leader, an administrator deletes it.
import { type Clock, deadline, sleep } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { KubeClient } from '../kube/client.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { Lease } from '../object/built-in.ts'
import type { LiveObject } from '../object/object.ts'
import { afterRead, type ElectionTiming, nextStep, notYetElected } from './election.ts'
import { claimPatch, firstLease, holderOf, type LeaseLocation } from './lease.ts'

export interface GroupLeaseRunnerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Unfenced client. */
  readonly client: KubeClient
  readonly fieldManager: string
  /** Lease of the operator: without shards, its leader holds it. */
  readonly lease: LeaseLocation
  readonly timing: ElectionTiming
}

/** Duration of the Lease. */
const groupDurationMs = 10 * 365 * 24 * 3_600_000

export class GroupLeaseRunner {
  readonly #options: GroupLeaseRunnerOptions
  #election = notYetElected
  #message: string | undefined

  constructor(options: GroupLeaseRunnerOptions) {
    this.#options = options
  }

  /**
   * Resolves when the members hold the Lease, however long an earlier leader lives. Rejects with the signal's reason.
   */
  async hold(signal: AbortSignal): Promise<void> {
    const { clock, random, timing } = this.#options
    while (!(await this.#look(signal))) {
      await sleep(clock, timing.retryPeriodMs * (1 + random.next() / 10), signal)
    }
  }

  async #look(signal: AbortSignal): Promise<boolean> {
    const { clock, client, random, lease: location, timing } = this.#options
    const limit = deadline(clock, timing.renewDeadlineMs / 2, signal)
    try {
      const lease = await loadIfPresent(client, Lease, location, limit.signal)
      const holder = lease && holderOf(lease)
      if (holder === this.#identity) return true
      const nowMs = clock.monotonicMs()
      const candidate = { identity: this.#identity, timing }
      this.#election = afterRead(this.#election, lease, candidate, { nowMs, jitter: random.next() })
      const step = nextStep({ ...this.#election, dueMs: nowMs }, nowMs)
      if (step.kind === 'claim') return await this.#claim(step.lease, limit.signal)
      this.#say(`${holder ?? 'an earlier holder'} holds the Lease and works without shards; members wait until it ends`)
    } catch (thrown) {
      signal.throwIfAborted()
      this.#say(limit.hasPassed() ? 'the API server gave no answer in time' : messageOf(thrown))
    } finally {
      limit.clear()
    }
    return false
  }

  async #claim(lease: LiveObject | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, clock, fieldManager, lease: location } = this.#options
    const claim = { identity: this.#identity, durationMs: groupDurationMs }
    await (lease === undefined
      ? client.create(Lease, firstLease(location, claim, clock), { fieldManager }, signal)
      : client.patch(
          Lease,
          location,
          { type: 'merge', body: claimPatch(lease, claim, clock) },
          { fieldManager },
          signal,
        ))
    return true
  }

  get #identity(): string {
    return `${this.#options.lease.name}-members`
  }

  /** Logs a message once, and again when it changes. */
  #say(message: string): void {
    if (message === this.#message) return
    this.#message = message
    this.#options.instruments.log.info({ ...this.#options.lease }, message)
  }
}
