// Persistence of the object log. Every commit is in the file before any listener sees it.
// Invariant: a killed process loses no acknowledged write.
// A corrupt file is rejected; its content is never guessed.
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Claim, claim } from '../../base/claim-provisioner.ts'
import { CodedError, messageOf } from '../../base/errors.ts'
import { type LogEntry, ObjectLog, type ObjectLogOptions } from '../object-log.ts'
import { internalError } from '../status-error.ts'
import { type LogRecord, recordLine, scanLog } from './log-format.ts'

export type PersistenceErrorCode = 'CorruptLog' | 'LogInUse'

export class PersistenceError extends CodedError<PersistenceErrorCode> {
  override readonly name = 'PersistenceError'
}

export interface OpenLogOptions extends ObjectLogOptions {
  readonly folder: string
  /** True to keep all valid records of a corrupt file instead of rejecting it. The corrupt file is kept beside it. */
  readonly repairs?: boolean
}

export interface PersistedLog {
  readonly log: ObjectLog
  /** Number of records read. */
  readonly read: number
  close(): void
}

const fileName = 'objects.log'
const lockName = 'lock'
/** The file contains Secrets. */
const ownerOnly = 0o600
const ownFolder = 0o700
/** Number of surplus records, compared with objects, above which the file is rewritten. */
const superseded = 10_000

/**
 * Opens the log of a folder, creates the folder if needed, and records all later commits.
 * Throws PersistenceError: CorruptLog, LogInUse.
 */
export function openPersistedLog(options: OpenLogOptions): PersistedLog {
  const { folder, repairs = false } = options
  mkdirSync(folder, { recursive: true, mode: ownFolder })
  const lock = takeLock(folder)
  const path = join(folder, fileName)
  const scanned = scanLog(readIfThere(path))
  if (scanned.corruptAt !== undefined && !repairs) {
    lock.release()
    throw new PersistenceError({
      code: 'CorruptLog',
      remedy: 'stop',
      message: `${path} is corrupt at byte ${scanned.corruptAt}; run again with --repair to keep its ${scanned.salvaged.length} whole records, or name another folder`,
    })
  }
  const records = repairs ? scanned.salvaged : scanned.records
  const log = logOf(records, options)
  if (scanned.corruptAt !== undefined) renameSync(path, `${path}.corrupt`)
  const recorder = new LogRecorder({ path, log, records: records.length, wholeBytes: scanned.wholeBytes })
  if (scanned.corruptAt !== undefined) recorder.rewrite()
  else recorder.rewriteIfSuperseded()
  log.recordWith(
    (entry) => recorder.write(entry),
    () => recorder.rewriteIfSuperseded(),
  )
  let isOpen = true
  const close = () => {
    if (!isOpen) return
    isOpen = false
    recorder.close()
    lock.release()
  }
  return { log, read: records.length, close }
}

/** Holds the open file, and rewrites it if most of it is history. */
class LogRecorder {
  readonly #path: string
  readonly #log: ObjectLog
  #records: number
  #file: number
  #size: number

  constructor(found: { path: string; log: ObjectLog; records: number; wholeBytes: number }) {
    this.#path = found.path
    this.#log = found.log
    this.#records = found.records
    this.#size = found.wholeBytes
    this.#file = openSync(found.path, 'a', ownerOnly)
    ftruncateSync(this.#file, this.#size)
  }

  /**
   * Appends a record. Throws StatusError (500) if the disk is full; nothing is committed then, and the next write tries
   * again.
   */
  write({ kind, revision, place, now }: LogEntry): void {
    try {
      this.#size += writeWhole(this.#file, recordLine({ kind, revision, place, object: now.object }))
      this.#records++
    } catch (thrown) {
      ftruncateSync(this.#file, this.#size) // No partial record may precede the next one.
      throw internalError(`nothing was written, because ${this.#path} takes no more: ${messageOf(thrown)}`)
    }
  }

  /** Rewrites the file if history outweighs objects, so that the cost is amortized over as many writes. */
  rewriteIfSuperseded(): void {
    const count = countOf(this.#log)
    if (this.#records - count <= Math.max(superseded, count)) return
    try {
      this.rewrite()
    } catch (thrown) {
      // On a full disk the old file stays in use; it is rewritten once there is room.
      rmSync(`${this.#path}.new`, { force: true })
      if (!isFullDisk(thrown)) throw thrown
    }
  }

  rewrite(): void {
    rewrite(this.#path, this.#log)
    closeSync(this.#file)
    this.#file = openSync(this.#path, 'a', ownerOnly)
    this.#size = fstatSync(this.#file).size
    this.#records = countOf(this.#log) + 1
  }

  close(): void {
    closeSync(this.#file)
  }
}

function logOf(records: readonly LogRecord[], options: ObjectLogOptions): ObjectLog {
  const log = new ObjectLog(options)
  for (const record of records) {
    if (record.kind !== 'base') log.replay(record.kind, record.place, record.revision, record.object)
    else {
      log.skipTo(record.revision)
      log.compact(record.revision)
    }
  }
  return log
}

function countOf(log: ObjectLog): number {
  return log.shelves().reduce((sum, shelf) => sum + log.list(shelf).length, 0)
}

/** Writes the current objects, ordered by revision, then the revision of the log. */
function rewrite(path: string, log: ObjectLog): void {
  const states = log.shelves().flatMap((shelf) => log.list(shelf))
  const file = openSync(`${path}.new`, 'w', ownerOnly)
  try {
    for (const { place, revision, object } of states.toSorted((left, right) => left.revision - right.revision))
      writeWhole(file, recordLine({ kind: 'created', revision, place, object }))
    writeWhole(file, recordLine({ kind: 'base', revision: log.revision }))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
}

/** Writes the whole text or throws. Returns the number of bytes. */
function writeWhole(file: number, text: string): number {
  const bytes = Buffer.from(text, 'utf8')
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
  return bytes.length
}

/** Takes the lock of a folder. Invariant: one process per folder. */
function takeLock(folder: string): Claim {
  const claimed = claim(join(folder, lockName))
  if (!claimed.isTaken) return claimed
  const who = claimed.holder === undefined ? 'another process' : `process ${claimed.holder}`
  throw new PersistenceError({
    code: 'LogInUse',
    remedy: 'stop',
    message: `${folder} is in use by ${who}; end it, or name another folder`,
  })
}

function isFullDisk(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOSPC' || thrown.code === 'EDQUOT')
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return Buffer.alloc(0)
    throw thrown
  }
}
