// Makes a backup of a database. One snapshot of it is held; what is in it is counted while the tool writes it to the store; the manifest
// is written last, and makes it a backup. Where others change definitions meanwhile, it begins again with a new snapshot.
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
  /** The Database, and the database of the server. */
  readonly database: { readonly name: string; readonly uid: string; readonly databaseName: string }
  /** The database that it was when the backup was asked for; any if undefined. */
  readonly identity?: { readonly systemIdentifier: string; readonly databaseOid: number } | undefined
  /** The moment that it is for, milliseconds since the epoch. */
  readonly slotMs: number
  /** Of what the Backup asks for. */
  readonly specHash: string
  /** Larger tables are counted, and their rows not hashed. */
  readonly hashUpToBytes: number
  readonly compression?: number | undefined
  /** `schema.name` of tables whose rows are left out. */
  readonly excludeTables?: readonly string[] | undefined
}

export interface BackupTools {
  readonly store: ArtifactStore
  readonly engine: LogicalEngine
  readonly access: ServerAccess
  readonly clock: Clock
  /** A word that no other worker has. */
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

/** Nothing of it stays: first it stops being a backup, then its files go. Not while a worker makes it. */
export async function discardBackup(store: ArtifactStore, folder: string, signal: AbortSignal): Promise<void> {
  await store.delete(manifestKey(folder), signal)
  for await (const { key } of store.list(folder, signal)) await store.delete(key, signal)
  await store.sweep(folder, signal)
}

const maxTries = 12
const backoff = { baseMs: 50, capMs: 10_000 }

/** Nothing of a try during which definitions changed counts; it held locks that the change may have waited for. */
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

/** Of locks, too: whoever has them changes definitions. */
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
  // What fails on one side ends the other.
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
    // Both have ended, however they did, before anything else is done.
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

/** What is not packed may be larger than the database, where values are packed, and those of bytes are twice as long as text. */
const unpackedGrowth = 3

/** Whoever leaves out what is not there may have meant another one. */
function checkTables(excluded: readonly string[] = [], tables: readonly TableSize[]): void {
  const there = new Set(tables.map(nameOf))
  const missing = excluded.filter((name) => !there.has(name))
  if (missing.length === 0) return
  const message =
    `spec.options.excludeTables names ${missing.join(', ')}, and there is no such table with rows of its own; ` +
    'name tables as schema.table, and partitions one by one'
  throw new BackupError({ code: 'ExcludedTableMissing', message, remedy: 'stop' })
}

/** Throws SourceIdentityChanged. */
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
