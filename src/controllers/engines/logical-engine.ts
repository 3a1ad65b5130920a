// How is a database saved and restored as a whole, in a form that another server can read? Through this port. What is read of it, by
// statements and by the tool that saves it, is of one moment. Every method may reject with an EngineError or a LogicalError.
import type { DatabaseContents, RowHash } from './database-contents.ts'
import type { DatabaseLocale } from './locale.ts'
import type { LogPosition } from './log-position.ts'
import type { PublicRights } from './public-rights.ts'
import type { TableName } from './replication.ts'
import type { Caller, ServerAccess } from './server-access.ts'

export interface LogicalEngine {
  /** Holds one moment of a database, until `release`. */
  freeze(call: FreezeCall): Promise<FrozenDatabase>
  /**
   * All of an artifact or nothing, unless it is restored by several `jobs` or by a tool that is newer than the server, into a database that has
   * nothing in it but `prepared`. What is restored belongs to whoever logs in, or to `owner`. Whoever wrote the artifact could run anything as whoever logs in here: never let it be a superuser.
   */
  restore(call: RestoreCall): Promise<void>
  /**
   * Lets the server plan by what is in the tables of whoever logs in. It looks at samples, and runs what he has made as him; where that fails,
   * the rest is left to the server.
   */
  analyze(call: LogicalCall): Promise<void>
  /**
   * The privileges out of an artifact that has them, when everything else is there and belongs to whom it should. Nothing in them calls
   * what others have written. May be repeated.
   */
  restorePrivileges(call: ArtifactCall): Promise<void>
}

export interface LogicalCall {
  readonly access: ServerAccess
  readonly database: string
  readonly caller: Caller
  readonly signal: AbortSignal
}

export interface FreezeCall extends LogicalCall {
  /**
   * For a dump with rows: nobody empties, rewrites or drops a table from before the snapshot on until `release`. A snapshot that is older
   * than such a change shows the table empty. Not together with `asOwner`; with `slot` tables are locked by `dump`.
   */
  readonly keepsTables?: true
  /**
   * Whoever logs in owns the tables, and nobody else uses them: policies that hold for him too are not heeded at that moment. They are in
   * force again after it.
   */
  readonly asOwner?: true
  /**
   * A slot is made from which everything can be taken that comes behind that moment, for a publication of the same name and these tables.
   * Who writes to them is kept waiting for at most half a second at a time. One of that name that begins at `replaces` goes first; for
   * another one, that somebody has made since, AlreadyExists.
   */
  readonly slot?:
    | { readonly name: string; readonly tables: readonly TableName[]; readonly replaces: LogPosition | undefined }
    | undefined
}

export type ContentsOptions =
  /** Tables larger than this are counted, and their rows not hashed; as what they are compared with, by default in the faster way. */
  | { readonly hashUpToBytes: number; readonly rowHash?: RowHash; readonly withoutRows?: readonly string[] | undefined }
  /**
   * Of each table by its name in SQL; one that is not there is not looked at, and its `rows` are `''`. The same holds of those that are not
   * read after `limitMs`, of which the largest come last; nothing more can be asked of that moment then.
   */
  | { readonly tables: ReadonlyMap<string, TableReading>; readonly limitMs: number }

/**
 * `hashed`: for comparisons with any server, by `md5`. `compared`: three times as fast, by `hashtextextended`, for two servers of machines
 * with the same order of bytes.
 */
export type TableReading = 'hashed' | 'compared' | 'counted'

export interface TableSize {
  readonly schema: string
  readonly name: string
  readonly sizeBytes: number
}

export interface FrozenDatabase {
  readonly source: SourceFacts
  /** Where the slot begins that was asked for. */
  readonly from?: LogPosition | undefined
  /** How large its tables are, without indexes. */
  sizes(): Promise<readonly TableSize[]>
  /** What is there at that moment. */
  contents(options: ContentsOptions): Promise<DatabaseContents>
  /** What everybody may do at that moment. */
  publicRights(): Promise<PublicRights>
  /**
   * Finds the tool and starts it; resolves when the tool has read all definitions. Rejects with CatalogChanged where others changed them since
   * the snapshot. What the tool writes throws at its end if the tool says that it is not whole. Until `release` nobody empties, rewrites or
   * drops a table whose rows it writes.
   */
  dump(options: DumpOptions): Promise<DumpRun>
  /** When rows have been dumped and counted: rejects with CatalogChanged where types that no lock keeps have changed meanwhile. */
  confirm(): Promise<void>
  /** Never rejects. */
  release(): Promise<void>
}

export interface DumpOptions {
  /** 0 to 9; default: the tool's own. */
  readonly compression?: number | undefined
  /** `schema.name` of tables that come empty. */
  readonly withoutRows?: readonly string[] | undefined
  /** Default: `contents`. Privileges are for a server that has the roles, and a schema is without rows. */
  readonly includes?: 'contents' | 'withPrivileges' | 'schemaWithPrivileges'
}

export interface DumpRun {
  readonly toolVersion: string
  readonly content: AsyncIterable<Uint8Array>
}

/** The database as its server knows it. */
export interface SourceFacts extends DatabaseLocale {
  readonly database: string
  readonly owner: string
  readonly systemIdentifier: string
  readonly databaseOid: number
  readonly serverVersion: string
  readonly majorVersion: number
  readonly logPosition: string
  /** With indexes and all. */
  readonly sizeBytes: number
}

export interface ArtifactCall extends LogicalCall {
  readonly artifactFile: string
  /** The major version of the tool that wrote it. */
  readonly writtenBy: number
}

export interface RestoreCall extends ArtifactCall {
  /** Whoever logs in becomes it first, and has to be a member. */
  readonly owner?: string | undefined
  /** So many parts at once, and then not all or nothing. */
  readonly jobs?: number | undefined
  /** What the database has already, as only others may make it. */
  readonly prepared: PreparedContents
}

export interface PreparedContents {
  readonly schemas: readonly string[]
}
