// Facts about a base backup from pg_basebackup's file `backup_manifest`: the WAL that recovery needs, and the number of
// files. Pure.
import { createHash } from 'node:crypto'

export const backupManifestName = 'backup_manifest'

export interface CopyFacts {
  readonly timeline: number
  /** WAL is needed from here on. */
  readonly startPosition: string
  /** The copy is consistent from here on. */
  readonly endPosition: string
  readonly files: number
  /** Checksum of the file `backup_manifest`. */
  readonly manifestSha256: string
}

/** Returns the facts. Undefined for a text of another or unknown form. Source: PostgreSQL, "Backup Manifest Format". */
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
