// How is a whole server copied, file by file, and started again from its copy? Through this port. Every method may reject with an
// EngineError or a LogicalError.
import type { LogicalCall, SourceFacts } from './logical-engine.ts'
import type { ServerAccess } from './server-access.ts'

export interface PhysicalEngine {
  /** From now on the server keeps its log for a copy, until `release`. The login has to be one that may replicate. */
  hold(call: HoldCall): Promise<HeldServer>
  /** Starts a server on the files of a copy, that nobody but this process reaches, and waits until it has recovered. */
  wake(call: WakeCall): Promise<WokenServer>
}

export interface HoldCall extends LogicalCall {
  /** A word that no other worker has. */
  readonly attempt: string
}

export interface HeldServer {
  /** Of the database that the call names. */
  readonly source: SourceFacts
  /** Of all databases of the server. */
  readonly sizeBytes: number
  /** Finds the tool; what it writes is a tar, and throws at its end if the tool says that it is not whole. */
  copy(): Promise<CopyRun>
  /** Never rejects. */
  release(): Promise<void>
}

export interface CopyRun {
  readonly toolVersion: string
  readonly content: AsyncIterable<Uint8Array>
}

export interface WakeCall {
  /** The files, and nothing else. They are changed. */
  readonly dataFolder: string
  readonly majorVersion: number
  /** A superuser of that server. */
  readonly username: string
  /** The files are to be kept: what is written to them is safe on the disk. Default: they are thrown away. */
  readonly areKept?: boolean
  readonly signal: AbortSignal
}

export interface WokenServer {
  readonly access: ServerAccess
  /** Ends it in good order, so that its files are whole and on the disk; rejects if it did not end so. */
  rest(): Promise<void>
  /** Ends it; never rejects. */
  stop(): Promise<void>
}

/** As whom PostgreSQL's server runs, where this process is root's: it refuses to run as root. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}
