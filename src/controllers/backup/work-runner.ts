// Executes one order: opens its store, does the work, and reports the outcome.
import { join } from 'node:path'
import type { Clock, ExternalTools, SecretSource } from '../../index.ts'
import { providerIdOf } from '../database/database-observation.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { LogicalEngine } from '../engines/logical-engine.ts'
import type { PhysicalEngine, ServerUser } from '../engines/physical-engine.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { FolderStore } from '../stores/folder-store-driver.ts'
import type { S3Access } from '../stores/s3-client-loader.ts'
import { S3Store } from '../stores/s3-store-driver.ts'
import { reportOfError } from '../worker/termination-message.ts'
import { discardBackup, folderOf, makeBackup } from './backup-worker.ts'
import type { FillOrder } from './fill-order.ts'
import { clearVolume, fetchFilling, settleFilling } from './fill-worker.ts'
import { makePhysicalBackup } from './physical-backup-worker.ts'
import { fetchCopy, proveCopyFiles, readPhysicalBackup } from './physical-verification-worker.ts'
import { callerOf } from './restore-order.ts'
import { dropFormer, dropUnusedOwner, type RestoreOutcome, restoreDatabase, settleRestore } from './restore-worker.ts'
import { tidyBackup } from './tidy-worker.ts'
import { readBackup, verifyBackup } from './verification-worker.ts'
import { addressOf, type OrderedStore, type ReleaseOrder, type WorkOrder } from './work-order.ts'
import { type MadeBackup, madeBackup, madeCopy, type RestoredDatabase, type WorkReport } from './work-report.ts'

export interface WorkTools {
  /** Access to the order's database. Undefined if the order names none. */
  readonly access: ServerAccess | undefined
  /** Keys of the store. Undefined: the keys of this machine. */
  readonly keys: S3Access['credentials']
  /** Mount path of the store's volume. */
  readonly storeFolder: string | undefined
  /** Mount path of the server's volume that the worker fills. */
  readonly dataVolume?: string | undefined
  /** Password of that server's administrator. */
  readonly password?: string | undefined
  readonly workFolder: string
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  readonly physical: PhysicalEngine
  /** User that runs PostgreSQL's server. Undefined: the user of this process. */
  readonly serverUser: ServerUser | undefined
  readonly clock: Clock
  readonly secrets: SecretSource
  readonly log: ExternalTools['log']
  /** Identifier that is unique to this worker. */
  readonly attempt: string
}

/**
 * Step of work that runs code of other authors. `fetch` has the store and runs no such code; `prove` has no store and
 * no keys.
 */
export type WorkStep = 'fetch' | 'prove'

/**
 * Resolves in every case. Details of an error that must stay private are in the log only. `step`: undefined for work
 * with one step.
 */
export async function carryOut(
  order: WorkOrder,
  tools: WorkTools,
  signal: AbortSignal,
  step?: WorkStep,
): Promise<WorkReport> {
  const ordered = 'store' in order && step !== 'prove' ? order.store : undefined
  const store = ordered === undefined ? undefined : storeOf(ordered, tools)
  try {
    if (order.work === 'verify' && order.copy === 'started') return await verifyCopy(order, store, tools, signal)
    if (order.work === 'fill') return await fill(order.fill, store, tools, signal)
    return await work(order, store, tools, signal)
  } catch (error) {
    if (signal.aborted) return { outcome: 'Interrupted', reason: 'Ended', message: 'the worker was told to end' }
    tools.log.error({ err: error }, 'the worker failed')
    return reportOfError(error)
  } finally {
    if (store instanceof S3Store) await store.close()
  }
}

async function work(
  order: Exclude<WorkOrder, { readonly work: 'fill' }>,
  store: ArtifactStore | undefined,
  tools: WorkTools,
  signal: AbortSignal,
): Promise<WorkReport> {
  switch (order.work) {
    case 'restore': {
      const { clock, logical, engine, secrets, workFolder } = tools
      const access = accessOf(tools)
      const own = { store, engine, logical, access, secrets, workFolder, clock }
      return { outcome: 'Completed', restored: restoredOf(await restoreDatabase(order.restore, own, signal)) }
    }
    case 'release':
      return await release(order.release, tools, signal)
    case 'clear': {
      const found = await clearVolume(order.clear, volumeOf(tools))
      return { outcome: 'Completed', ...(found === undefined ? {} : { restored: restoredOf({ identity: found }) }) }
    }
    default:
      if (store === undefined) throw new Error('the order names no store')
      return await workOnStore(order, store, tools, signal)
  }
}

async function release(order: ReleaseOrder, tools: WorkTools, signal: AbortSignal): Promise<WorkReport> {
  const server = tools.engine.server(accessOf(tools), { caller: callerOf(order.database), signal })
  if (order.what === 'former') {
    await dropFormer(order, server)
    return { outcome: 'Completed' }
  }
  const settled = await settleRestore(order, server)
  if (settled === undefined && order.wasFirst) await dropUnusedOwner(order.database, server)
  return { outcome: 'Completed', ...(settled === undefined ? {} : { restored: restoredOf(settled) }) }
}

function restoredOf({
  identity,
  former,
}: Pick<RestoreOutcome, 'identity'> & Partial<RestoreOutcome>): RestoredDatabase {
  const providerID = providerIdOf(identity.systemIdentifier, identity.databaseOid)
  return { providerID, ...(former === undefined ? {} : { former }) }
}

async function workOnStore(
  order: Exclude<WorkOrder, { readonly work: 'restore' | 'release' | 'clear' | 'fill' }>,
  store: ArtifactStore,
  tools: WorkTools,
  signal: AbortSignal,
): Promise<WorkReport> {
  switch (order.work) {
    case 'backup':
      return { outcome: 'Completed', made: await make(order, store, tools, signal) }
    case 'verify':
      await verify(order, store, tools, signal)
      return { outcome: 'Completed' }
    case 'discard':
      await discardBackup(store, order.folder, signal)
      return { outcome: 'Completed' }
    case 'tidy': {
      const caller = { kind: 'Backup', namespace: order.tidy.backup.namespace, name: order.tidy.backup.name }
      const server = order.restoresOn && tools.engine.server(accessOf(tools), { caller, signal })
      await tidyBackup(order.tidy, { store, server }, signal)
      return { outcome: 'Completed' }
    }
  }
}

async function make(
  { backup, store: place }: Extract<WorkOrder, { readonly work: 'backup' }>,
  store: ArtifactStore,
  tools: WorkTools,
  signal: AbortSignal,
): Promise<MadeBackup> {
  const { clock, attempt, logical, physical } = tools
  const common = { store, access: accessOf(tools), clock, attempt }
  const uri = addressOf(place, folderOf(backup))
  return 'method' in backup
    ? madeCopy(await makePhysicalBackup(backup, { ...common, engine: physical }, signal), uri)
    : madeBackup(await makeBackup(backup, { ...common, engine: logical }, signal), uri)
}

async function verify(
  { verification, restoresOn, copy }: Extract<WorkOrder, { readonly work: 'verify' }>,
  store: ArtifactStore,
  tools: WorkTools,
  signal: AbortSignal,
): Promise<void> {
  const { clock, engine, logical, secrets, workFolder } = tools
  if (copy !== undefined) {
    await readPhysicalBackup(verification.folder, { store, workFolder, clock }, signal)
  } else if (restoresOn === undefined) {
    await readBackup(verification.folder, { store, workFolder, clock }, signal)
  } else {
    const access = accessOf(tools)
    await verifyBackup(verification, { store, engine, logical, access, secrets, workFolder, clock }, signal)
  }
}

/** Without a store, runs the second step. */
async function verifyCopy(
  { verification }: Extract<WorkOrder, { readonly work: 'verify' }>,
  store: ArtifactStore | undefined,
  tools: WorkTools,
  signal: AbortSignal,
): Promise<WorkReport> {
  const { clock, engine, logical, physical, serverUser: user, workFolder } = tools
  if (store === undefined) await proveCopyFiles(verification, { engine, logical, physical, workFolder }, signal)
  else await fetchCopy(verification, { store, user, workFolder, clock }, signal)
  return { outcome: 'Completed' }
}

/** Without a store, runs the second step. */
async function fill(
  order: FillOrder,
  store: ArtifactStore | undefined,
  tools: WorkTools,
  signal: AbortSignal,
): Promise<WorkReport> {
  const { password, engine, logical, physical, secrets, clock, workFolder, serverUser: user } = tools
  const common = { volume: volumeOf(tools), workFolder, user }
  if (store === undefined) {
    const identity = await settleFilling(order, { ...common, engine, logical, physical }, signal)
    return { outcome: 'Completed', restored: restoredOf({ identity }) }
  }
  if (password === undefined) throw new Error('the order is without the password of the server')
  await fetchFilling(order, { ...common, store, password, secrets, clock }, signal)
  return { outcome: 'Completed' }
}

function volumeOf({ dataVolume }: WorkTools): string {
  if (dataVolume === undefined) throw new Error('the order is of a volume, and none is mounted')
  return dataVolume
}

function accessOf({ access }: WorkTools): ServerAccess {
  if (access === undefined) throw new Error('the order names no database')
  return access
}

const dayMs = 86_400_000

function storeOf(store: OrderedStore, { storeFolder, attempt, keys: credentials, clock }: WorkTools): ArtifactStore {
  if (store.kind === 'folder') {
    if (storeFolder === undefined) throw new Error('the order names a volume, and none is mounted')
    return new FolderStore({ folder: join(storeFolder, store.path ?? ''), attempt })
  }
  const { bucket, prefix, region, endpoint, forcePathStyle, encryption, lockDays } = store
  return new S3Store({
    bucket,
    prefix: prefix === undefined ? '' : `${prefix}/`,
    access: { region, endpoint, forcePathStyle, credentials },
    clock,
    encryption,
    lockedUntil: lockDays === undefined ? undefined : () => new Date(clock.now() + lockDays * dayMs),
  })
}
