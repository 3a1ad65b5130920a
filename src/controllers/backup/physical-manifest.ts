// What makes a copy of a whole server a backup? Its manifest, as that of a database does; beside the database that it was made for it says
// what it takes to recover the server. Pure.
import type { CopyFacts } from '../engines/postgres/physical/backup-manifest.ts'
import { type BackupSource, type Manifest, physicalForm, type Reading, readForm } from './manifest.ts'
import { physicalShape } from './manifest-shape.ts'
import type { PackingMethod } from './packing.ts'

export interface PhysicalManifest extends Pick<Manifest, 'backup' | 'startedAt' | 'completedAt' | 'specHash'> {
  readonly form: typeof physicalForm
  /** The database that the Backup names, and its server. */
  readonly source: BackupSource
  readonly artifact: {
    /** Beside the manifest. */
    readonly file: string
    /** Packed, as it is stored. */
    readonly sizeBytes: number
    /** Hexadecimal. */
    readonly sha256: string
    readonly format: 'pg_basebackup/tar'
    readonly packing: PackingMethod
    /** Of the tool that wrote it. */
    readonly toolVersion: string
  }
  readonly copy: CopyFacts & {
    /** The superuser that it was made as. */
    readonly admin: string
  }
}

export function readPhysicalManifest(text: string): Reading<PhysicalManifest> {
  return readForm<PhysicalManifest>(text, physicalForm, physicalShape)
}
