// Restores an artifact into its own database, as its own role without further privileges, because the artifact's author
// can run code as the restoring role. As that role, it compares the copy with the manifest. Then it removes the copy or
// hands it over.
import { type Clock, passwordFrom, type SecretSource, type Token } from '../../index.ts'
import { contentsDifference, fewOf } from '../engines/contents-difference.ts'
import type { DatabaseEngine, DatabaseServer } from '../engines/engine.ts'
import { localeDifference } from '../engines/locale.ts'
import type { LogicalCall, LogicalEngine } from '../engines/logical-engine.ts'
import { LogicalError } from '../engines/logical-error.ts'
import { scramVerifier } from '../engines/postgres/scram.ts'
import {
  type PublicRight,
  type PublicRights,
  publicDefaultChanges,
  publicRightsDifference,
  publicRightsToSet,
  rightsKnownTo,
} from '../engines/public-rights.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'
import { BackupError } from './backup-error.ts'
import type { Manifest } from './manifest.ts'
import { askQueries, type ProofQuery } from './query-runner.ts'
import { leftoversOf, scratchExtensions, scratchRole } from './scratch-database.ts'
import { whileItMoves } from './stall-watcher.ts'

export interface CopyOrder {
  /** Name of the database and of its role. */
  readonly name: string
  /** Token of both, which identifies leftovers of a dead worker. */
  readonly token: Token
  readonly caller: Caller
  readonly manifest: Manifest
  /** Same value as when the backup was made. */
  readonly hashUpToBytes: number
  readonly connectionLimit?: number
  /** Number of parts that are restored in parallel. Default: 1. */
  readonly jobs?: number | undefined
}

export interface CopyTools {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  /** Access to the server as a role that may create databases and roles. */
  readonly access: ServerAccess
  readonly secrets: SecretSource
  readonly clock: Clock
  /** Limit after which a restore without activity counts as hung. Default: ten minutes. */
  readonly stallMs?: number
}

/** Removes leftovers of a dead worker from a server. */
export async function removeCopy(server: DatabaseServer, name: string, token: Token): Promise<void> {
  const observed = await server.observe({ databases: [name], roles: [{ name }] })
  const leftovers = leftoversOf(observed, name, token)
  if (leftovers instanceof BackupError) throw leftovers
  if (leftovers.database) await server.dropDatabase(name, { force: true })
  if (leftovers.role) await server.change([{ kind: 'dropRole', role: name }])
}

export class RestoredCopy {
  readonly #order: CopyOrder
  readonly #tools: CopyTools
  readonly #admin: DatabaseServer
  /** Ignores the worker's signal. Started changes are completed and removed, because no later worker may find them. */
  readonly #finisher: DatabaseServer
  /** Access as the copy's role. */
  readonly #call: LogicalCall

  private constructor(order: CopyOrder, tools: CopyTools, call: LogicalCall) {
    const { caller, signal } = call
    this.#order = order
    this.#tools = tools
    this.#admin = tools.engine.server(tools.access, { caller, signal })
    this.#finisher = tools.engine.server(tools.access, { caller, signal: new AbortController().signal })
    this.#call = call
  }

  /** Returns an empty copy. First removes what has its name and token. */
  static async make(order: CopyOrder, tools: CopyTools, signal: AbortSignal): Promise<RestoredCopy> {
    const { name, caller } = order
    const password = passwordFrom(tools.secrets, 32)
    const access = { ...tools.access, username: name, password }
    const copy = new RestoredCopy(order, tools, { access, database: name, caller, signal })
    await copy.remove()
    try {
      signal.throwIfAborted()
      await copy.#create(password)
    } catch (error) {
      await copy.remove().catch(() => undefined)
      throw error
    }
    return copy
  }

  async #create(password: string): Promise<void> {
    const { name, token, manifest } = this.#order
    const verifier = scramVerifier({ password, salt: this.#tools.secrets.bytes(16) })
    const { encoding, collate: locale, ctype: characterType, localeProvider } = manifest.source
    const texts = { encoding, locale, characterType, localeProvider }
    await this.#finisher.change(scratchRole({ name, token, verifier }))
    await this.#finisher.createDatabase({ name, owner: name, token, ...texts })
    await this.#finisher.change([{ kind: 'hardenDatabase', database: name }])
  }

  /**
   * Restores, compares and queries the copy. Returns the oid of the verified database. On failure, the copy is removed.
   */
  async prove(artifactFile: string, queries: readonly ProofQuery[]): Promise<number> {
    try {
      await this.#restore(artifactFile)
      await this.#setPublicRights()
      const oid = await this.#compare()
      await this.#ask(queries)
      return oid
    } catch (error) {
      // The first failure counts; the next worker finds the leftovers.
      await this.remove().catch(() => undefined)
      throw error
    }
  }

  async remove(): Promise<void> {
    await removeCopy(this.#finisher, this.#order.name, this.#order.token)
  }

  /**
   * Gives the whole copy to `owner` and drops its role, in one transaction. Ownership by `owner` shows that the copy is
   * verified. So nothing changes if another worker has recreated the copy meanwhile.
   */
  async handOver(owner: string, provenOid: number): Promise<void> {
    const { name: database, manifest, connectionLimit } = this.#order
    // The limit may be lower than a restore needs.
    const limits =
      connectionLimit === undefined ? [] : [{ kind: 'limitConnections', database, connectionLimit } as const]
    await this.#admin.change(
      [
        { kind: 'expectDatabase', database, oid: provenOid },
        ...limits,
        { kind: 'joinRole', role: owner },
        { kind: 'adoptMarks', role: database },
        { kind: 'reassignOwned', role: database, to: owner },
        ...publicDefaultChanges(owner, manifest.publicRights),
        { kind: 'dropOwned', role: database },
        { kind: 'dropRole', role: database },
      ],
      { database },
    )
  }

  async #restore(artifactFile: string): Promise<void> {
    const { manifest, jobs } = this.#order
    const { database } = this.#call
    const { schemas, changes } = scratchExtensions(manifest.contents.extensions, database)
    await this.#admin.change(changes, { database })
    const writtenBy = Number.parseInt(manifest.artifact.toolVersion, 10)
    const { logical, clock, stallMs: limitMs = usualStallMs } = this.#tools
    const stalled = () => hangs(database, limitMs)
    await whileItMoves(
      { clock, limitMs, stalled, signal: this.#call.signal, look: () => this.#movement() },
      async (signal) => {
        await logical.restore({ ...this.#call, signal, artifactFile, writtenBy, jobs, prepared: { schemas } })
        // Queries have a time limit, and applications connect at once.
        await logical.analyze({ ...this.#call, signal })
      },
    )
  }

  /** Runs as the role that owns the copy: it cannot grant anything else, whatever the manifest says. */
  async #setPublicRights(): Promise<void> {
    const { name: database, manifest } = this.#order
    const { publicRights: saved } = manifest
    if (saved === undefined) return
    const rights = await this.#rightsToSet(saved)
    if (rights.length === 0) return
    await this.#asRole().change([{ kind: 'setPublicRights', database, rights }], { database })
  }

  async #rightsToSet(saved: PublicRights): Promise<readonly PublicRight[]> {
    const frozen = await this.#tools.logical.freeze(this.#call)
    try {
      const { majorVersion } = frozen.source
      return publicRightsToSet(rightsKnownTo(majorVersion, saved), await frozen.publicRights())
    } finally {
      await frozen.release()
    }
  }

  /**
   * Returns the sessions as text. Undefined while one of them works. If the tool hangs or its answers are lost, it has
   * no session, or one that only waits for it.
   */
  async #movement(): Promise<string | undefined> {
    const sessions = await this.#admin.sessions({ role: this.#order.name })
    if (sessions.some(({ waitsForClient }) => waitsForClient !== true)) return undefined
    return JSON.stringify(sessions)
  }

  async #compare(): Promise<number> {
    const { manifest, hashUpToBytes } = this.#order
    const frozen = await this.#tools.logical.freeze({ ...this.#call, asOwner: true })
    try {
      const { rowHash = 'md5' } = manifest.contents
      const restored = await frozen.contents({ hashUpToBytes, rowHash })
      const isSameVersion = frozen.source.majorVersion === manifest.source.majorVersion
      const rows = isSameVersion ? 'hashed' : 'counted'
      const { publicRights } = manifest
      const rights = publicRights && rightsKnownTo(frozen.source.majorVersion, publicRights)
      const found = [
        ...localeDifference(manifest.source, frozen.source, { isSameVersion }),
        ...contentsDifference(manifest.contents, restored, { rows }),
        ...(rights === undefined ? [] : fewOf(publicRightsDifference(rights, await frozen.publicRights()))),
      ]
      if (found.length > 0) throw mismatch(found)
      return frozen.source.databaseOid
    } finally {
      await frozen.release()
    }
  }

  async #ask(queries: readonly ProofQuery[]): Promise<void> {
    await askQueries(queries, this.#call.database, this.#asRole())
  }

  #asRole(): DatabaseServer {
    const { access, caller, signal } = this.#call
    return this.#tools.engine.server(access, { caller, signal })
  }
}

const usualStallMs = 10 * 60_000

function hangs(database: string, limitMs: number): LogicalError {
  const message = `nothing has happened in database ${JSON.stringify(database)} for ${limitMs / 1_000} s while it was restored`
  return new LogicalError({ code: 'RestoreFailed', message, remedy: 'retry' })
}

function mismatch(found: readonly string[]): BackupError {
  const message = `what was restored is not what was saved: ${found.join('; ')}`
  return new BackupError({ code: 'ManifestMismatch', message, remedy: 'stop' })
}
