// What makes an artifact a backup? Its manifest, written last: whose it is, of which database, what was in it, and what the artifact
// hashes to. It is all that a restore needs. One that is cut off, changed or somebody else's is refused in one sentence. Pure.
import { createHash } from 'node:crypto'
import type { DatabaseContents } from '../engines/database-contents.ts'
import type { SourceFacts } from '../engines/logical-engine.ts'
import type { PublicRights } from '../engines/public-rights.ts'
import { logicalShape, misshapen } from './manifest-shape.ts'

/** A reader of another form refuses it. */
const manifestForm = 'konverge/logical-backup/1'
/** Of a copy of a whole server: see `physical-manifest.ts`. */
export const physicalForm = 'konverge/physical-backup/1'

export interface Manifest {
  readonly form: typeof manifestForm
  /** The Backup that it was made for. */
  readonly backup: { readonly uid: string; readonly namespace: string; readonly name: string }
  /** RFC 3339. */
  readonly startedAt: string
  readonly completedAt: string
  readonly source: BackupSource
  readonly artifact: ArtifactRecord
  readonly contents: DatabaseContents
  /** Undefined of one that was written before they were saved. */
  readonly publicRights?: PublicRights
  /** `schema.name` of those whose rows were left out; in `contents` they are empty. */
  readonly excludedTables?: readonly string[]
  /** Of what the Backup asked for. */
  readonly specHash: string
}

/** The database, and the moment of it, that was saved. */
export interface BackupSource extends SourceFacts {
  /** Of the Database. */
  readonly databaseUid: string
}

export interface ArtifactRecord {
  /** Beside the manifest. */
  readonly file: string
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly format: 'pg_dump/custom'
  /** Of the tool that wrote it. */
  readonly toolVersion: string
}

export type ManifestReading = Reading<Manifest>

/** What a text is that should be a manifest of some form. */
export type Reading<Content> =
  | { readonly kind: 'manifest'; readonly manifest: Content }
  /** Completes "the manifest of … ". */
  | { readonly kind: 'refused'; readonly fault: string }

/** A manifest is read whole into memory. */
export const largestManifestBytes = 64 * 1_024 * 1_024

export function newManifest(content: Omit<Manifest, 'form'>): Manifest {
  return { form: manifestForm, ...content }
}

/** JSON for people as well; its digest makes any change of it show. */
export function manifestText(manifest: { readonly form: string }): string {
  return `${JSON.stringify({ sha256: digestOf(manifest), manifest }, null, 1)}\n`
}

export function readManifest(text: string): ManifestReading {
  return readForm<Manifest>(text, manifestForm, logicalShape)
}

/**
 * Sound for what `manifestText` has written of a `Content`: its form says which it is, and its digest that it is, byte by byte, the same. Who
 * wrote it nobody knows, so that of what is used each part has to have its `shape`.
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

/** Undefined: it is nested so deep that it cannot be written again. JSON is read to any depth, and written by recursion. */
function digestIn(manifest: object): string | undefined {
  try {
    return digestOf(manifest)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** JSON keeps the order of keys when it is read, so that reading and writing it again gives the same text. */
function digestOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
