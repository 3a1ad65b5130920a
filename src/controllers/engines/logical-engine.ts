// Port for logical backup and restore of a database, readable by another server. Invariant: all statements and the dump
// of a frozen database see one snapshot. Every method may reject with an EngineError or a LogicalError.
import type { DatabaseContents, RowHash } from './database-contents.ts'
import type { DatabaseLocale } from './locale.ts'
import type { LogPosition } from './log-position.ts'
import type { PublicRights } from './public-rights.ts'
import type { TableName } from './replication.ts'
import type { Caller, ServerAccess } from './server-access.ts'

export interface LogicalEngine {
  /** Exports a snapshot of a database and holds it until `release`. */
  freeze(call: FreezeCall): Promise<FrozenDatabase>
  /**
   * Restores an artifact into a database that is empty except for `prepared`. The restore is atomic, unless it uses
   * several `jobs` or a tool newer than the server. The login, or `owner`, owns the restored objects.
   *
   * Warning: the author of an artifact can run any code as the login. Never use a superuser.
   */
  restore(call: RestoreCall): Promise<void>
  /**
   * Runs ANALYZE on the tables that the login owns. ANALYZE runs the owner's code as the owner. Tables on which it
   * fails are left to autovacuum.
   */
  analyze(call: LogicalCall): Promise<void>
  /**
   * Restores only the privileges of an artifact that contains them. Objects and their owners have to exist. The
   * statements run no code of other roles. Idempotent.
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
   * For a dump with rows: blocks TRUNCATE, rewrites and DROP of tables from before the snapshot until `release`. A
   * snapshot older than such a change shows the table empty. Not with `asOwner`. With `slot`, `dump` locks the tables.
   */
  readonly keepsTables?: true
  /**
   * The login owns the tables and no other client uses them. Disables row security that applies to the owner (FORCE ROW
   * LEVEL SECURITY) for the snapshot, and restores it afterwards.
   */
  readonly asOwner?: true
  /**
   * Creates a slot that starts exactly at the snapshot, for a publication of the same name and these tables. Blocks
   * writers to the tables for at most 0.5 s at a time. Drops a slot of this name if it starts at `replaces`. Fails with
   * AlreadyExists for any other slot of this name.
   */
  readonly slot?:
    | { readonly name: string; readonly tables: readonly TableName[]; readonly replaces: LogPosition | undefined }
    | undefined
}

export type ContentsOptions =
  /**
   * Tables above this size are counted but not hashed. Default hash: the faster one; for a comparison, the hash of the
   * other side.
   */
  | { readonly hashUpToBytes: number; readonly rowHash?: RowHash; readonly withoutRows?: readonly string[] | undefined }
  /**
   * Readings by the table's name in SQL. Missing tables are skipped, with `rows` `''`. So are tables that are not read
   * after `limitMs`; the largest are read last. After that limit the snapshot cannot be used any more.
   */
  | { readonly tables: ReadonlyMap<string, TableReading>; readonly limitMs: number }

/**
 * `hashed`: by `md5`, comparable with any server. `compared`: by `hashtextextended`, three times as fast, for two
 * servers with the same byte order.
 */
export type TableReading = 'hashed' | 'compared' | 'counted'

export interface TableSize {
  readonly schema: string
  readonly name: string
  readonly sizeBytes: number
}

export interface FrozenDatabase {
  readonly source: SourceFacts
  /** Start of the requested slot. */
  readonly from?: LogPosition | undefined
  /** Returns the sizes of its tables, without indexes. */
  sizes(): Promise<readonly TableSize[]>
  /** Returns the contents of the snapshot. */
  contents(options: ContentsOptions): Promise<DatabaseContents>
  /** Returns the privileges of PUBLIC in the snapshot. */
  publicRights(): Promise<PublicRights>
  /**
   * Finds and starts the dump tool. Resolves when the tool has read all definitions. Rejects with CatalogChanged if
   * other clients changed them since the snapshot. Until `release`, TRUNCATE, rewrites and DROP of dumped tables are
   * blocked. The content stream throws at its end if the tool reports an incomplete dump.
   */
  dump(options: DumpOptions): Promise<DumpRun>
  /**
   * Call after rows are dumped and counted. Rejects with CatalogChanged if types, which no lock protects, have changed.
   */
  confirm(): Promise<void>
  /** Never rejects. */
  release(): Promise<void>
}

export interface DumpOptions {
  /** 0 to 9. Default: the tool's default. */
  readonly compression?: number | undefined
  /** Tables, as `schema.name`, that are dumped without rows. */
  readonly withoutRows?: readonly string[] | undefined
  /** Default: `contents`. With privileges, the target server needs the roles. `schemaWithPrivileges` has no rows. */
  readonly includes?: 'contents' | 'withPrivileges' | 'schemaWithPrivileges'
}

export interface DumpRun {
  readonly toolVersion: string
  readonly content: AsyncIterable<Uint8Array>
}

/** Identity and properties of the database. */
export interface SourceFacts extends DatabaseLocale {
  readonly database: string
  readonly owner: string
  readonly systemIdentifier: string
  readonly databaseOid: number
  readonly serverVersion: string
  readonly majorVersion: number
  readonly logPosition: string
  /** Including indexes. */
  readonly sizeBytes: number
}

export interface ArtifactCall extends LogicalCall {
  readonly artifactFile: string
  /** Major version of the tool that wrote the artifact. */
  readonly writtenBy: number
}

export interface RestoreCall extends ArtifactCall {
  /** Role for SET ROLE before the restore. The login has to be a member. */
  readonly owner?: string | undefined
  /** Number of parallel jobs. The restore is then not atomic. */
  readonly jobs?: number | undefined
  /** Objects that already exist in the database, because only other roles may create them. */
  readonly prepared: PreparedContents
}

export interface PreparedContents {
  readonly schemas: readonly string[]
}
