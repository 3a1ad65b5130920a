// Makes a logical backup of a database. The worker holds one snapshot and counts its contents while the tool writes it
// to the store. If definitions change meanwhile, it starts over with a new snapshot.
// Invariant: the manifest is written last, and makes the files a backup.
import { type Clock, sleep, timestampAt } from '../../index.ts'
import { nameOf } from '../engines/contents-difference.ts'
import type { LogicalEngine, SourceFacts, TableSize } from '../engines/logical-engine.ts'
import { LogicalError } from '../engines/logical-error.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { backupFolder, dataFile, manifestKey } from './artifact-layout.ts'
import { BackupError } from './backup-error.ts'
import { type CommittedBackup, commitOnce } from './commit-worker.ts'
import { type Manifest, newManifest, readManifest } from './manifest.ts'

export interface BackupOrder {
  readonly backup: Manifest['backup']
  /** Name and uid of the Database, and the database's name on the server. */
  readonly database: { readonly name: string; readonly uid: string; readonly databaseName: string }
  /** Identity of the database when the backup was requested. Undefined accepts any database. */
  readonly identity?: { readonly systemIdentifier: string; readonly databaseOid: number } | undefined
  /** Scheduled time of the backup, milliseconds since the epoch. */
  readonly slotMs: number
  /** Hash of what the Backup requests. */
  readonly specHash: string
  /** Larger tables are counted, but their rows are not hashed. */
  readonly hashUpToBytes: number
  readonly compression?: number | undefined
  /** Tables as `schema.name` whose rows are left out. */
  readonly excludeTables?: readonly string[] | undefined
}

export interface BackupTools {
  readonly store: ArtifactStore
  readonly engine: LogicalEngine
  readonly access: ServerAccess
  readonly clock: Clock
  /** Identifier that is unique to this worker. */
  readonly attempt: string
}

export type BackupOutcome = CommittedBackup<Manifest>

export function folderOf({ backup, database, slotMs }: Pick<BackupOrder, 'backup' | 'database' | 'slotMs'>): string {
  const { namespace, uid: backupUid } = backup
  return backupFolder({ namespace, database: database.name, databaseUid: database.uid, slotMs, backupUid })
}

export async function makeBackup(order: BackupOrder, tools: BackupTools, signal: AbortSignal): Promise<BackupOutcome> {
  const { store, attempt } = tools
  const [folder, file] = [folderOf(order), dataFile(attempt)]
  const save = () => saveDatabase(order, tools, folder + file, signal)
  return commitOnce({ store, folder, file, save, read: readManifest }, signal)
}

/** Removes a backup: first its manifest, then its files. Call it only when no worker makes the backup. */
export async function discardBackup(store: ArtifactStore, folder: string, signal: AbortSignal): Promise<void> {
  await store.delete(manifestKey(folder), signal)
  for await (const { key } of store.list(folder, signal)) await store.delete(key, signal)
  await store.sweep(folder, signal)
}

const maxTries = 12
const backoff = { baseMs: 50, capMs: 10_000 }

/** Starts over if definitions change during a try, and discards that try. The change may have waited for its locks. */
async function saveDatabase(
  order: BackupOrder,
  tools: BackupTools,
  key: string,
  signal: AbortSignal,
): Promise<Manifest> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await trySaving(order, tools, key, signal)
    } catch (error) {
      if (!isOfChange(error)) throw error
      if (tried >= maxTries) throw changesWithoutEnd(error)
      await sleep(tools.clock, Math.min(backoff.capMs, backoff.baseMs * 2 ** tried), signal)
    }
  }
}

/** True for lock contention too: the holder of the locks changes definitions. */
function isOfChange(error: unknown): error is LogicalError {
  return error instanceof LogicalError && (error.code === 'CatalogChanged' || error.code === 'Contention')
}

function changesWithoutEnd({ code, message: last, remedy }: LogicalError): LogicalError {
  return new LogicalError({ code, message: `no backup could be made in ${maxTries} tries: ${last}`, remedy })
}

async function trySaving(order: BackupOrder, tools: BackupTools, key: string, signal: AbortSignal): Promise<Manifest> {
  const { engine, access, clock } = tools
  const { namespace, name } = order.backup
  const startedAt = timestampAt(clock.now())
  // A failure on one side aborts the other.
  const failing = new AbortController()
  const caller = { kind: 'Backup', namespace, name }
  const until = AbortSignal.any([signal, failing.signal])
  const { databaseName: database } = order.database
  const frozen = await engine.freeze({ access, database, caller, keepsTables: true, signal: until })
  try {
    checkIdentity(order, frozen.source)
    const { compression, excludeTables, hashUpToBytes } = order
    checkTables(excludeTables, await frozen.sizes())
    const publicRights = await frozen.publicRights()
    const run = await frozen.dump({ compression, withoutRows: excludeTables })
    const expectedBytes = frozen.source.sizeBytes * (compression === 0 ? unpackedGrowth : 1)
    const work = [
      frozen.contents({ hashUpToBytes, withoutRows: excludeTables }),
      tools.store.put(key, run.content, { signal: until, expectedBytes }),
    ] as const
    for (const part of work) part.catch((error: unknown) => failing.abort(error))
    // Both sides have ended, successfully or not, before the next step.
    await Promise.allSettled(work)
    failing.signal.throwIfAborted()
    await frozen.confirm()
    const [contents, stored] = await Promise.all(work)
    return newManifest({
      backup: order.backup,
      startedAt,
      completedAt: timestampAt(clock.now()),
      source: { ...frozen.source, databaseUid: order.database.uid },
      artifact: {
        ...stored,
        file: key.slice(key.lastIndexOf('/') + 1),
        format: 'pg_dump/custom',
        toolVersion: run.toolVersion,
      },
      contents,
      publicRights,
      ...(excludeTables === undefined ? {} : { excludedTables: excludeTables }),
      specHash: order.specHash,
    })
  } finally {
    await frozen.release()
  }
}

/** Growth factor of an uncompressed dump. The database compresses values, and bytes take twice the space as text. */
const unpackedGrowth = 3

/** Throws ExcludedTableMissing: the user may have meant another table. */
function checkTables(excluded: readonly string[] = [], tables: readonly TableSize[]): void {
  const there = new Set(tables.map(nameOf))
  const missing = excluded.filter((name) => !there.has(name))
  if (missing.length === 0) return
  const message =
    `spec.options.excludeTables names ${missing.join(', ')}, and there is no such table with rows of its own; ` +
    'name tables as schema.table, and partitions one by one'
  throw new BackupError({ code: 'ExcludedTableMissing', message, remedy: 'stop' })
}

/** Throws SourceIdentityChanged if the source is not the database of `identity`. */
export function checkIdentity(
  { identity, database }: Pick<BackupOrder, 'identity' | 'database'>,
  source: SourceFacts,
): void {
  if (identity === undefined) return
  const isSame = identity.systemIdentifier === source.systemIdentifier && identity.databaseOid === source.databaseOid
  if (isSame) return
  const message =
    `database ${JSON.stringify(database.databaseName)} is another one than that of Database ${database.name}: ` +
    `it was pg://${identity.systemIdentifier}/${identity.databaseOid}, and is pg://${source.systemIdentifier}/${source.databaseOid}`
  throw new BackupError({ code: 'SourceIdentityChanged', message, remedy: 'stop' })
}
