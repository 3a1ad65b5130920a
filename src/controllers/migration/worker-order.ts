// Order of a worker: one JSON file without secrets, with steps, rules and databases. Credentials are mounted next to
// it.
// Invariant: the worker verifies the digest that its Job names, so the order cannot be replaced. Pure.
import { createHash } from 'node:crypto'
import type { TlsMode } from '../engines/server-access.ts'
import { jsonObjectIn } from '../worker/json-object.ts'
import type { MigrationOrder } from './migration-plan.ts'

export interface WorkerOrder {
  /** Version of this format. A worker rejects formats that it does not know. */
  readonly format: 1
  /** Permanent key of the markers: `namespace/name`. */
  readonly migration: string
  /** Lock key: one migration with this key runs at a time in a database. */
  readonly lock: string
  readonly target: OrderedDatabase
  /** Sources of copies, by the name in their steps. */
  readonly sources: readonly OrderedDatabase[]
  readonly order: MigrationOrder
  readonly isRehearsed: boolean
  readonly requiresVerify: boolean
  /** Pre-delete run that only removes replications. Its value is the number of the try, from 1. */
  readonly parting?: number
}

export interface OrderedDatabase {
  /** Name of the Database: `namespace/name`. */
  readonly name: string
  /** Folder in the mount of credentials with host, port, username, password and optionally ca.crt. */
  readonly folder: string
  readonly database: string
  /** Role that owns the database. */
  readonly owner: string
  readonly maintenanceDatabase: string
  readonly tls: TlsMode
  /** True if there is a ca.crt. */
  readonly hasAuthority: boolean
  /** Address to dial instead of host and port. */
  readonly dial?: { readonly host: string; readonly port: number } | undefined
}

/** Keys of a connection, which are files in its folder. */
export const credentialKeys = ['host', 'port', 'username', 'password'] as const
export const authorityKey = 'ca.crt'

/** Deterministic: the same order gives the same bytes. */
export function orderText(order: WorkerOrder): string {
  return JSON.stringify(order)
}

export function orderDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Undefined if the text does not match the digest, or has another version. */
export function workerOrderIn(text: string, digest: string): WorkerOrder | undefined {
  if (orderDigest(text) !== digest) return undefined
  const order = jsonObjectIn(text)
  // Sound: only the author knows the digest, and wrote a WorkerOrder, perhaps of another version.
  return order?.['format'] === 1 ? (order as unknown as WorkerOrder) : undefined
}
