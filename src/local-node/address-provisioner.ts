// Which addresses of this machine are this node's alone? A part of each range: it listens at the part's address 0, which is nobody else's,
// for as long as it lives, so that the kernel lets no second node have it and gives it back however the node ends. A part where something
// still listens, such as the programs of a node that was killed, is left alone.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { assert } from '../base/assert.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { isJsonObject } from '../base/json.ts'
import { listeningAddresses } from './listening-addresses.ts'
import { NodeError } from './node-reconciler.ts'
import { isInPart, partAt, partCount } from './pod-address.ts'
import { privateFileMode } from './private-folder-provisioner.ts'

export interface AddressProvisionerOptions {
  readonly log: Log
  /** The node's data folder: a later life asks for the same parts first. */
  readonly folder: string
  /** The first two bytes of each range. */
  readonly ranges: Readonly<Record<Range, string>>
}

type Range = 'pods' | 'services'
/** By range, the first three bytes. */
type Parts = Readonly<Record<Range, string>>

/** Below the ports that the kernel hands out, and nobody's in IANA's list. */
export const claimPort = 12_750

export class AddressProvisioner {
  readonly #options: AddressProvisionerOptions
  readonly #claims: Server[] = []
  #parts: Parts | undefined
  #former: Partial<Parts> = {}

  constructor(options: AddressProvisionerOptions) {
    this.#options = options
  }

  /** Throws a NodeError if other nodes have all there is. */
  async claim(): Promise<void> {
    const path = join(this.#options.folder, 'addresses.json')
    this.#former = read(path)
    const { pods, services } = this.#former
    this.#parts = { pods: await this.#claim('pods', pods), services: await this.#claim('services', services) }
    writeFileSync(path, JSON.stringify(this.#parts), { mode: privateFileMode })
  }

  async release(): Promise<void> {
    const claims = this.#claims.splice(0)
    await Promise.all(claims.map((server) => once(server.close(), 'close')))
  }

  partOf(range: Range): string {
    assert(this.#parts !== undefined, 'addresses are claimed before they are given')
    return this.#parts[range]
  }

  /** Was it a Service's of this node in an earlier life, and may be of another node's by now? */
  isLost(address: string | undefined): boolean {
    const { services } = this.#former
    return services !== undefined && isInPart(services, address) && services !== this.partOf('services')
  }

  async #claim(range: Range, former: string | undefined): Promise<string> {
    const { log, ranges } = this.#options
    const all = Array.from({ length: partCount }, (_, index) => partAt(ranges[range], index))
    const parts = former !== undefined && all.includes(former) ? [former, ...all] : all
    for (const part of parts) {
      const server = await listen(`${part}.0`)
      if (server === undefined) continue
      if (server instanceof Error) {
        // Machines other than Linux have what somebody gave them.
        log.warn({ part, error: messageOf(server) }, 'nothing keeps other nodes from the addresses of this one')
        return part
      }
      if (!isLeftAlone(part)) {
        server.close()
        continue
      }
      this.#claims.push(server)
      return part
    }
    const message = `claim addresses for ${range}: other nodes of this machine have all of ${ranges[range]}.0.0/16; end one of them`
    throw new NodeError({ code: 'NoAddresses', message, remedy: 'stop' })
  }
}

/** Undefined if somebody else listens there; an error if nobody can. */
async function listen(host: string): Promise<Server | Error | undefined> {
  const server = createServer((socket) => socket.destroy())
  try {
    // Not even another worker of a cluster of Node's.
    await once(server.listen({ host, port: claimPort, exclusive: true }), 'listening')
    return server
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    return 'code' in thrown && thrown.code === 'EADDRINUSE' ? undefined : thrown
  }
}

/** By all but who claims it. */
function isLeftAlone(part: string): boolean {
  let table = ''
  try {
    table = readFileSync('/proc/net/tcp', 'utf8')
  } catch {
    // Only Linux has it.
  }
  return ![...listeningAddresses(table)].some((address) => isInPart(part, address) && address !== `${part}.0`)
}

/** What an earlier life had; nothing if there was none, or its file is not whole. */
function read(path: string): Partial<Parts> {
  try {
    const parts: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isJsonObject(parts)) return {}
    const { pods, services } = parts
    return { ...(typeof pods === 'string' ? { pods } : {}), ...(typeof services === 'string' ? { services } : {}) }
  } catch {
    return {}
  }
}
