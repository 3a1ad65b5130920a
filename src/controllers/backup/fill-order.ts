// Order of a worker that fills a volume with a server copy. Store, volume and password are mounted separately. Pure
// data.
import type { RestoredDatabase } from './restore-order.ts'

export interface FillOrder extends FilledVolume {
  /** Folder of the backup in its store. */
  readonly folder: string
  /** Major version of the server that will run on the volume. */
  readonly version: number
  /** Same limit as in the backup. */
  readonly hashUpToBytes: number
  /** Verification queries that run in the copy before it is used. */
  readonly queries: readonly { readonly sql: string; readonly expect: string }[]
}

export interface FilledVolume {
  /** Id of the request. A second order with the same id changes nothing. */
  readonly requestId: string
  readonly database: RestoredDatabase
  /** Name of the volume claim, for messages. */
  readonly claim: string
}
