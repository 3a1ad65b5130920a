// Orders of workers: make, verify, discard or restore a backup, fill a volume with it, or tidy up, release or clear
// leftovers.
// An order is one JSON file without secrets. It describes the store; credentials, and a volume of the store, are
// mounted next to it. Pure.
import { createHash } from 'node:crypto'
import type { OrderedDatabase } from '../migration/worker-order.ts'
import { jsonObjectIn } from '../worker/json-object.ts'
import { type BackupOrder, folderOf } from './backup-worker.ts'
import type { FilledVolume, FillOrder } from './fill-order.ts'
import type { PhysicalOrder } from './physical-backup-worker.ts'
import type { RestoreOrder } from './restore-order.ts'
import type { TidyOrder } from './tidy-worker.ts'
import type { VerificationOrder } from './verification-worker.ts'

export type WorkOrder =
  | (Common & {
      readonly work: 'backup'
      readonly database: OrderedDatabase
      readonly backup: BackupOrder | PhysicalOrder
    })
  | (Common & {
      readonly work: 'verify'
      /** Server of a test restore; undefined: the worker only reads the artifact. */
      readonly restoresOn?: OrderedDatabase | undefined
      /** Physical backup; `started`: the worker starts a server on its files; `read`: it only reads the artifact. */
      readonly copy?: 'started' | 'read' | undefined
      readonly verification: VerificationOrder
    })
  | (Common & { readonly work: 'discard'; readonly folder: string })
  | (Common & {
      readonly work: 'tidy'
      /** Server on which a test restore may have left a database. */
      readonly restoresOn?: OrderedDatabase | undefined
      readonly tidy: TidyOrder
    })
  | (Named & {
      readonly work: 'restore'
      readonly database: OrderedDatabase
      readonly restore: RestoreOrder
      /** Undefined if the source is a database on the server. */
      readonly store?: OrderedStore
    })
  /** The folder of the database's credentials contains the password. */
  | (Common & { readonly work: 'fill'; readonly fill: FillOrder })
  | (Named & { readonly work: 'clear'; readonly clear: FilledVolume })
  | (Named & { readonly work: 'release'; readonly database: OrderedDatabase; readonly release: ReleaseOrder })

export type Work = WorkOrder['work']

/** Removal of what a withdrawn request left on the server. */
export interface ReleaseOrder extends Pick<RestoreOrder, 'requestId' | 'database'> {
  /**
   * `former`: the database that the request replaced. `copy`: the copy of a request that did not complete, if it has
   * not since.
   */
  readonly what: 'former' | 'copy'
  /** There was no database before the request, so its owner role is removed as well. */
  readonly wasFirst: boolean
}

interface Named {
  /** Version of this format. A worker rejects formats that it does not know. */
  readonly format: 1
  /** Backup or Database of the order: `namespace/name`. */
  readonly name: string
}

interface Common extends Named {
  readonly store: OrderedStore
}

export type OrderedStore =
  /** A volume; `path` is a folder on it. */
  | { readonly kind: 'folder'; readonly claim: string; readonly path?: string | undefined }
  | {
      readonly kind: 's3'
      readonly bucket: string
      readonly prefix?: string | undefined
      readonly region: string
      readonly endpoint?: string | undefined
      readonly forcePathStyle?: boolean | undefined
      readonly encryption?: { readonly algorithm: 'AES256' | 'aws:kms'; readonly keyId?: string } | undefined
      readonly lockDays?: number | undefined
      /** True if the folder of the store's credentials contains keys. */
      readonly hasKeys: boolean
    }

/** Folders with credentials. */
export const databaseFolder = 'database'
/** File in the folder of the database's credentials. */
export const passwordKey = 'password'
export const storeFolder = 'store'
/** Files in the folder of the store's credentials; only the last one is optional. */
export const storeKeys = ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const

/** URI of a folder of the store, for people. */
export function addressOf(store: OrderedStore, folder: string): string {
  if (store.kind === 'folder') return `pvc://${[store.claim, store.path].filter(Boolean).join('/')}/${folder}`
  return `s3://${[store.bucket, store.prefix].filter(Boolean).join('/')}/${folder}`
}

/** Deterministic: the same order gives the same bytes. */
export function workText(order: WorkOrder): string {
  return JSON.stringify(order)
}

export function workDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Undefined if the text does not match the digest, or is an order of other work or another version. */
export function workOrderIn(text: string, digest: string, works: readonly Work[]): WorkOrder | undefined {
  if (workDigest(text) !== digest) return undefined
  const order = jsonObjectIn(text)
  // Sound: only the author knows the digest, and wrote a WorkOrder, perhaps of another version.
  if (order?.['format'] !== 1 || !works.some((work) => work === order['work'])) return undefined
  return order as unknown as WorkOrder
}

/** Work of a text that may be an order. */
export function orderedWork(text: string): Work | undefined {
  try {
    return (JSON.parse(text) as Partial<WorkOrder>).work // Only one word of the text is read, whoever wrote it.
  } catch {
    return undefined
  }
}

/** Folder in a text that may be an order. */
export function orderedFolder(text: string): string | undefined {
  try {
    const order = JSON.parse(text) as Partial<WorkOrder> // Only a folder of the text is read, whoever wrote it.
    if (order.work === 'backup' && order.backup !== undefined) return folderOf(order.backup)
    if (order.work === 'discard') return order.folder
    if (order.work === 'tidy') return order.tidy?.folder
    return order.work === 'verify' ? order.verification?.folder : undefined
  } catch {
    return undefined
  }
}
