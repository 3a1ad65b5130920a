// Fixture: physical backups. The engine that copies servers and starts copies, tools for a backup and its verification,
// and damage of stored files.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { machinePostgres } from '../../../src/cli/dev/machine-postgres.ts'
import { manifestText } from '../../../src/controllers/backup/manifest.ts'
import type { PhysicalOrder, PhysicalTools } from '../../../src/controllers/backup/physical-backup-worker.ts'
import type { PhysicalManifest } from '../../../src/controllers/backup/physical-manifest.ts'
import {
  type FetchTools,
  fetchCopy,
  type PhysicalProof,
  type ProofTools,
  proveCopyFiles,
} from '../../../src/controllers/backup/physical-verification-worker.ts'
import type { VerificationOrder } from '../../../src/controllers/backup/verification-worker.ts'
import { postgresPhysicalEngine } from '../../../src/controllers/engines/postgres/physical/physical-driver.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { sha256Of } from '../stores/contents.ts'
import { backupStage, order as logicalOrder } from './backup-stage.ts'

const run = promisify(execFile)
/** No tool of this machine can copy newer versions. */
export const newestTool = 15
const places = { versions: '/usr/lib/postgresql', folders: [] }

const { hashUpToBytes: _, ...common } = logicalOrder
export const order: PhysicalOrder = { ...common, method: 'Physical', packing: { method: 'gzip', level: 1 } }

export type PhysicalVerificationTools = FetchTools & ProofTools

/** Both steps, like the containers of one pod. */
export async function verifyPhysicalBackup(
  asked: VerificationOrder,
  tools: PhysicalVerificationTools,
  signal: AbortSignal,
): Promise<PhysicalProof> {
  await fetchCopy(asked, tools, signal)
  return await proveCopyFiles(asked, tools, signal)
}

export async function stageOf(server: PostgresServer, work?: string) {
  const stage = await backupStage(server.access())
  const workFolder = work ?? stage.workFolder
  // If the test runs as root, the server runs as another user, who needs access to its files.
  const { isRoot, user: other } = machinePostgres()
  const user = isRoot ? other : undefined
  await chmod(workFolder, 0o711)
  const physical = postgresPhysicalEngine({ clock: systemClock, places, workFolder, user })
  const { access, attempt, clock, store } = stage.backupTools()
  const backupTools: PhysicalTools = { store, engine: physical, access, clock, attempt }
  const { engine, logical } = stage.verificationTools()
  const proofTools: PhysicalVerificationTools = { store, engine, logical, physical, user, workFolder, clock }
  return { ...stage, backupTools, proofTools }
}

export interface Files {
  readonly artifact: string
  readonly bytes: Buffer
  readonly manifest: PhysicalManifest
  /** Like an attacker with write access to the store. */
  seal(changes: Partial<PhysicalManifest>): Promise<void>
  replace(bytes: Buffer): Promise<void>
  /** Its files, and the arguments of tar that packs them again. */
  change(edit: (dataFolder: string) => Promise<unknown>, packing?: readonly string[]): Promise<void>
}

export async function filesOf(folder: string, manifest: PhysicalManifest): Promise<Files> {
  const artifact = join(folder, manifest.artifact.file)
  const bytes = await readFile(artifact)
  const seal: Files['seal'] = (changes) =>
    writeFile(join(folder, 'manifest.json'), manifestText({ ...manifest, ...changes }))
  const replace: Files['replace'] = async (other) => {
    await writeFile(artifact, other)
    await seal({ artifact: { ...manifest.artifact, sizeBytes: other.length, sha256: sha256Of(other) } })
  }
  const change: Files['change'] = async (edit, packing = []) => {
    const work = await mkdtemp(join(tmpdir(), 'konverge-files-'))
    onTestFinished(() => rm(work, { recursive: true, force: true }))
    const data = join(work, 'data')
    await mkdir(data)
    await run('tar', ['-xzf', artifact, '-C', data])
    await edit(data)
    const packed = join(work, 'packed.tar')
    await run('tar', [...packing, '--absolute-names', '--format=ustar', '-czf', packed, '-C', data, '.'])
    await replace(await readFile(packed))
  }
  return { artifact, bytes, manifest, seal, replace, change }
}
