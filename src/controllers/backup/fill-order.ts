// With which copy of a server is a volume to be filled, and for whom? All that a worker is told; the store, the volume and the password come
// to it apart. Pure data.
import type { RestoredDatabase } from './restore-order.ts'

export interface FillOrder extends FilledVolume {
  /** Of the backup, in its store. */
  readonly folder: string
  /** Major, of the server that is to run on it. */
  readonly version: number
  /** As when the backup was made. */
  readonly hashUpToBytes: number
  /** Asked of the copy before anybody sees it. */
  readonly queries: readonly { readonly sql: string; readonly expect: string }[]
}

export interface FilledVolume {
  /** Whoever asks again under the same id asks for nothing more. */
  readonly requestId: string
  readonly database: RestoredDatabase
  /** Of the volume, for people. */
  readonly claim: string
}
