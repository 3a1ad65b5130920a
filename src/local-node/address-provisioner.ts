// Address claims of a node. Invariant: a part of an address range belongs to one node of this machine. The node listens
// at address 0 of the part while it lives. So the kernel excludes a second node, and releases the claim however the
// node ends. The node skips a part where another program still listens, such as a pod of a killed node.
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
  /** Data folder of the node; a restarted node claims the same parts first. */
  readonly folder: string
  /** First two bytes of each range. */
  readonly ranges: Readonly<Record<Range, string>>
}

type Range = 'pods' | 'services'
/** First three bytes of the claimed part of each range. */
type Parts = Readonly<Record<Range, string>>

/** Port of the claim: below the kernel's ephemeral ports, and unassigned by IANA. */
export const claimPort = 12_750

export class AddressProvisioner {
  readonly #options: AddressProvisionerOptions
  readonly #claims: Server[] = []
  #parts: Parts | undefined
  #former: Partial<Parts> = {}

  constructor(options: AddressProvisionerOptions) {
    this.#options = options
  }

  /** Claims a part of each range. Throws a NodeError if other nodes hold all parts. */
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

  /** Returns whether this node gave the address to a Service before its restart, and another node may own it now. */
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
        // Machines other than Linux have only configured loopback addresses.
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

/** Listens at the claim port. Undefined if another process listens there; an error if no process can. */
async function listen(host: string): Promise<Server | Error | undefined> {
  const server = createServer((socket) => socket.destroy())
  try {
    // Excludes other workers of a Node.js cluster too.
    await once(server.listen({ host, port: claimPort, exclusive: true }), 'listening')
    return server
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    return 'code' in thrown && thrown.code === 'EADDRINUSE' ? undefined : thrown
  }
}

/** Returns whether no program listens in the part, except for its claim. */
function isLeftAlone(part: string): boolean {
  let table = ''
  try {
    table = readFileSync('/proc/net/tcp', 'utf8')
  } catch {
    // Only Linux has this file.
  }
  return ![...listeningAddresses(table)].some((address) => isInPart(part, address) && address !== `${part}.0`)
}

/** Reads the parts of the previous run; empty if there was none, or if the file is invalid. */
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
