// Manifest of a backup: its Backup, its database, the contents of the database, and the artifact's hash. A restore
// needs nothing else. A manifest that is truncated, changed or not of a Backup is rejected with one sentence.
// Invariant: the manifest is written last, and makes the artifact a backup. Pure.
import { createHash } from 'node:crypto'
import type { DatabaseContents } from '../engines/database-contents.ts'
import type { SourceFacts } from '../engines/logical-engine.ts'
import type { PublicRights } from '../engines/public-rights.ts'
import { logicalShape, misshapen } from './manifest-shape.ts'

/** Form of a logical backup. Readers of other forms reject it. */
const manifestForm = 'konverge/logical-backup/1'
/** Form of a copy of a whole server: see `physical-manifest.ts`. */
export const physicalForm = 'konverge/physical-backup/1'

export interface Manifest {
  readonly form: typeof manifestForm
  /** Backup that the artifact was made for. */
  readonly backup: { readonly uid: string; readonly namespace: string; readonly name: string }
  /** RFC 3339. */
  readonly startedAt: string
  readonly completedAt: string
  readonly source: BackupSource
  readonly artifact: ArtifactRecord
  readonly contents: DatabaseContents
  /** Undefined in manifests of earlier versions, which did not record them. */
  readonly publicRights?: PublicRights
  /** Tables as `schema.name` whose rows were left out; in `contents` they are empty. */
  readonly excludedTables?: readonly string[]
  /** Hash of what the Backup requested. */
  readonly specHash: string
}

/** Database that was backed up, and its snapshot. */
export interface BackupSource extends SourceFacts {
  /** Uid of the Database. */
  readonly databaseUid: string
}

export interface ArtifactRecord {
  /** File name in the manifest's folder. */
  readonly file: string
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly format: 'pg_dump/custom'
  /** Version of the tool that wrote the artifact. */
  readonly toolVersion: string
}

export type ManifestReading = Reading<Manifest>

/** Result of reading a text as a manifest of some form. */
export type Reading<Content> =
  | { readonly kind: 'manifest'; readonly manifest: Content }
  /** `fault` completes "the manifest of … ". */
  | { readonly kind: 'refused'; readonly fault: string }

/** Limit of size, because a manifest is read whole into memory. */
export const largestManifestBytes = 64 * 1_024 * 1_024

export function newManifest(content: Omit<Manifest, 'form'>): Manifest {
  return { form: manifestForm, ...content }
}

/** Returns readable JSON. Its digest detects every change. */
export function manifestText(manifest: { readonly form: string }): string {
  return `${JSON.stringify({ sha256: digestOf(manifest), manifest }, null, 1)}\n`
}

export function readManifest(text: string): ManifestReading {
  return readForm<Manifest>(text, manifestForm, logicalShape)
}

/**
 * Reads a manifest of one form. Sound for what `manifestText` wrote of a `Content`: the form tells the type, and the
 * digest shows that every byte is unchanged. The author is unknown, so each part in use must have its `shape`.
 */
export function readForm<Content extends { readonly form: string }>(
  text: string,
  form: Content['form'],
  shape: Parameters<typeof misshapen>[1],
): Reading<Content> {
  const refused = (fault: string): Reading<Content> => ({ kind: 'refused', fault })
  let sealed: unknown
  try {
    sealed = JSON.parse(text)
  } catch {
    return refused('is no JSON: it was cut off or changed')
  }
  if (!isRecord(sealed) || !isRecord(sealed['manifest'])) return refused('was not written by a Backup')
  const { manifest, sha256 } = sealed
  if (manifest['form'] !== form) return refused(otherForm(manifest['form']))
  const digest = digestIn(manifest)
  if (digest === undefined) return refused('is nested deeper than any that a Backup writes')
  if (digest !== sha256) return refused('was changed after it was written')
  const part = misshapen(manifest, shape)
  if (part !== undefined) return refused(`has in ${part} what this version does not write, and is not used`)
  return { kind: 'manifest', manifest: manifest as unknown as Content }
}

function otherForm(form: unknown): string {
  if (form === physicalForm)
    return 'is of a whole server, method Physical, which is no database that could be restored into one'
  if (form === manifestForm) return 'is of a database, method Logical, and not of a whole server'
  const isName = typeof form === 'string' && /^[\w./-]{1,100}$/.test(form)
  return `is of ${isName ? `the form ${JSON.stringify(form)}` : 'an unknown form'}, which this version cannot read`
}

export function manifestSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Returns undefined if the manifest is nested too deeply to write. JSON is parsed at any depth, but written by
 * recursion.
 */
function digestIn(manifest: object): string | undefined {
  try {
    return digestOf(manifest)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** JSON keeps the order of keys when it is parsed, so parsing and writing it gives the same text. */
function digestOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
