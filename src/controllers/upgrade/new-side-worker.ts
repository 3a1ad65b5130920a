// Creates the target of an upgrade like the source: roles, database, schema, owners, privileges and settings, with or
// without rows. No role may log in. After an interruption the next worker starts from scratch; a complete target stays.
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ExternalTools, passwordFrom, type SecretSource, sleep } from '../../index.ts'
import { scratchExtensions } from '../backup/scratch-database.ts'
import type { DatabaseEngine, DatabaseServer } from '../engines/engine.ts'
import { EngineError } from '../engines/engine-error.ts'
import type { DatabaseGlobals } from '../engines/globals.ts'
import type { LogPosition } from '../engines/log-position.ts'
import type { ArtifactCall, FreezeCall, LogicalEngine } from '../engines/logical-engine.ts'
import type { ObservedDatabase, ObservedRole } from '../engines/observed-server.ts'
import { readGlobals, readLedger } from '../engines/postgres/globals/globals-client.ts'
import type { Ledger } from '../engines/postgres/globals/ledger.ts'
import { PublisherClient } from '../engines/postgres/replication/publisher-client.ts'
import { partName } from '../engines/postgres/replication/replication-names.ts'
import { SubscriberClient } from '../engines/postgres/replication/subscriber-client.ts'
import { scramVerifier } from '../engines/postgres/scram.ts'
import { type ServerAccess, signed } from '../engines/server-access.ts'
import {
  closingChanges,
  closingDoors,
  condemnedName,
  condemning,
  isAsOrdered,
  ownerChanges,
  roleChanges,
  type SideOrder,
  type SideState,
  sideRejection,
  sideRole,
  sideState,
} from './new-side.ts'

export interface SideTools {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  /** Access to the source server; this and `new` as a superuser. */
  readonly old: ServerAccess
  readonly new: ServerAccess
  readonly secrets: SecretSource
  readonly clock: ExternalTools['clock']
  readonly workFolder: string
}

/** Returns the state of the target. Costs two statements. */
export async function observeSide(order: SideOrder, server: DatabaseServer): Promise<SideState> {
  return (await observeTarget(order, server)).standing
}

interface SideObservation {
  readonly database: ObservedDatabase | undefined
  readonly role: ObservedRole | undefined
  readonly standing: SideState
}

async function observeTarget(order: SideOrder, server: DatabaseServer): Promise<SideObservation> {
  const name = sideRole(order)
  const { databases, roles } = await server.observe({ databases: [order.database], roles: [{ name }] })
  const [[database], [role]] = [databases, roles]
  const ledger = role && (await readLedger(server, name))
  return { database, role, standing: sideState(order, { database, hasRole: role !== undefined, ledger }) }
}

/** Returns the WAL position of the source whose rows a target for replication holds; undefined if it has none. */
export async function filledFrom(order: SideOrder, server: DatabaseServer): Promise<LogPosition | undefined> {
  const standing = await observeSide(order, server)
  return standing.kind === 'prepared' ? standing.ledger.from : undefined
}

/** Removes all parts of the target. Objects of other owners stay, and so does a target that clients use. */
export async function removeSide(order: SideOrder, server: DatabaseServer): Promise<void> {
  await removeSeen(order, await observeTarget(order, server), server)
}

/**
 * Removes the observed target. Rejects with NotFound if it has changed since. DROP DATABASE takes only a name and no
 * transaction, so the database is renamed first. The role's LOGIN attribute distinguishes a target in preparation from
 * a complete one.
 */
async function removeSeen(
  order: SideOrder,
  { standing, database, role }: SideObservation,
  server: DatabaseServer,
): Promise<void> {
  if (role === undefined || (standing.kind !== 'partial' && standing.kind !== 'prepared')) return
  const { oid, canLogin } = role
  const seen = { kind: 'expectRole', role: role.name, is: { oid, canLogin } } as const
  const condemned = condemnedName(order)
  if (database !== undefined) {
    await server.change([seen, ...closingDoors(database)])
    await server.terminate({ database: database.name, ours: true })
    await server.change([seen, ...condemning(database, condemned)])
  }
  await server.dropDatabase(condemned, { force: true })
  const roles = [...standing.ledger.roles, role.name]
  await server.change([
    seen,
    // Old settings would apply to the next worker, and settings that the source resets meanwhile would stay.
    { kind: 'resetSettings', database: order.database },
    ...roles.map((one) => ({ kind: 'dropRole', role: one }) as const),
  ])
}

/** Creates the target, or keeps a complete one. Rejects with the obstacle or the failure. */
export async function prepareSide(order: SideOrder, tools: SideTools, signal: AbortSignal): Promise<void> {
  await new SideWorker(order, tools, signal).run()
}

/** Number of observations after which a missing publication is an error. */
const maxLooks = 60
const lookMs = 1_000

interface Making {
  readonly folder: string
  readonly published: Published | undefined
}

/** Published tables of the source, and position of the slot that the new slot replaces. */
type Published = Pick<NonNullable<FreezeCall['slot']>, 'tables' | 'replaces'>

interface Saved extends Pick<ArtifactCall, 'artifactFile' | 'writtenBy'> {
  readonly from: LogPosition | undefined
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
    const sighting = await observeTarget(this.#order, this.#new)
    const { standing } = sighting
    if (standing.kind === 'refused') throw standing.error
    if (standing.kind === 'opened') return
    if (standing.kind === 'prepared' && (await this.#isAsOrdered(standing.ledger))) return
    // The creator of the publication observes the target until the publication exists, so the removal waits for it.
    const published = this.#order.holds === 'followingRows' ? await this.#published() : undefined
    await removeSeen(this.#order, sighting, this.#new)
    const globals = await this.#look()
    const folder = await mkdtemp(join(this.#tools.workFolder, 'prepare-'))
    try {
      await this.#make(globals, { folder, published })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #isAsOrdered(ledger: Ledger): Promise<boolean> {
    if (ledger.from === undefined) return isAsOrdered(this.#order, ledger, { slot: undefined, isFollowed: false })
    const { subscription } = await this.#subscriber().observe()
    const { slot } = await this.#publisher().observe()
    return isAsOrdered(this.#order, ledger, { slot, isFollowed: subscription !== undefined })
  }

  #publisher(): PublisherClient {
    return new PublisherClient(this.#old, this.#order)
  }

  #subscriber(): Pick<SubscriberClient, 'observe'> {
    return new SubscriberClient(this.#new, { ...this.#order, sourceDatabase: this.#order.database, majorVersion: 0 })
  }

  /**
   * Waits for the publication, which the operator creates meanwhile. A slot that appears after the first observation
   * belongs to another worker.
   */
  async #published(): Promise<Published> {
    let replaces: LogPosition | undefined
    for (let look = 1; ; look += 1) {
      const { publication, tables, slot } = await this.#publisher().observe()
      if (look === 1) replaces = slot?.confirmed
      if (publication !== undefined) return { tables: tables.filter(({ isPublished }) => isPublished), replaces }
      if (look >= maxLooks) {
        const message = 'the old server publishes nothing for this move'
        throw new EngineError({ code: 'NotFound', message, remedy: 'retry' })
      }
      await sleep(this.#tools.clock, lookMs, this.#signal)
    }
  }

  async #look(): Promise<DatabaseGlobals> {
    const { database } = this.#order
    const { server: old } = await this.#old.observe({})
    const globals = await readGlobals(this.#old, { database, spared: sideRole(this.#order) })
    const seen = await this.#new.observe({ roles: globals.roles.map(({ name }) => ({ name })) })
    const there = seen.roles.map(({ name }) => name)
    const refusal = sideRejection(this.#order, globals, { old, new: seen.server }, there)
    if (refusal === undefined) return globals
    const { kind } = await observeSide(this.#order, this.#new)
    throw kind === 'partial' || kind === 'prepared' ? claimedByAnother(this.#order) : refusal
  }

  /** A superseded worker that still runs changes nothing: its successor recreates the role with another verifier. */
  async #make(globals: DatabaseGlobals, { folder, published }: Making): Promise<void> {
    const { token, database, caller } = this.#order
    const role = sideRole(this.#order)
    const password = passwordFrom(this.#tools.secrets, 32)
    const verifier = scramVerifier({ password, salt: this.#tools.secrets.bytes(16) })
    const { from, ...artifact } = await this.#save(join(folder, 'side.dump'), published)
    await this.#new.change(roleChanges(this.#order, globals, { verifier, from }))
    const { encoding, collate: locale, ctype: characterType, connectionLimit } = globals.database
    // sideRejection rejects other locale providers.
    const texts = { encoding, locale, characterType, localeProvider: { kind: 'libc' } } as const
    await this.#new.createDatabase({ name: database, owner: role, token, ...texts, connectionLimit })
    const own = { kind: 'expectRole', role, is: { verifier } } as const
    await this.#new.change([own, { kind: 'hardenDatabase', database }])
    const { schemas, changes } = scratchExtensions(globals.extensions, role)
    await this.#new.change([own, ...changes], { database })
    const { logical, new: access } = this.#tools
    const call = { ...artifact, database, caller, signal: this.#signal }
    const asRole = { ...call, access: { ...access, username: role, password } }
    await logical.restore({ ...asRole, prepared: { schemas } })
    // Reports a superseded worker as such, before its next login fails by the changed password.
    await this.#new.change([own])
    // Clients log in soon afterwards, and need planner statistics.
    if ((this.#order.holds ?? 'schema') !== 'schema') await logical.analyze(asRole)
    await this.#new.change([own, ...ownerChanges(this.#order, globals, access.username)], { database })
    await logical.restorePrivileges({ ...call, access })
    await this.#new.change([own, ...closingChanges(this.#order, globals)])
  }

  async #save(artifactFile: string, published: Making['published']): Promise<Saved> {
    const { logical, old: access } = this.#tools
    const { id, database, caller, holds = 'schema' } = this.#order
    const slot = published && { name: partName(id), ...published }
    const keeps = slot === undefined && holds !== 'schema' ? ({ keepsTables: true } as const) : {}
    const frozen = await logical.freeze({ access, database, caller, signal: this.#signal, slot, ...keeps })
    try {
      const { toolVersion, content } = await frozen.dump({
        includes: holds === 'schema' ? 'schemaWithPrivileges' : 'withPrivileges',
      })
      await pipeline(Readable.from(content), createWriteStream(artifactFile, { mode: 0o600 }))
      await frozen.confirm()
      return { artifactFile, writtenBy: Number.parseInt(toolVersion, 10), from: frozen.from }
    } finally {
      await frozen.release()
    }
  }
}

/** Error for a target that another worker began after the first observation. */
function claimedByAnother({ database }: SideOrder): EngineError {
  const message = `another worker has begun to make database ${database} on the new server; the next try looks how far it is`
  return new EngineError({ code: 'Contention', message, remedy: 'retry' })
}
