// What is a worker told to do? One file of JSON, without secrets: the steps, the rules, and how each database is reached but for the
// credentials, which are mounted beside it. Who starts the worker names the order's digest, so that nobody slips it another one. Pure.
import { createHash } from 'node:crypto'
import type { TlsMode } from '../engines/server-access.ts'
import { jsonObjectIn } from '../worker/json-object.ts'
import type { MigrationOrder } from './migration-plan.ts'

export interface WorkerOrder {
  /** Of this file. A worker refuses those that it does not know. */
  readonly format: 1
  /** What marks are found by, for ever: `namespace/name`. */
  readonly migration: string
  /** Only one migration of this name runs at a time in a database. */
  readonly lock: string
  readonly target: OrderedDatabase
  /** Those that copies come from, by the name that their steps have. */
  readonly sources: readonly OrderedDatabase[]
  readonly order: MigrationOrder
  readonly isRehearsed: boolean
  readonly requiresVerify: boolean
  /** The Migration goes: no step is begun, and what follows is taken away. Which try of it this is, from 1 on. */
  readonly parting?: number
}

export interface OrderedDatabase {
  /** Of the Database: `namespace/name`. */
  readonly name: string
  /** Below the mount of credentials: a folder with host, port, username, password and perhaps ca.crt. */
  readonly folder: string
  readonly database: string
  /** The role that owns it. */
  readonly owner: string
  readonly maintenanceDatabase: string
  readonly tls: TlsMode
  /** Is there a ca.crt? */
  readonly hasAuthority: boolean
  /** The address that is dialled instead of host and port. */
  readonly dial?: { readonly host: string; readonly port: number } | undefined
}

/** The keys of a connection that are files of its folder. */
export const credentialKeys = ['host', 'port', 'username', 'password'] as const
export const authorityKey = 'ca.crt'

/** Same order, same bytes. */
export function orderText(order: WorkerOrder): string {
  return JSON.stringify(order)
}

export function orderDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Undefined: it is another text than the digest is of, or one of another version. */
export function workerOrderIn(text: string, digest: string): WorkerOrder | undefined {
  if (orderDigest(text) !== digest) return undefined
  const order = jsonObjectIn(text)
  // Sound: only who wrote it knows the digest, and he wrote a WorkerOrder, perhaps of another version.
  return order?.['format'] === 1 ? (order as unknown as WorkerOrder) : undefined
}
