// What is the worker told that makes the new side of an upgrade? One file of JSON, without secrets: which database, by which marks, and how
// both servers are reached but for the credentials, which are mounted beside it. Pure.
import { type OrderedDatabase, orderDigest } from '../../migration/worker-order.ts'
import type { SideOrder } from '../../upgrade/new-side.ts'

export interface PrepareOrder {
  /** Of this file. A worker refuses those that it does not know. */
  readonly format: 1
  readonly side: SideOrder
  readonly old: OrderedServer
  readonly next: OrderedServer
}

export type OrderedServer = Pick<OrderedDatabase, 'folder' | 'maintenanceDatabase' | 'tls' | 'hasAuthority' | 'dial'>

/** Undefined: it is another text than the digest is of, or one of another version. */
export function prepareOrderIn(text: string, digest: string): PrepareOrder | undefined {
  if (orderDigest(text) !== digest) return undefined
  // Sound: only who wrote it knows the digest, and he wrote a PrepareOrder, perhaps of another version.
  const order = JSON.parse(text) as { readonly format: unknown }
  return order.format === 1 ? (order as PrepareOrder) : undefined
}
