// How is a database restored? Beside the one that is there, and proven, before anybody sees it; then both change names in one transaction.
// Whoever dies on the way is followed by one who looks at the server and goes on; whoever asks again under the same id changes nothing.
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
  /** Undefined: what takes the place is on the server already. */
  readonly store: ArtifactStore | undefined
  readonly workFolder: string
}

export interface RestoreOutcome {
  /** Of the database that has the name now. */
  readonly identity: { readonly systemIdentifier: string; readonly databaseOid: number }
  /** What had the name before, which takes no connections; undefined: nothing, or it is not kept any more. */
  readonly former: string | undefined
}

/** Rejects with what is wrong; the database is then as it was, unless the connection was lost for good. */
export async function restoreDatabase(
  order: RestoreOrder,
  tools: RestoreTools,
  signal: AbortSignal,
): Promise<RestoreOutcome> {
  const worker = new RestoreWorker(order, tools, signal)
  return worker.run()
}

/** Drops what this request has replaced, once nobody wants it back. It is not there afterwards, whoever dropped it. */
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

/** Of a request that nobody asks for any more, and that is not done: removes its copy. */
export async function discardRestore(
  { requestId, database }: Pick<RestoreOrder, 'requestId' | 'database'>,
  server: DatabaseServer,
): Promise<void> {
  await removeCopy(server, restoreNames(database.databaseName, requestId).beside, tokenOf(database))
}

type RestoreTarget = Pick<RestoreOrder, 'requestId' | 'database'>

/**
 * Of a request whose workers have all ended without a good word: what it has come to all the same, as the last of them may have died once
 * it was done; else removes its copy, and says undefined. One that was believed dead may have put the copy in place until that was removed.
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

/** Of a database that never came to be. It is not there afterwards, unless it is somebody else's. */
export async function dropUnusedOwner(database: RestoreOrder['database'], server: DatabaseServer): Promise<void> {
  const role = database.owner
  const { roles } = await server.observe({ roles: [{ name: role }] })
  if (roles[0]?.token?.uid === database.uid) await server.change([{ kind: 'dropRole', role }])
}

/** Each brings it forward, unless another worker takes it back at the same time. */
const mostSteps = 6
/** Whoever keeps connecting to a database that takes no connections is let in by somebody. */
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
    // Closed by one who died before he swapped; it has to be of use until it is our turn.
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
   * Nobody is let in, whoever is in is put out, and the names change. Whoever opens it between the two, as its Database does where nobody
   * told it better, is put out again. Where it cannot be done the database is open again; where nobody is left to open it, its Database
   * does.
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

  /** Also when the worker is told to stop: nobody may be kept out longer than needed. */
  async #reopen(live: ObservedDatabase): Promise<void> {
    const use = { caller: callerOf(this.#order.database), signal: new AbortController().signal }
    const server = this.#tools.engine.server(this.#tools.access, use)
    // The failure that led here is the one to be told.
    await server.change(opening(live)).catch(() => undefined)
  }

  async #open(live: ObservedDatabase): Promise<void> {
    if (!live.allowsConnections) await this.#server.change(opening(live))
  }
}

/** The very one that was closed, and no other that has its name since. */
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
  throw new TypeError('what is kept is not restored') // The step before has said so.
}

function isInUse(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'DatabaseInUse'
}

function isUnknown(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'OutcomeUnknown'
}

/** The next look says whether it was done. */
function unlessUnknown(error: unknown): void {
  if (!isUnknown(error)) throw error
}

function unsettled({ requestId }: RestoreOrder): BackupError {
  const message = `restore ${JSON.stringify(requestId)} is taken back again and again, by another worker perhaps`
  return new BackupError({ code: 'NameTaken', message, remedy: 'retry' })
}
