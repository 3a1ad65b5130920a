// Driver of one record in a zone: it observes the record and its owner, and carries out effects. It makes no decisions,
// and throws if it cannot tell the state.
import {
  CodedError,
  type ExternalCall,
  type ExternalChange,
  type ExternalDriver,
  type ExternalTools,
  type Observation,
} from '../../src/index.ts'
import { codeOf } from './directory-zone.ts'
import type { Zone } from './zone.ts'

/** Desired content of the record. */
export interface Address {
  readonly address: string
}

type Call = ExternalCall<Address>

export class ZoneDriver implements ExternalDriver<Address, Address> {
  readonly consistency = { visibilityDelayMs: 0, pollMs: 5_000, createTimeoutMs: 60_000 }
  readonly #zone: Zone
  readonly #tools: ExternalTools

  constructor(zone: Zone, tools: ExternalTools) {
    this.#zone = zone
    this.#tools = tools
  }

  async observe(call: Call): Promise<Observation<Address>> {
    const entry = await this.#ask('read', call, () => this.#zone.read(call.externalName))
    if (entry === undefined) return { kind: 'absent', proof: 'authoritative' }
    const { address, owner } = entry
    return { kind: 'available', providerID: `zone://${call.externalName}`, owner, observed: { address } }
  }

  async create(call: Call): Promise<void> {
    await this.#write(call, { isNew: true })
  }

  differences(desired: Address, observed: Address): readonly ExternalChange[] {
    if (desired.address === observed.address) return []
    return [{ reason: 'AddressChanged', message: `the address is ${observed.address}, not ${desired.address}` }]
  }

  async update(call: Call): Promise<void> {
    await this.#write(call, { isNew: false })
  }

  async delete(call: Call): Promise<void> {
    await this.#ask('remove', call, () => this.#zone.remove(call.externalName))
  }

  async #write(call: Call, options: { readonly isNew: boolean }): Promise<void> {
    const entry = { address: call.desired.address, owner: call.token }
    await this.#ask('write', call, () => this.#zone.write(call.externalName, entry, options))
  }

  /** Every call goes through the endpoint, which counts it, and rejects it while the zone is down for the namespace. */
  async #ask<T>(operation: string, { namespace, signal }: Call, work: () => Promise<T>): Promise<T> {
    return await this.#tools
      .endpoint(`zone/${this.#zone.name}`, namespace)
      .call(operation, () => work().catch(rejectWithCode), signal)
  }
}

/** A taken name is no failure of the zone; a folder without write permission is one, until a user changes its mode. */
function rejectWithCode(cause: unknown): never {
  const code = codeOf(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  if (code === 'EEXIST') throw new CodedError({ code: 'AlreadyExists', message, remedy: 'stop', cause })
  if (code !== 'EACCES') throw new CodedError({ code: 'ZoneUnreachable', message, remedy: 'retry', cause })
  throw new CodedError({ code: 'ZoneNotWritable', message, remedy: 'stop', retryAfterMs: 60_000, cause })
}
