// Manifest of a physical backup: the database that it was made for, and the data that the recovery of its server needs.
// Pure.
import type { CopyFacts } from '../engines/postgres/physical/backup-manifest.ts'
import { type BackupSource, type Manifest, physicalForm, type Reading, readForm } from './manifest.ts'
import { physicalShape } from './manifest-shape.ts'
import type { PackingMethod } from './packing.ts'

export interface PhysicalManifest extends Pick<Manifest, 'backup' | 'startedAt' | 'completedAt' | 'specHash'> {
  readonly form: typeof physicalForm
  /** The database of the Backup, and its server. */
  readonly source: BackupSource
  readonly artifact: {
    /** File name, in the folder of the manifest. */
    readonly file: string
    /** Size of the compressed file, as stored. */
    readonly sizeBytes: number
    /** Hexadecimal SHA-256. */
    readonly sha256: string
    readonly format: 'pg_basebackup/tar'
    readonly packing: PackingMethod
    /** Version of the tool that wrote it. */
    readonly toolVersion: string
  }
  readonly copy: CopyFacts & {
    /** Superuser that made the copy. */
    readonly admin: string
  }
}

export function readPhysicalManifest(text: string): Reading<PhysicalManifest> {
  return readForm<PhysicalManifest>(text, physicalForm, physicalShape)
}
