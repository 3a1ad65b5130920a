import { describe, expect, it } from 'vitest'
import type { Instruments, LogFields } from '../../src/base/instrument.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Location, Patch, PatchOptions } from '../../src/kube/client.ts'
import { Fence } from '../../src/kube/fence.ts'
import { untilAborted } from '../../src/kube/shared-runner.ts'
import { Lease } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import type { Resource } from '../../src/object/resource.ts'
import { defaultTiming } from '../../src/operator/election.ts'
import { Elector, LeaseLostError } from '../../src/operator/elector.ts'
import { leaseSpecOf } from '../../src/operator/lease.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { at, failure, ModelApi, type ModelRequest } from '../model-api.ts'

const lease = { namespace: 'ops', name: 'konverge' }
const fieldManager = 'konverge-lease'
const { durationMs, renewDeadlineMs, retryPeriodMs } = defaultTiming
const lookMs = retryPeriodMs * 1.2

/** API server that can leave patches unanswered. */
class SilentApi extends ModelApi {
  isSilent = false

  override async patch(
    resource: Resource,
    location: Location,
    patch: Patch,
    options: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    if (this.isSilent) await untilAborted(new Promise<never>(() => {}), signal)
    return super.patch(resource, location, patch, options, signal)
  }
}

class Ballot {
  readonly clock = new SimClock()
  readonly api = new SilentApi(this.clock)
  readonly logged: { readonly fields: LogFields; readonly message: string }[] = []

  get lease() {
    const found = this.api.find(Lease, 'ops/konverge')
    return found === undefined ? undefined : leaseSpecOf(found)
  }

  async stand(identity: string): Promise<Runner> {
    const runner = new Runner(this, identity)
    await this.clock.advance(0)
    return runner
  }
}

class Runner {
  readonly fence: Fence
  readonly metrics = new PrometheusMetrics()
  readonly elector: Elector
  readonly #stop = new AbortController()
  readonly #clock: SimClock
  readonly #ended: Promise<unknown>
  isElected = false

  constructor(ballot: Ballot, identity: string) {
    const { clock, api, logged } = ballot
    const note = (fields: LogFields, message: string) => void logged.push({ fields: { ...fields, identity }, message })
    const log: Instruments['log'] = { ...silentInstruments.log, info: note, warn: note }
    const instruments = { ...silentInstruments, log, metrics: this.metrics }
    this.#clock = clock
    this.fence = new Fence(clock)
    const its = { identity, timing: defaultTiming, lease, fieldManager, fence: this.fence }
    this.elector = new Elector({ clock, random: seededRandom(7), instruments, client: api, ...its })
    this.elector.elected.then(() => {
      this.isElected = true
    })
    this.#ended = this.elector.run(this.#stop.signal).then(
      () => 'in order',
      (thrown: unknown) => thrown,
    )
  }

  async stop(): Promise<unknown> {
    this.#stop.abort()
    await this.#clock.advance(0)
    return this.#ended
  }

  /** Result of the run, which has ended. */
  get ended(): Promise<unknown> {
    return this.#ended
  }

  async master(): Promise<string | undefined> {
    return /^leader_election_master_status\{.*\} (\d)$/m.exec(await this.metrics.text())?.[1]
  }
}

const isClaimOf =
  (identity: string) =>
  ({ plural, body }: ModelRequest) =>
    plural === 'leases' && JSON.stringify(body ?? null).includes(`"holderIdentity":"${identity}"`)

/** Makes the API server reject the writes of this candidate. */
const cutOff = (api: ModelApi, identity: string) => {
  api.before = (request) => {
    if (isClaimOf(identity)(request)) throw failure('Unreachable', 'no route to the API server')
  }
}

describe('two candidates', () => {
  it('have one leader; the other reports that it stands by, without a problem', async () => {
    const ballot = new Ballot()
    const [a, b] = [await ballot.stand('a'), await ballot.stand('b')]
    await ballot.clock.advance(60_000)
    expect([a.isElected, a.fence.isOpen, await a.master()]).toEqual([true, true, '1'])
    expect([b.isElected, b.fence.isOpen, await b.master()]).toEqual([false, false, '0'])
    expect([a.elector.standing, b.elector.standing]).toEqual(['leads', 'stands by for a'])
    expect(b.elector.trouble).toBeUndefined()
    expect(ballot.lease).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 })
    await a.stop()
    await b.stop()
  })

  it('hand over at the next read when the leader stops in order', async () => {
    const ballot = new Ballot()
    const [a, b] = [await ballot.stand('a'), await ballot.stand('b')]
    await ballot.clock.advance(30_000)
    expect(await a.stop()).toBe('in order')
    expect(ballot.lease).toEqual({ leaseTransitions: 0 })
    expect([a.fence.isOpen, await a.master()]).toEqual([false, '0'])
    await ballot.clock.advance(lookMs)
    expect(b.isElected).toBe(true)
    expect(ballot.lease).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
    await b.stop()
  })

  it('hand over when the leader cannot renew: it ends before the other starts', async () => {
    const ballot = new Ballot()
    const [a, b] = [await ballot.stand('a'), await ballot.stand('b')]
    await ballot.clock.advance(20_000)
    cutOff(ballot.api, 'a')
    const writes = ballot.api.writes.length
    await ballot.clock.advance(renewDeadlineMs)
    expect(await a.ended).toBeInstanceOf(LeaseLostError)
    expect(String(await a.ended)).toMatch(
      /the lease ops\/konverge could not be renewed within 10 s \(no route to the API server\); this process ends/,
    )
    expect([a.fence.isOpen, await a.master(), b.isElected]).toEqual([false, '0', false])
    expect(ballot.lease, 'who has lost gives nothing back').toMatchObject({ holderIdentity: 'a' })
    expect(ballot.api.writes.length, 'it tried until the end').toBeGreaterThan(writes + 3)
    await ballot.clock.advance(durationMs - renewDeadlineMs + lookMs)
    expect([b.isElected, b.fence.isOpen]).toEqual([true, true])
    await b.stop()
  })

  it('hand over when a user edits the holder', async () => {
    const ballot = new Ballot()
    const a = await ballot.stand('a')
    await ballot.clock.advance(5_000)
    ballot.api.edit(Lease, 'ops/konverge', { spec: { holderIdentity: 'somebody' } })
    await ballot.clock.advance(retryPeriodMs + 200)
    expect(String(await a.ended)).toMatch(/was taken by somebody; this process ends/)
  })
})

describe('a leader', () => {
  it('survives a hanging request, and the loss of its Lease by hand', async () => {
    const ballot = new Ballot()
    const a = await ballot.stand('a')
    await ballot.clock.advance(10_000)
    ballot.api.isSilent = true
    await ballot.clock.advance(renewDeadlineMs / 2)
    ballot.api.isSilent = false
    await ballot.clock.advance(30_000)
    expect(a.fence.isOpen).toBe(true)
    ballot.api.remove(Lease, 'ops/konverge')
    await ballot.clock.advance(30_000)
    expect([a.fence.isOpen, ballot.lease?.holderIdentity]).toEqual([true, 'a'])
    await a.stop()
  })

  it('closes its fence while no request is answered, and ends', async () => {
    const ballot = new Ballot()
    const a = await ballot.stand('a')
    await ballot.clock.advance(10_000)
    ballot.api.isSilent = true
    await ballot.clock.advance(renewDeadlineMs)
    expect(a.fence.isOpen).toBe(false)
    expect(String(await a.ended)).toMatch(/could not be renewed within 10 s \(the API server gave no answer in time\)/)
  })

  it('reads the Lease and leads after an unanswered first claim', async () => {
    const ballot = new Ballot()
    ballot.api.after = (request) => {
      if (!isClaimOf('a')(request)) return
      ballot.api.after = () => {}
      throw failure('Unreachable', 'connection reset')
    }
    const a = await ballot.stand('a')
    expect([a.isElected, ballot.lease?.holderIdentity]).toEqual([false, 'a'])
    await ballot.clock.advance(lookMs)
    expect(a.isElected).toBe(true)
    await a.stop()
  })

  it('releases the Lease when it stops during a claim', async () => {
    const ballot = new Ballot()
    const a = await ballot.stand('a')
    await ballot.clock.advance(retryPeriodMs - 1)
    ballot.api.isSilent = true
    await ballot.clock.advance(1)
    ballot.api.isSilent = false
    expect(await a.stop()).toBe('in order')
    expect(ballot.lease).toEqual({ leaseTransitions: 0 })
  })

  it('stops within a second if the release fails', async () => {
    const ballot = new Ballot()
    const a = await ballot.stand('a')
    ballot.api.isSilent = true
    const stopped = a.stop()
    await ballot.clock.advance(1_000)
    expect(await stopped).toBe('in order')
    expect(ballot.logged.at(-1)?.message).toMatch(/could not be given back/)
  })
})

describe('a candidate without rights on the Lease', () => {
  it('reports it once, retries, and takes part when it gets the rights', async () => {
    const ballot = new Ballot()
    ballot.api.before = ({ plural }) => {
      if (plural === 'leases') throw failure('Forbidden', 'get Lease ops/konverge: user "u" may not get leases')
    }
    const a = await ballot.stand('a')
    await ballot.clock.advance(10 * 60_000)
    expect(a.elector.trouble).toBe('get Lease ops/konverge: user "u" may not get leases')
    expect(ballot.logged).toHaveLength(1)
    ballot.api.before = () => {}
    await ballot.clock.advance(lookMs)
    expect([a.elector.trouble, a.isElected]).toEqual([undefined, true])
    await a.stop()
  })
})

describe('a standby', () => {
  it('only reads the Lease, about every period, and leaves nothing behind', async () => {
    const ballot = new Ballot()
    const [a, b] = [await ballot.stand('a'), await ballot.stand('b')]
    await ballot.clock.advance(60_000)
    const writesOfB = ballot.api.requests.filter(isClaimOf('b'))
    expect(writesOfB).toEqual([])
    const looks = ballot.api.requests.filter(({ verb }) => verb === 'get').length
    expect(looks).toBeGreaterThan(60_000 / lookMs - 2)
    expect(looks).toBeLessThan(60_000 / retryPeriodMs + 4)
    expect(await b.stop()).toBe('in order')
    expect(at(ballot.api.find(Lease, 'ops/konverge'), 'spec', 'holderIdentity')).toBe('a')
    await a.stop()
  })
})
