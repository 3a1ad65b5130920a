// An instance's whole life, told by the runtime's own protocol against moto, where the operator dies at every single step: before and
// after each request to RDS has had its effect, and before and after each time the record is stored. However it goes, RDS carries
// out one creation, one modification and one deletion.
import { describe, expect, it } from 'vitest'
import { silentInstruments } from '../../../../src/base/instrument.ts'
import { seededRandom } from '../../../../src/base/random.ts'
import type { DesiredInstance } from '../../../../src/controllers/database/rds/instance.ts'
import { InstanceDriver } from '../../../../src/controllers/database/rds/instance-driver.ts'
import { Endpoints } from '../../../../src/external/endpoints.ts'
import type { ExternalRecord } from '../../../../src/external/external.ts'
import type { Found } from '../../../../src/external/pass.ts'
import { openGate, ProtocolRunner } from '../../../../src/external/protocol-runner.ts'
import { SimClock } from '../../../../src/testing/sim-clock.ts'
import { crashPlaces } from '../../../fault-lab/crash-places.ts'
import { rdsForSuite } from '../../../rds/on-rds.ts'
import type { RdsProxy } from '../../../rds/rds-proxy.ts'
import { desiredInstance, token } from './instances.ts'

const startRds = rdsForSuite()
const identifier = 'konverge-shop-crm-1b4e28ba'
const pace = { hidden: 2, creating: 3, deleting: 2, snapshot: 2 }
const asMade = desiredInstance({ deletionProtection: false })
const asChanged = desiredInstance({ deletionProtection: false, instanceClass: 'db.m5.large', multiAZ: true })
const asRemoved = { ...asChanged, finalSnapshot: 'final-1b4e28ba' }

/** Forty lives against a server in Python, all told; in the gate a third of them. */
const exhaustive = { timeout: 300_000 }
const stride = 3

describe('an operator that dies', () => {
  it('at any step of an instance’s life comes to the same end', exhaustive, async () => {
    const rds = await startRds()
    const whole = await wholeLife(rds, {})
    expect(whole.deeds).toEqual({ create: 1, modify: 1, delete: 1 })
    expect(whole.requests).toBeGreaterThan(12)
    expect(whole.stores).toBe(2)
    const verdicts = ['cutBefore', 'cutAfter'] as const
    const all = requestsOf(whole).flatMap((request) => verdicts.map((verdict) => ({ request, verdict })))
    for (const { request, verdict } of crashPlaces(all, 1, stride)) {
      const { deeds } = await wholeLife(rds, { request, verdict })
      expect(deeds, `request ${request}, ${verdict}`).toEqual(whole.deeds)
    }
    for (let store = 1; store <= whole.stores; store++) {
      for (const isStored of [false, true]) {
        const { deeds } = await wholeLife(rds, { store, isStored })
        expect(deeds, `store ${store}, ${isStored}`).toEqual(whole.deeds)
      }
    }
  })
})

describe('an operator that lives', () => {
  it.each(['cutAfter', { code: 'Throttling', status: 400 }] as const)(
    'goes on after any request that failed (%o)',
    exhaustive,
    async (verdict) => {
      const rds = await startRds()
      const whole = await wholeLife(rds, {})
      for (const request of crashPlaces(requestsOf(whole), 2, stride)) {
        const { deeds } = await wholeLife(rds, { request, verdict, survives: true })
        expect(deeds, `request ${request}`).toEqual(whole.deeds)
      }
    },
  )

  it('makes no second instance when the first is not to be seen for longer than was thought', async () => {
    const rds = await startRds()
    rds.pace = { ...pace, hidden: 6 }
    const world = new World(rds, {})
    await world.until('available', asMade)
    expect(rds.records.filter(({ action }) => action === 'CreateDBInstance').length).toBeGreaterThan(1)
    expect(rds.effective('CreateDBInstance')).toBe(1)
  })

  it('does nothing to an instance of this name that is somebody else’s', async () => {
    const rds = await startRds()
    const theirs = new World(rds, { uid: 'theirs' })
    await theirs.until('available', asMade)
    rds.forget()
    const found = await new World(rds, {}).pass(asMade)
    expect(found.standing).toMatchObject({ state: 'notOwned', reason: 'NotOwned', end: 'stopped' })
    expect(rds.actions).toEqual(['DescribeDBInstances'])
  })

  it('tells of an instance that somebody has deleted, and makes no empty one in its place', async () => {
    const rds = await startRds()
    const world = new World(rds, {})
    await world.until('available', asMade)
    await new World(rds, { record: world.record }).until('gone', asMade, 'dissolve')
    rds.forget()
    await world.until('vanished', asMade)
    expect(rds.effective('CreateDBInstance')).toBe(0)
  })

  it('puts right what somebody has changed, or only says so', async () => {
    const rds = await startRds()
    const world = new World(rds, {})
    await world.until('available', asMade)
    await new World(rds, { record: world.record }).until('available', asChanged)
    const reported = await world.pass(asMade, { driftPolicy: 'Report' })
    expect(reported.drift.map(({ reason }) => reason)).toEqual(['InstanceClassChanged', 'MultiAZChanged'])
    const corrected = await world.pass(asMade)
    expect(corrected.corrected.map(({ reason }) => reason)).toEqual(['InstanceClassChanged', 'MultiAZChanged'])
    expect(corrected.standing).toMatchObject({ state: 'available', reason: 'AsDesired' })
  })

  it('tells what keeps a broken instance, and removes it all the same', async () => {
    const rds = await startRds()
    const world = new World(rds, {})
    await world.until('available', asMade)
    rds.setWord(identifier, 'failed')
    const { standing } = await world.pass(asMade)
    expect(standing).toMatchObject({ state: 'broken', reason: 'Failed', end: 'stopped' })
    await world.until('gone', asMade, 'dissolve')
    expect(rds.effective('DeleteDBInstance')).toBe(1)
  })
})

interface Blow {
  /** The request at which it strikes, from 1. */
  readonly request?: number
  readonly verdict?: 'cutBefore' | 'cutAfter' | { readonly code: string; readonly status: number }
  /** The operator goes on; else it dies of it. */
  readonly survives?: boolean
  /** The storing of a record at which it dies, from 1; `isStored`: after it. */
  readonly store?: number
  readonly isStored?: boolean
}

function requestsOf({ requests }: { readonly requests: number }): readonly number[] {
  return Array.from({ length: requests }, (_, at) => at + 1)
}

/** Made, changed and removed with a snapshot; then nothing of it is left but that. */
async function wholeLife(rds: RdsProxy, blow: Blow) {
  rds.pace = pace
  rds.forget()
  const { request, verdict = 'pass' } = blow
  rds.judge = ({ index }) => (index === request ? verdict : 'pass')
  const world = new World(rds, { blow })
  await world.until('available', asMade)
  world.generation = 2
  await world.until('available', asChanged)
  expect(world.record).toMatchObject({ phase: 'Available', appliedGeneration: 2, token })
  await world.until('gone', asRemoved, 'dissolve')
  expect(world.record).toBeUndefined()
  const deeds = {
    create: rds.effective('CreateDBInstance'),
    modify: Math.min(1, rds.effective('ModifyDBInstance')),
    delete: rds.effective('DeleteDBInstance'),
  }
  // A modification may be asked for again before it shows; that is the same modification.
  expect(rds.effective('ModifyDBInstance')).toBeLessThanOrEqual(request === undefined ? 1 : 2)
  const requests = rds.records.length
  await rds.reset()
  return { deeds, requests, stores: world.stores }
}

class Death extends Error {}

/** A resource's status, and the operators that live one after the other. */
class World {
  record: ExternalRecord | undefined
  generation = 1
  stores = 0
  readonly #clock = new SimClock()
  readonly #rds: RdsProxy
  readonly #blow: Blow
  readonly #uid: string
  #runner: ProtocolRunner

  constructor(
    rds: RdsProxy,
    options: {
      readonly blow?: Blow
      readonly uid?: string
      readonly record?: ExternalRecord | undefined
    },
  ) {
    this.#rds = rds
    this.#blow = options.blow ?? {}
    this.#uid = options.uid ?? token.uid
    this.record = options.record
    this.#runner = this.#life()
  }

  /** Passes, half a minute apart, until it stands so. */
  async until(state: string, desired: DesiredInstance, way: 'establish' | 'dissolve' = 'establish'): Promise<void> {
    const seen: string[] = []
    for (let passes = 0; passes < 40; passes++) {
      const before = this.#rds.records.length
      const { standing } = await this.#mortal(() => this.pass(desired, {}, way))
      seen.push(`${standing.state}: ${standing.message}`)
      const { request = Number.POSITIVE_INFINITY, survives = false } = this.#blow
      const isDead = !survives && before < request && request <= this.#rds.records.length
      if (isDead) this.#runner = this.#life()
      else if (standing.state === state) return
      await this.#clock.advance(30_000)
    }
    throw new Error(`It never was ${state}:\n${seen.join('\n')}`)
  }

  async pass(
    desired: DesiredInstance,
    policies: { readonly driftPolicy?: 'Report' } = {},
    way: 'establish' | 'dissolve' = 'establish',
  ): Promise<Found> {
    const before = this.#rds.records.length
    const pass = {
      token: { uid: this.#uid, generation: this.generation },
      record: this.record,
      cadenceMs: 300_000,
      store: (record: ExternalRecord) => this.#store(record),
      logFields: {},
      signal: new AbortController().signal,
    }
    const found =
      way === 'establish'
        ? await this.#runner.establish({ kind: 'wanted', externalName: identifier, desired, ...policies }, pass)
        : await this.#runner.dissolve(desired, pass)
    const { request = Number.POSITIVE_INFINITY, survives = false } = this.#blow
    const isDead = !survives && before < request && request <= this.#rds.records.length
    // What the turn of a dead operator came to, nobody has written down.
    if (!isDead) this.record = found.record
    return found
  }

  async #store(record: ExternalRecord): Promise<void> {
    this.stores += 1
    const { store, isStored } = this.#blow
    if (this.stores === store && isStored === false) throw new Death()
    this.record = record
    if (this.stores === store) throw new Death()
  }

  async #mortal(turn: () => Promise<Found>): Promise<Found> {
    try {
      return await turn()
    } catch (thrown) {
      if (!(thrown instanceof Death)) throw thrown
      this.#runner = this.#life()
      return await turn()
    }
  }

  #life(): ProtocolRunner {
    const shared = { clock: this.#clock, random: seededRandom(1), ...silentInstruments }
    const limit = { perSecond: 1_000, burst: 1_000 }
    const endpoints = new Endpoints({ ...shared, instruments: silentInstruments, limit })
    const tools = { ...shared, endpoint: (name: string) => endpoints.endpoint(name), atStop: () => {} }
    const driver = new InstanceDriver(tools, { endpoint: this.#rds.url })
    return new ProtocolRunner({ ...shared, name: 'instance', driver, gate: openGate })
  }
}
