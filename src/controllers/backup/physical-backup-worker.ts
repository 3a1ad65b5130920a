// Makes a physical backup of a whole server. The server keeps its log while the tool copies its files into one stream,
// which is packed and stored as it arrives. The data that recovery needs is read from the passing stream and recorded
// in the manifest.
import { timestampAt } from '../../index.ts'
import type { HeldServer, PhysicalEngine } from '../engines/physical-engine.ts'
import { backupManifestName, type CopyFacts, copyFacts } from '../engines/postgres/physical/backup-manifest.ts'
import { copyFile } from './artifact-layout.ts'
import { BackupError } from './backup-error.ts'
import { type BackupOrder, type BackupTools, checkIdentity, folderOf } from './backup-worker.ts'
import { type CommittedBackup, commitOnce } from './commit-worker.ts'
import { physicalForm } from './manifest.ts'
import { type Packing, packer } from './packing.ts'
import { passed } from './packing-runner.ts'
import { type PhysicalManifest, readPhysicalManifest } from './physical-manifest.ts'
import { listenedTar } from './tar-runner.ts'

export interface PhysicalOrder extends Omit<BackupOrder, 'hashUpToBytes' | 'compression'> {
  readonly method: 'Physical'
  readonly packing: Packing
}

export interface PhysicalTools extends Omit<BackupTools, 'engine'> {
  readonly engine: PhysicalEngine
}

export async function makePhysicalBackup(
  order: PhysicalOrder,
  tools: PhysicalTools,
  signal: AbortSignal,
): Promise<CommittedBackup<PhysicalManifest>> {
  const { store, attempt } = tools
  const [folder, file] = [folderOf(order), copyFile(attempt)]
  const save = () => saveServer(order, tools, folder + file, signal)
  return commitOnce({ store, folder, file, save, read: readPhysicalManifest }, signal)
}

async function saveServer(
  order: PhysicalOrder,
  tools: PhysicalTools,
  key: string,
  signal: AbortSignal,
): Promise<PhysicalManifest> {
  const { engine, access, clock, attempt } = tools
  const { namespace, name } = order.backup
  const startedAt = timestampAt(clock.now())
  const caller = { kind: 'Backup', namespace, name }
  // If storing fails, the stream has no reader, so the copy must end.
  const failing = new AbortController()
  const until = AbortSignal.any([signal, failing.signal])
  const held = await engine.hold({ access, database: order.database.databaseName, caller, attempt, signal: until })
  try {
    checkIdentity(order, held.source)
    const { artifact, copy } = await storeCopy(order, tools, { held, key, signal })
    return {
      form: physicalForm,
      backup: order.backup,
      startedAt,
      completedAt: timestampAt(clock.now()),
      source: { ...held.source, databaseUid: order.database.uid },
      artifact,
      copy: { ...copy, admin: access.username },
      specHash: order.specHash,
    }
  } finally {
    failing.abort(new Error('the copy has ended'))
    await held.release()
  }
}

async function storeCopy(
  { packing }: PhysicalOrder,
  { store }: PhysicalTools,
  { held, key, signal }: { readonly held: HeldServer; readonly key: string; readonly signal: AbortSignal },
): Promise<{ readonly artifact: PhysicalManifest['artifact']; readonly copy: CopyFacts }> {
  const run = await held.copy()
  const { content, text } = listenedTar(run.content, backupManifestName)
  const packed = passed(content, packer(packing))
  const stored = await store.put(key, packed, { signal, expectedBytes: held.sizeBytes })
  const copy = copyFacts(text() ?? '')
  if (copy === undefined) throw noList()
  const file = key.slice(key.lastIndexOf('/') + 1)
  const { method } = packing
  return {
    copy,
    artifact: { ...stored, file, format: 'pg_basebackup/tar', packing: method, toolVersion: run.toolVersion },
  }
}

function noList(): BackupError {
  const message = `what pg_basebackup wrote has no ${backupManifestName} that could be read, and is no backup`
  return new BackupError({ code: 'ManifestRefused', message, remedy: 'stop' })
}
