// The kind Archive, as in its CustomResourceDefinition, and the facts of a reconcile.
import { defineResource, type SagaRecord, type StatusWithConditions } from '../../src/index.ts'

export interface ArchiveSpec {
  /** Desired folder of its files. */
  readonly folder: string
  /** A new number retries a failed move. */
  readonly attempt: number
}

export interface ArchiveStatus extends StatusWithConditions {
  /** Folder that its readers use. */
  readonly folder?: string
  readonly sagas?: readonly SagaRecord[]
}

export interface ArchiveFacts {
  readonly folder: string | undefined
}

export const Archive = defineResource<ArchiveSpec, ArchiveStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Archive',
  plural: 'archives',
  scope: 'Namespaced',
})
