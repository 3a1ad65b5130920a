// Has this very apply met this very state before, and changed nothing? What an apply makes of an object follows from its text, its
// options and the object alone, and a state never changes: then it changes nothing again. Operators apply the same all the time.
import { hash } from 'node:crypto'
import type { Committed } from './object-log.ts'
import type { ServedResource } from './strategy.ts'
import type { WriteOptions } from './write-options.ts'

interface Left {
  readonly resource: ServedResource
  readonly digest: string
}

export class RepeatedApplies {
  /** The last apply that left a state as it was, by a digest: its text would be as much memory as the object. */
  readonly #left = new WeakMap<Committed, Left>()

  /** A resource is another one as soon as its schema is. */
  changesNothing(state: Committed, resource: ServedResource, digest: string): boolean {
    const left = this.#left.get(state)
    return left !== undefined && left.resource === resource && left.digest === digest
  }

  remember(state: Committed, resource: ServedResource, digest: string): void {
    this.#left.set(state, { resource, digest })
  }
}

/** Stands for all that an apply is, but for the object that it meets. */
export function applyDigest(body: string, subresource: string, options: WriteOptions): string {
  return hash('sha256', `${JSON.stringify([subresource, options])}\n${body}`, 'base64')
}
