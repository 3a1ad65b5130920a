// Job spec of the worker that creates the target server's schema: a JSON file without secrets. It has the database,
// ownership tokens and both servers' addresses; credentials are mounted beside it. Pure.
import { type OrderedDatabase, orderDigest } from '../../migration/worker-order.ts'
import type { SideOrder } from '../../upgrade/new-side.ts'

export interface PrepareOrder {
  /** Version of this format. A worker rejects unknown versions. */
  readonly format: 1
  readonly side: SideOrder
  readonly old: OrderedServer
  readonly next: OrderedServer
}

export type OrderedServer = Pick<OrderedDatabase, 'folder' | 'maintenanceDatabase' | 'tls' | 'hasAuthority' | 'dial'>

/** Undefined: the text does not match the digest, or has another format. */
export function prepareOrderIn(text: string, digest: string): PrepareOrder | undefined {
  if (orderDigest(text) !== digest) return undefined
  // Sound: only the author knows the digest and wrote a PrepareOrder, possibly of another version.
  const order = JSON.parse(text) as { readonly format: unknown }
  return order.format === 1 ? (order as PrepareOrder) : undefined
}
