// Events of a watch, for authors. Pure.
import type { LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'
import type { Selection } from './client.ts'

/** Identity of an object that no longer exists or has left the selection. */
export interface DeletedObject {
  readonly namespace?: string | undefined
  readonly name: string
  readonly uid: string
}

/**
 * Existing objects come first as `added`, then `synced` once, then changes. A `deleted` event carries the identity
 * only, because the last state is unknown if the deletion happened during an interruption.
 */
export type ObjectEvent<Watched = LiveObject> =
  | { readonly kind: 'added' | 'modified'; readonly object: Watched }
  | { readonly kind: 'deleted'; readonly object: DeletedObject }
  | { readonly kind: 'synced' }

/** Opens a watch that survives broken connections, until its signal aborts. */
export type OpenWatch = (resource: Resource, selection: Selection, signal: AbortSignal) => AsyncIterable<ObjectEvent>
