// Makes the new side of an upgrade: roles, database, schema, owners, privileges and settings as on the old side, with or without its rows,
// and nobody who may log in. Whoever died over it is followed by one who begins anew; what is there as a whole is let be.
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { passwordFrom, type SecretSource } from '../../index.ts'
import { scratchExtensions } from '../backup/scratch-database.ts'
import type { DatabaseEngine, DatabaseServer } from '../engines/engine.ts'
import type { DatabaseGlobals } from '../engines/globals.ts'
import type { ArtifactCall, LogicalEngine } from '../engines/logical-engine.ts'
import { readGlobals, readLedger } from '../engines/postgres/globals/globals-client.ts'
import { scramVerifier } from '../engines/postgres/scram.ts'
import { type ServerAccess, signed } from '../engines/server-access.ts'
import {
  closingChanges,
  ownerChanges,
  roleChanges,
  type SideOrder,
  type SideStanding,
  sideRefusal,
  sideRole,
  sideStanding,
} from './new-side.ts'

export interface SideTools {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  /** Each as a superuser. */
  readonly old: ServerAccess
  readonly new: ServerAccess
  readonly secrets: SecretSource
  readonly workFolder: string
}

/** Two statements. */
export async function observeSide(order: SideOrder, server: DatabaseServer): Promise<SideStanding> {
  const role = sideRole(order)
  const { databases, roles } = await server.observe({ databases: [order.database], roles: [{ name: role }] })
  const hasRole = roles.length > 0
  const ledger = hasRole ? await readLedger(server, role) : undefined
  return sideStanding(order, { database: databases[0], hasRole, ledger })
}

/** Nothing of it is there afterwards. What is somebody else's, and what serves already, is let be. */
export async function removeSide(order: SideOrder, server: DatabaseServer): Promise<void> {
  const standing = await observeSide(order, server)
  if (standing.kind !== 'partial' && standing.kind !== 'prepared') return
  await server.dropDatabase(order.database, { force: true })
  const roles = [...standing.ledger.roles, sideRole(order)]
  await server.change(roles.map((role) => ({ kind: 'dropRole', role }) as const))
}

/** Rejects with what is wrong. */
export async function prepareSide(order: SideOrder, tools: SideTools, signal: AbortSignal): Promise<void> {
  await new SideWorker(order, tools, signal).run()
}

class SideWorker {
  readonly #order: SideOrder
  readonly #tools: SideTools
  readonly #signal: AbortSignal
  readonly #old: DatabaseServer
  readonly #new: DatabaseServer

  constructor(order: SideOrder, tools: SideTools, signal: AbortSignal) {
    this.#order = { ...order, token: signed(order.token, order.caller) }
    this.#tools = tools
    this.#signal = signal
    this.#old = tools.engine.server(tools.old, { caller: order.caller, signal })
    this.#new = tools.engine.server(tools.new, { caller: order.caller, signal })
  }

  async run(): Promise<void> {
    const standing = await observeSide(this.#order, this.#new)
    if (standing.kind === 'refused') throw standing.error
    if (standing.kind === 'opened') return
    if (standing.kind === 'prepared' && standing.ledger.holds === (this.#order.holds ?? 'schema')) return
    if (standing.kind !== 'missing') await removeSide(this.#order, this.#new)
    const globals = await this.#look()
    const folder = await mkdtemp(join(this.#tools.workFolder, 'prepare-'))
    try {
      await this.#make(globals, folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #look(): Promise<DatabaseGlobals> {
    const { database } = this.#order
    const { server: old } = await this.#old.observe({})
    const globals = await readGlobals(this.#old, { database, spared: sideRole(this.#order) })
    const seen = await this.#new.observe({ roles: globals.roles.map(({ name }) => ({ name })) })
    const there = seen.roles.map(({ name }) => name)
    const refusal = sideRefusal(globals, { old, new: seen.server }, there)
    if (refusal !== undefined) throw refusal
    return globals
  }

  async #make(globals: DatabaseGlobals, folder: string): Promise<void> {
    const { token, database, caller } = this.#order
    const role = sideRole(this.#order)
    const password = passwordFrom(this.#tools.secrets, 32)
    const verifier = scramVerifier({ password, salt: this.#tools.secrets.bytes(16) })
    await this.#new.change(roleChanges(this.#order, globals, verifier))
    const { encoding, collate: locale, connectionLimit } = globals.database
    await this.#new.createDatabase({ name: database, owner: role, token, encoding, locale, connectionLimit })
    await this.#new.change([{ kind: 'hardenDatabase', database }])
    const { schemas, changes } = scratchExtensions(globals.extensions, role)
    await this.#new.change(changes, { database })
    const { logical, new: access } = this.#tools
    const artifact = await this.#save(join(folder, 'side.dump'))
    const call = { ...artifact, database, caller, signal: this.#signal }
    await logical.restore({ ...call, access: { ...access, username: role, password }, prepared: { schemas } })
    await this.#new.change(ownerChanges(this.#order, globals, access.username), { database })
    await logical.restorePrivileges({ ...call, access })
    await this.#new.change(closingChanges(this.#order, globals))
  }

  async #save(artifactFile: string): Promise<Pick<ArtifactCall, 'artifactFile' | 'writtenBy'>> {
    const { logical, old: access } = this.#tools
    const { database, caller, holds } = this.#order
    const frozen = await logical.freeze({ access, database, caller, signal: this.#signal })
    try {
      const { toolVersion, content } = await frozen.dump({
        includes: holds === 'rows' ? 'withPrivileges' : 'schemaWithPrivileges',
      })
      await pipeline(Readable.from(content), createWriteStream(artifactFile, { mode: 0o600 }))
      return { artifactFile, writtenBy: Number.parseInt(toolVersion, 10) }
    } finally {
      await frozen.release()
    }
  }
}
