// Restores a database beside the live one, and verifies it before clients can connect. Then both change names in one
// transaction. A worker that follows a dead one observes the server and continues.
// Invariant: a repeated request with the same id changes nothing.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { providerIdOf } from '../database/database-observation.ts'
import { ownerAttributes } from '../database/logical-database.ts'
import type { DatabaseServer } from '../engines/engine.ts'
import { EngineError } from '../engines/engine-error.ts'
import type { ObservedDatabase, ServerObservation } from '../engines/observed-server.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { loadArtifact, loadManifest } from './artifact-loader.ts'
import { BackupError } from './backup-error.ts'
import { formerName, restoreNames, swapChanges } from './restore-names.ts'
import { callerOf, namesOf, type RestoreOrder, type RestoreSource, tokenOf } from './restore-order.ts'
import { isOurs, nextRestoreStep, type RestoreStep } from './restore-step.ts'
import { type CopyTools, RestoredCopy, removeCopy } from './restored-copy-worker.ts'

export interface RestoreTools extends CopyTools {
  /** Undefined if the replacement is already on the server. */
  readonly store: ArtifactStore | undefined
  readonly workFolder: string
}

export interface RestoreOutcome {
  /** Identity of the database that has the name now. */
  readonly identity: { readonly systemIdentifier: string; readonly databaseOid: number }
  /** Replaced database, which accepts no connections. Undefined if there was none, or it is no longer kept. */
  readonly former: string | undefined
}

/** Rejects on failure. The database is then unchanged, unless the connection was lost permanently. */
export async function restoreDatabase(
  order: RestoreOrder,
  tools: RestoreTools,
  signal: AbortSignal,
): Promise<RestoreOutcome> {
  const worker = new RestoreWorker(order, tools, signal)
  return worker.run()
}

/** Drops the database that this request replaced, once it is no longer needed. Succeeds if it is already gone. */
export async function dropFormer(
  { requestId, database }: Pick<RestoreOrder, 'requestId' | 'database'>,
  server: DatabaseServer,
): Promise<void> {
  const name = formerName(database.databaseName, requestId)
  const { databases } = await server.observe({ databases: [name] })
  const [former] = databases
  if (former === undefined || !isOurs(former, database.uid)) return
  await server.dropDatabase(name, { force: true })
}

/** Removes the copy of a request that was withdrawn before it was done. */
export async function discardRestore(
  { requestId, database }: Pick<RestoreOrder, 'requestId' | 'database'>,
  server: DatabaseServer,
): Promise<void> {
  await removeCopy(server, restoreNames(database.databaseName, requestId).beside, tokenOf(database))
}

type RestoreTarget = Pick<RestoreOrder, 'requestId' | 'database'>

/**
 * Settles a request whose workers all ended without success. Returns its outcome if it is done all the same, because
 * the last worker may have died afterwards. Otherwise removes its copy and returns undefined.
 * A worker that was believed dead may swap until the copy is removed, so the outcome is read again.
 */
export async function settleRestore(order: RestoreTarget, server: DatabaseServer): Promise<RestoreOutcome | undefined> {
  const outcome = await findRestored(order, server)
  if (outcome !== undefined) return outcome
  await discardRestore(order, server)
  return await findRestored(order, server)
}

async function findRestored(
  { requestId, database }: RestoreTarget,
  server: DatabaseServer,
): Promise<RestoreOutcome | undefined> {
  const names = restoreNames(database.databaseName, requestId)
  const observed = await server.observe({ databases: [names.live, names.former] })
  const [live, former] = [names.live, names.former].map((name) => observed.databases.find((one) => one.name === name))
  const isDone = live?.succession?.request === requestId && live.token?.uid === database.uid
  return isDone ? outcomeOf({ kind: 'done', live, former }, observed) : undefined
}

/** Drops the owner of a database that never existed, unless the role belongs to another resource. */
export async function dropUnusedOwner(database: RestoreOrder['database'], server: DatabaseServer): Promise<void> {
  const role = database.owner
  const { roles } = await server.observe({ roles: [{ name: role }] })
  if (roles[0]?.token?.uid === database.uid) await server.change([{ kind: 'dropRole', role }])
}

/** Each step makes progress, unless another worker undoes it at the same time. */
const mostSteps = 6
/** Limit of tries. If clients still connect to a closed database, another party keeps opening it. */
const mostSwaps = 6

class RestoreWorker {
  readonly #order: RestoreOrder
  readonly #tools: RestoreTools
  readonly #server: DatabaseServer
  readonly #signal: AbortSignal

  constructor(order: RestoreOrder, tools: RestoreTools, signal: AbortSignal) {
    this.#order = order
    this.#tools = tools
    this.#signal = signal
    this.#server = tools.engine.server(tools.access, { caller: callerOf(order.database), signal })
  }

  async run(): Promise<RestoreOutcome> {
    for (let count = 1; count <= mostSteps; count += 1) {
      const observed = await this.#look()
      const step = nextRestoreStep(this.#order, observed)
      if (step.kind === 'done') return outcomeOf(step, observed)
      if (step.kind === 'refused') throw step.error
      await (step.kind === 'restore' ? this.#restore(step.live) : this.#swap(step)).catch(unlessUnknown)
    }
    throw unsettled(this.#order)
  }

  #look(): Promise<ServerObservation> {
    const { owner } = this.#order.database
    const { live, beside, former } = namesOf(this.#order)
    return this.#server.observe({ databases: [live, beside, former], roles: [{ name: owner }, { name: beside }] })
  }

  async #restore(live: ObservedDatabase | undefined): Promise<void> {
    const { database, source } = this.#order
    // A worker that died before its swap may have closed the database. It stays usable until the swap.
    if (live !== undefined) await this.#open(live)
    const token = tokenOf(database)
    const work = await mkdtemp(join(this.#tools.workFolder, 'restore-'))
    try {
      const { folder, hashUpToBytes, queries, jobs } = backupIn(source)
      const { store } = this.#tools
      if (store === undefined) throw new TypeError('a backup is restored from a store')
      const { manifest } = await loadManifest(store, folder, this.#signal)
      const artifactFile = join(work, 'artifact.dump')
      await loadArtifact({
        store,
        folder,
        manifest,
        toFile: artifactFile,
        clock: this.#tools.clock,
        signal: this.#signal,
      })
      await this.#ensureOwner()
      const copy = await RestoredCopy.make(
        {
          ...{ name: namesOf(this.#order).beside, token, caller: callerOf(database), manifest, hashUpToBytes, jobs },
          ...(live === undefined ? {} : { connectionLimit: live.connectionLimit }),
        },
        this.#tools,
        this.#signal,
      )
      await copy.handOver(database.owner, await copy.prove(artifactFile, queries))
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }

  async #ensureOwner(): Promise<void> {
    const { owner: role } = this.#order.database
    const { roles } = await this.#server.observe({ roles: [{ name: role }] })
    if (roles.length > 0) return
    const token = tokenOf(this.#order.database)
    await this.#server.change([{ kind: 'createRole', role, token, attributes: ownerAttributes }])
  }

  /**
   * Closes the databases, terminates their sessions, and swaps the names. A Database that does not know of the restore
   * may open it in between; its sessions are terminated again. On failure the worker opens the database again; if the
   * worker dies, the Database does.
   */
  async #swap({ live, beside }: Extract<RestoreStep, { readonly kind: 'swap' }>): Promise<void> {
    const { requestId, database, replaces } = this.#order
    const names = namesOf(this.#order)
    const replaced =
      replaces === undefined ? {} : { replaced: providerIdOf(replaces.systemIdentifier, replaces.databaseOid) }
    const succession = { request: requestId, ...replaced }
    const changes = swapChanges({ names, live, beside, token: tokenOf(database), succession })
    try {
      for (let count = 1; ; count += 1) {
        await this.#empty(live === undefined ? [names.beside] : [names.live, names.beside])
        try {
          return await this.#server.change(changes)
        } catch (error) {
          if (!isInUse(error) || count === mostSwaps) throw error
        }
      }
    } catch (error) {
      if (live !== undefined && !isUnknown(error)) await this.#reopen(live)
      throw error
    }
  }

  async #empty(databases: readonly string[]): Promise<void> {
    await this.#server.change(
      databases.map((database) => ({ kind: 'allowConnections', database, allows: false }) as const),
    )
    for (const database of databases) await this.#server.terminate({ database, ours: true })
  }

  /** Ignores the worker's signal: clients must not be locked out longer than needed. */
  async #reopen(live: ObservedDatabase): Promise<void> {
    const use = { caller: callerOf(this.#order.database), signal: new AbortController().signal }
    const server = this.#tools.engine.server(this.#tools.access, use)
    // The caller reports the failure that led here.
    await server.change(opening(live)).catch(() => undefined)
  }

  async #open(live: ObservedDatabase): Promise<void> {
    if (!live.allowsConnections) await this.#server.change(opening(live))
  }
}

/** Opens exactly the database that was closed, not a later one of its name. */
function opening({ name: database, oid }: ObservedDatabase) {
  return [
    { kind: 'expectDatabase', database, oid },
    { kind: 'allowConnections', database, allows: true },
  ] as const
}

function outcomeOf(
  { live, former }: Extract<RestoreStep, { readonly kind: 'done' }>,
  { server }: ServerObservation,
): RestoreOutcome {
  return {
    identity: { systemIdentifier: server.systemIdentifier, databaseOid: live.oid },
    former: former?.name,
  }
}

function backupIn(source: RestoreSource): Extract<RestoreSource, { readonly kind: 'backup' }> {
  if (source.kind === 'backup') return source
  throw new TypeError('what is kept is not restored') // `nextRestoreStep` rejects it.
}

function isInUse(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'DatabaseInUse'
}

function isUnknown(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'OutcomeUnknown'
}

/** The next observation shows whether the change was made. */
function unlessUnknown(error: unknown): void {
  if (!isUnknown(error)) throw error
}

function unsettled({ requestId }: RestoreOrder): BackupError {
  const message = `restore ${JSON.stringify(requestId)} is taken back again and again, by another worker perhaps`
  return new BackupError({ code: 'NameTaken', message, remedy: 'retry' })
}
