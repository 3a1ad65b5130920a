// What is a worker told to do with a backup? To save, to verify, to discard or to restore it, to fill a volume with it, or to tidy up, release
// or clear what these have left: one file of JSON, without secrets. Which store it is is in the order; the credentials, and the volume if the
// store is one, are mounted beside it. Pure.
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
      /** Restored as well, and not only read. */
      readonly restoresOn?: OrderedDatabase | undefined
      /** It is a copy of a server; `started`: not only read. */
      readonly copy?: 'started' | 'read' | undefined
      readonly verification: VerificationOrder
    })
  | (Common & { readonly work: 'discard'; readonly folder: string })
  | (Common & {
      readonly work: 'tidy'
      /** It may have been tried out there. */
      readonly restoresOn?: OrderedDatabase | undefined
      readonly tidy: TidyOrder
    })
  | (Named & {
      readonly work: 'restore'
      readonly database: OrderedDatabase
      readonly restore: RestoreOrder
      /** Undefined where nothing of it is needed. */
      readonly store?: OrderedStore
    })
  /** The password is in the folder of the database's credentials. */
  | (Common & { readonly work: 'fill'; readonly fill: FillOrder })
  | (Named & { readonly work: 'clear'; readonly clear: FilledVolume })
  | (Named & { readonly work: 'release'; readonly database: OrderedDatabase; readonly release: ReleaseOrder })

export type Work = WorkOrder['work']

/** What a request has left on the server, once nobody wants it any more. */
export interface ReleaseOrder extends Pick<RestoreOrder, 'requestId' | 'database'> {
  /** `former`: what it has replaced. `copy`: what it has made without getting to its end, if it has not got there. */
  readonly what: 'former' | 'copy'
  /** There was no database before, and there is to be none: the role that was to own it goes as well. */
  readonly wasFirst: boolean
}

interface Named {
  /** Of this file. A worker refuses those that it does not know. */
  readonly format: 1
  /** Of the Backup or the Database that it is for: `namespace/name`. */
  readonly name: string
}

interface Common extends Named {
  readonly store: OrderedStore
}

export type OrderedStore =
  /** A volume; `path` is a folder in it. */
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
      /** Are there keys in the folder of the store's credentials? */
      readonly hasKeys: boolean
    }

/** Folders of credentials. */
export const databaseFolder = 'database'
/** A file of the database's credentials. */
export const passwordKey = 'password'
export const storeFolder = 'store'
/** Files of the store's credentials; only the last may be missing. */
export const storeKeys = ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const

/** Where people find what is in this folder of the store. */
export function addressOf(store: OrderedStore, folder: string): string {
  if (store.kind === 'folder') return `pvc://${[store.claim, store.path].filter(Boolean).join('/')}/${folder}`
  return `s3://${[store.bucket, store.prefix].filter(Boolean).join('/')}/${folder}`
}

/** Same order, same bytes. */
export function workText(order: WorkOrder): string {
  return JSON.stringify(order)
}

export function workDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Undefined: it is another text than the digest is of, or an order of other work or another version. */
export function workOrderIn(text: string, digest: string, works: readonly Work[]): WorkOrder | undefined {
  if (workDigest(text) !== digest) return undefined
  const order = jsonObjectIn(text)
  // Sound: only who wrote it knows the digest, and he wrote a WorkOrder, perhaps of another version.
  if (order?.['format'] !== 1 || !works.some((work) => work === order['work'])) return undefined
  return order as unknown as WorkOrder
}

/** Of a text that may be an order: what is to be done. */
export function orderedWork(text: string): Work | undefined {
  try {
    return (JSON.parse(text) as Partial<WorkOrder>).work // Whoever wrote it, a word is all that is read of it.
  } catch {
    return undefined
  }
}

/** Of a text that may be an order: the folder that it is about. */
export function orderedFolder(text: string): string | undefined {
  try {
    const order = JSON.parse(text) as Partial<WorkOrder> // Whoever wrote it, a folder is all that is read of it.
    if (order.work === 'backup' && order.backup !== undefined) return folderOf(order.backup)
    if (order.work === 'discard') return order.folder
    if (order.work === 'tidy') return order.tidy?.folder
    return order.work === 'verify' ? order.verification?.folder : undefined
  } catch {
    return undefined
  }
}
