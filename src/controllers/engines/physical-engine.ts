// Port for a physical base backup of a server, and for a server that starts from its files. Every method may reject
// with an EngineError or a LogicalError.
import type { LogicalCall, SourceFacts } from './logical-engine.ts'
import type { ServerAccess } from './server-access.ts'

export interface PhysicalEngine {
  /** Retains the server's WAL for a copy, until `release`. The login needs REPLICATION. */
  hold(call: HoldCall): Promise<HeldServer>
  /** Starts a server on the files of a copy and waits until recovery ends. Only this process can connect. */
  wake(call: WakeCall): Promise<WokenServer>
}

export interface HoldCall extends LogicalCall {
  /** Unique among workers. */
  readonly attempt: string
}

export interface HeldServer {
  /** Properties of the database in the call. */
  readonly source: SourceFacts
  /** Size of all databases of the server. */
  readonly sizeBytes: number
  /**
   * Finds and starts the tool. Its output is a tar stream, which throws at its end if the tool reports an incomplete
   * copy.
   */
  copy(): Promise<CopyRun>
  /** Never rejects. */
  release(): Promise<void>
}

export interface CopyRun {
  readonly toolVersion: string
  readonly content: AsyncIterable<Uint8Array>
}

export interface WakeCall {
  /** Folder with only the data files. The server changes them. */
  readonly dataFolder: string
  readonly majorVersion: number
  /** A superuser of that server. */
  readonly username: string
  /** True: the files are kept, with fsync on. Default: false, the files are discarded. */
  readonly areKept?: boolean
  readonly signal: AbortSignal
}

export interface WokenServer {
  readonly access: ServerAccess
  /** Shuts down cleanly, so that its files are complete on disk. Rejects if the shutdown was not clean. */
  rest(): Promise<void>
  /** Stops it. Never rejects. */
  stop(): Promise<void>
}

/** Operating system user of the PostgreSQL server if this process is root, because the server does not run as root. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}
