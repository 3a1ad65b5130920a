// What does pg_basebackup say of the copy that it has made? Which log is needed to recover it, and how many files there are: read from
// the file `backup_manifest` that it leaves among them. Pure.
import { createHash } from 'node:crypto'

export const backupManifestName = 'backup_manifest'

export interface CopyFacts {
  readonly timeline: number
  /** From here on the log is needed. */
  readonly startPosition: string
  /** From here on the copy is of one moment. */
  readonly endPosition: string
  readonly files: number
  /** Of the file `backup_manifest`. */
  readonly manifestSha256: string
}

/** Undefined: it is none, or of a form that nobody knew when this was written. Source: "Backup Manifest Format" of PostgreSQL. */
export function copyFacts(text: string): CopyFacts | undefined {
  const manifest = objectIn(text)
  const files = manifest?.['Files']
  const ranges = manifest?.['WAL-Ranges']
  if (!Array.isArray(files) || !Array.isArray(ranges)) return undefined
  const [range, another] = ranges
  if (!isRecord(range) || another !== undefined) return undefined
  const { Timeline: timeline, 'Start-LSN': startPosition, 'End-LSN': endPosition } = range
  if (typeof timeline !== 'number' || typeof startPosition !== 'string' || typeof endPosition !== 'string') {
    return undefined
  }
  const manifestSha256 = createHash('sha256').update(text).digest('hex')
  return { timeline, startPosition, endPosition, files: files.length, manifestSha256 }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
