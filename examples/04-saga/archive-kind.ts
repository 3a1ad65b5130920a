// What is an Archive? The kind, as its CustomResourceDefinition has it, and what is looked up about one.
import { defineResource, type SagaRecord, type StatusWithConditions } from '../../src/index.ts'

export interface ArchiveSpec {
  /** Where its files are to be. */
  readonly folder: string
  /** Another number tries a move again that failed. */
  readonly attempt: number
}

export interface ArchiveStatus extends StatusWithConditions {
  /** Where its readers find them. */
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
