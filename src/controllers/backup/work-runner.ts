// Carries one order of a Backup out: finds the store that it names, does the work, and says how it ended.
import { join } from 'node:path'
import type { Clock, ExternalTools, SecretSource } from '../../index.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { LogicalEngine } from '../engines/logical-engine.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { FolderStore } from '../stores/folder-store-driver.ts'
import type { S3Access } from '../stores/s3-client-loader.ts'
import { S3Store } from '../stores/s3-store-driver.ts'
import { reportOfError } from '../worker/termination-message.ts'
import { discardBackup, folderOf, makeBackup } from './backup-worker.ts'
import { readBackup, verifyBackup } from './verification-worker.ts'
import { addressOf, type OrderedStore, type WorkOrder } from './work-order.ts'
import { madeBackup, type WorkReport } from './work-report.ts'

export interface WorkTools {
  /** How the database of the order is reached; undefined where it names none. */
  readonly access: ServerAccess | undefined
  /** Of the store; undefined: those that this machine has. */
  readonly keys: S3Access['credentials']
  /** Where the volume of the store is mounted. */
  readonly storeFolder: string | undefined
  readonly workFolder: string
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  readonly clock: Clock
  readonly secrets: SecretSource
  readonly log: ExternalTools['log']
  /** A word that no other worker has. */
  readonly attempt: string
}

/** Resolves however it ends; an error of which nothing may be told is in the log. */
export async function carryOut(order: WorkOrder, tools: WorkTools, signal: AbortSignal): Promise<WorkReport> {
  const store = storeOf(order.store, tools)
  try {
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
  order: WorkOrder,
  store: ArtifactStore,
  tools: WorkTools,
  signal: AbortSignal,
): Promise<WorkReport> {
  const { clock, attempt, logical, engine, secrets, workFolder } = tools
  switch (order.work) {
    case 'backup': {
      const access = accessOf(tools)
      const outcome = await makeBackup(order.backup, { store, engine: logical, access, clock, attempt }, signal)
      return { outcome: 'Completed', made: madeBackup(outcome, addressOf(order.store, folderOf(order.backup))) }
    }
    case 'verify': {
      const { verification, restoresOn } = order
      if (restoresOn === undefined) await readBackup(verification.folder, { store, workFolder, clock }, signal)
      else {
        const access = accessOf(tools)
        await verifyBackup(verification, { store, engine, logical, access, secrets, workFolder, clock }, signal)
      }
      return { outcome: 'Completed' }
    }
    case 'discard':
      await discardBackup(store, order.folder, signal)
      return { outcome: 'Completed' }
  }
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
    encryption,
    lockedUntil: lockDays === undefined ? undefined : () => new Date(clock.now() + lockDays * dayMs),
  })
}
