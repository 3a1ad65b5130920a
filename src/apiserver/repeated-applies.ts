// Memory of server-side applies that changed nothing. Operators repeat equal applies all the time.
// The result of an apply depends only on its text, its options and the object, and a committed state is immutable.
// So an apply that left a state unchanged once does so again.
import { hash } from 'node:crypto'
import type { Committed } from './object-log.ts'
import type { ServedResource } from './strategy.ts'
import type { WriteOptions } from './write-options.ts'

interface Left {
  readonly resource: ServedResource
  readonly digest: string
}

export class RepeatedApplies {
  /** Digest of the last apply that left a state unchanged. Its text would take as much memory as the object. */
  readonly #left = new WeakMap<Committed, Left>()

  /** Returns whether the apply is known to change nothing. A new schema makes a new `resource`. */
  changesNothing(state: Committed, resource: ServedResource, digest: string): boolean {
    const left = this.#left.get(state)
    return left !== undefined && left.resource === resource && left.digest === digest
  }

  remember(state: Committed, resource: ServedResource, digest: string): void {
    this.#left.set(state, { resource, digest })
  }
}

/** Returns a digest of an apply: its text, subresource and options. */
export function applyDigest(body: string, subresource: string, options: WriteOptions): string {
  return hash('sha256', `${JSON.stringify([subresource, options])}\n${body}`, 'base64')
}
