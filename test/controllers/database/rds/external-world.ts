// One RDS resource, run by the runtime's own protocol against moto. Its operators die at requests to RDS or while the
// journal entry is stored.
import { silentInstruments } from '../../../../src/base/instrument.ts'
import { seededRandom } from '../../../../src/base/random.ts'
import { Endpoints } from '../../../../src/external/endpoints.ts'
import type { ExternalDriver, ExternalRecord, ExternalTools } from '../../../../src/external/external.ts'
import type { Found } from '../../../../src/external/pass.ts'
import { openGate, ProtocolRunner } from '../../../../src/external/protocol-runner.ts'
import { SimClock } from '../../../../src/testing/sim-clock.ts'
import type { RdsProxy } from '../../../rds/rds-proxy.ts'
import { token } from './instances.ts'

export interface RdsBlow {
  /** Number of the request at which the fault is injected, from 1. */
  readonly request?: number
  readonly verdict?: 'cutBefore' | 'cutAfter' | { readonly code: string; readonly status: number }
  /** The operator survives the fault. Default: it dies. */
  readonly survives?: boolean
  /** Number of the store at which it dies, from 1. `isStored`: after the store. */
  readonly store?: number
  readonly isStored?: boolean
}

export interface ExternalKind<Desired, Observed> {
  readonly name: string
  readonly externalName: string
  driverOf(tools: ExternalTools, endpoint: string): ExternalDriver<Desired, Observed>
}

export interface WorldOptions {
  readonly blows?: readonly RdsBlow[]
  readonly uid?: string
  readonly record?: ExternalRecord | undefined
}

class Death extends Error {}

/** A resource's status, and successive operator processes. */
export class ExternalWorld<Desired, Observed> {
  record: ExternalRecord | undefined
  generation = 1
  stores = 0
  readonly #clock = new SimClock()
  readonly #rds: RdsProxy
  readonly #kind: ExternalKind<Desired, Observed>
  readonly #blows: readonly RdsBlow[]
  readonly #uid: string
  #runner: ProtocolRunner

  constructor(rds: RdsProxy, kind: ExternalKind<Desired, Observed>, options: WorldOptions) {
    this.#rds = rds
    this.#kind = kind
    this.#blows = options.blows ?? []
    this.#uid = options.uid ?? token.uid
    this.record = options.record
    this.#runner = this.#life()
  }

  /** Runs passes, half a minute apart, until it has this state. */
  async until(state: string, desired: Desired, way: 'establish' | 'dissolve' = 'establish'): Promise<void> {
    const seen: string[] = []
    for (let passes = 0; passes < 40; passes++) {
      const before = this.#rds.records.length
      const { standing } = await this.#mortal(() => this.pass(desired, {}, way))
      seen.push(`${standing.state}: ${standing.message}`)
      if (this.#hasDiedSince(before)) this.#runner = this.#life()
      else if (standing.state === state) return
      await this.#clock.advance(30_000)
    }
    throw new Error(`It never was ${state}:\n${seen.join('\n')}`)
  }

  async pass(
    desired: Desired,
    policies: { readonly driftPolicy?: 'Report' } = {},
    way: 'establish' | 'dissolve' = 'establish',
  ): Promise<Found> {
    const before = this.#rds.records.length
    const pass = {
      namespace: 'shop',
      token: { uid: this.#uid, generation: this.generation },
      record: this.record,
      cadenceMs: 300_000,
      store: (record: ExternalRecord) => this.#store(record),
      logFields: {},
      signal: new AbortController().signal,
    }
    const found =
      way === 'establish'
        ? await this.#runner.establish(
            { kind: 'wanted', externalName: this.#kind.externalName, desired, ...policies },
            pass,
          )
        : await this.#runner.dissolve(desired, pass)
    // The result of a dead operator's reconciliation is not stored.
    if (!this.#hasDiedSince(before)) this.record = found.record
    return found
  }

  /** Returns whether it died at a later request. */
  #hasDiedSince(before: number): boolean {
    const now = this.#rds.records.length
    return this.#blows.some(({ request = 0, survives = false }) => !survives && before < request && request <= now)
  }

  async #store(record: ExternalRecord): Promise<void> {
    this.stores += 1
    const blow = this.#blows.find(({ store }) => store === this.stores)
    if (blow?.isStored === false) throw new Death()
    this.record = record
    if (blow !== undefined) throw new Death()
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
    const endpoints = new Endpoints({ ...shared, instruments: silentInstruments, limit, share: limit })
    const tools = {
      ...shared,
      endpoint: (name: string, namespace: string) => endpoints.endpoint(name, namespace),
      atStop: () => {},
    }
    const { name, driverOf } = this.#kind
    // Sound: it receives only desired states of this fixture.
    const driver = driverOf(tools, this.#rds.url) as ExternalDriver<unknown, unknown>
    return new ProtocolRunner({ ...shared, name, driver, gate: openGate })
  }
}
