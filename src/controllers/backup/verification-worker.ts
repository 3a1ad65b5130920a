// Does a backup restore, and to what was saved? It is loaded, restored into a scratch database and compared with its manifest. What happens
// there happens as a role that owns nothing else. The scratch goes in the end, and what a dead worker left of it, in the beginning.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { passwordFrom, type SecretSource, type Token } from '../../index.ts'
import { contentsDifference } from '../engines/contents-difference.ts'
import type { DatabaseEngine, DatabaseServer } from '../engines/engine.ts'
import type { LogicalCall, LogicalEngine } from '../engines/logical-engine.ts'
import { scramVerifier } from '../engines/postgres/scram.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { loadArtifact, loadManifest } from './artifact-loader.ts'
import { BackupError } from './backup-error.ts'
import type { Manifest } from './manifest.ts'
import { leftoversOf, scratchExtensions, scratchName, scratchRole } from './scratch-database.ts'

export interface VerificationOrder {
  readonly backup: Manifest['backup']
  /** Of the backup, in its store. */
  readonly folder: string
  /** Asked of what was restored, as its owner. */
  readonly queries: readonly { readonly sql: string; readonly expect: string }[]
  /** As when it was made. */
  readonly hashUpToBytes: number
}

export interface VerificationTools {
  readonly store: ArtifactStore
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  /** The server that it is tried out on. */
  readonly access: ServerAccess
  readonly secrets: SecretSource
  readonly workFolder: string
}

/** Throws what is wrong with it: ManifestRefused, ChecksumMismatch, RestoreFailed, ManifestMismatch, QueryFailed. */
export async function verifyBackup(
  order: VerificationOrder,
  tools: VerificationTools,
  signal: AbortSignal,
): Promise<Manifest> {
  const { manifest } = await loadManifest(tools.store, order.folder, signal)
  const work = await mkdtemp(join(tools.workFolder, 'verify-'))
  try {
    const artifactFile = join(work, 'artifact.dump')
    await loadArtifact({ store: tools.store, folder: order.folder, manifest, toFile: artifactFile, signal })
    const scratch = await Scratch.make(order, manifest, tools, signal)
    try {
      await scratch.restore(artifactFile)
      await scratch.compare()
      await scratch.askQueries()
    } catch (error) {
      // The first failure counts; what is left is found by the next verification.
      await scratch.remove().catch(() => undefined)
      throw error
    }
    await scratch.remove()
    return manifest
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Removes what a worker that died has left on a server. */
export async function removeScratch(server: DatabaseServer, { uid }: Manifest['backup']): Promise<void> {
  const name = scratchName(uid)
  const observed = await server.observe({ databases: [name], roles: [{ name }] })
  const leftovers = leftoversOf(observed, name, tokenOf(uid))
  if (leftovers instanceof BackupError) throw leftovers
  if (leftovers.database) await server.dropDatabase(name, { force: true })
  if (leftovers.role) await server.change([{ kind: 'dropRole', role: name }])
}

interface ScratchParts {
  readonly order: VerificationOrder
  readonly manifest: Manifest
  readonly tools: VerificationTools
  readonly admin: DatabaseServer
  readonly call: LogicalCall
}

class Scratch {
  readonly #parts: ScratchParts

  private constructor(parts: ScratchParts) {
    this.#parts = parts
  }

  static async make(
    order: VerificationOrder,
    manifest: Manifest,
    tools: VerificationTools,
    signal: AbortSignal,
  ): Promise<Scratch> {
    const { namespace, name: backupName, uid } = order.backup
    const caller: Caller = { kind: 'Backup', namespace, name: backupName }
    const admin = tools.engine.server(tools.access, { caller, signal })
    await removeScratch(admin, order.backup)
    const name = scratchName(uid)
    const token = tokenOf(uid)
    const password = passwordFrom(tools.secrets, 32)
    const verifier = scramVerifier({ password, salt: tools.secrets.bytes(16) })
    const { encoding, collate } = manifest.source
    await admin.change(scratchRole({ name, token, verifier }))
    const access = { ...tools.access, username: name, password }
    const scratch = new Scratch({ order, manifest, tools, admin, call: { access, database: name, caller, signal } })
    try {
      await admin.createDatabase({ name, owner: name, token, encoding, locale: collate })
      await admin.change([{ kind: 'hardenDatabase', database: name }])
    } catch (error) {
      await scratch.remove().catch(() => undefined)
      throw error
    }
    return scratch
  }

  async restore(artifactFile: string): Promise<void> {
    const { manifest, admin, call, tools } = this.#parts
    const { schemas, changes } = scratchExtensions(manifest.contents.extensions, call.database)
    await admin.change(changes, { database: call.database })
    const writtenBy = Number.parseInt(manifest.artifact.toolVersion, 10)
    await tools.logical.restore({ ...call, artifactFile, writtenBy, prepared: { schemas } })
  }

  async compare(): Promise<void> {
    const { manifest, call, tools, order } = this.#parts
    const frozen = await tools.logical.freeze(call)
    try {
      const restored = await frozen.contents({ hashUpToBytes: order.hashUpToBytes })
      const isSameVersion = frozen.source.majorVersion === manifest.source.majorVersion
      const rows = isSameVersion ? 'hashed' : 'counted'
      const found = contentsDifference(manifest.contents, restored, { rows })
      if (found.length > 0) throw mismatch(found)
    } finally {
      await frozen.release()
    }
  }

  async askQueries(): Promise<void> {
    const { order, tools, call } = this.#parts
    const server = tools.engine.server(call.access, { caller: call.caller, signal: call.signal })
    for (const { sql: text, expect } of order.queries) {
      const [row] = await server.query({ text, database: call.database })
      const answer = row === undefined ? undefined : Object.values(row)[0]
      if (answer !== expect) throw otherAnswer(text, expect)
    }
  }

  async remove(): Promise<void> {
    await removeScratch(this.#parts.admin, this.#parts.order.backup)
  }
}

function tokenOf(uid: string): Token {
  return { uid, generation: 1 }
}

function mismatch(found: readonly string[]): BackupError {
  const message = `what was restored is not what was saved: ${found.join('; ')}`
  return new BackupError({ code: 'ManifestMismatch', message, remedy: 'stop' })
}

/** What it answered is not told: it may be anybody's data (I11). */
function otherAnswer(text: string, expect: string): BackupError {
  const message = `the query ${JSON.stringify(text.slice(0, 200))} did not answer ${JSON.stringify(expect)} after the restore`
  return new BackupError({ code: 'QueryFailed', message, remedy: 'stop' })
}
