// Events of a watch in the hands of an author. Pure.
import type { LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'
import type { Selection } from './client.ts'

/** Identity of an object that no longer exists, or has left the selection. */
export interface DeletedObject {
  readonly namespace?: string | undefined
  readonly name: string
  readonly uid: string
}

/**
 * Objects that exist are `added` first, then comes `synced` once, then changes. A `deleted` event carries the identity alone: of a deletion during an interruption
 * nobody knows the last state.
 */
export type ObjectEvent<Watched = LiveObject> =
  | { readonly kind: 'added' | 'modified'; readonly object: Watched }
  | { readonly kind: 'deleted'; readonly object: DeletedObject }
  | { readonly kind: 'synced' }

/** Opens a watch that outlives connections, until its signal aborts. */
export type OpenWatch = (resource: Resource, selection: Selection, signal: AbortSignal) => AsyncIterable<ObjectEvent>
