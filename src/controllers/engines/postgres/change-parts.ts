// Splits changes into parts, each a short SQL text. Invariant: the parts in order equal the changes. Pure.
import type { Change } from '../change.ts'
import { namesAStatement } from './grant-statements.ts'

/** Maximum characters of names in one part. A single name may be longer. */
const mostCharacters = 65_536

export function* partsOf(changes: readonly Change[]): Generator<Change> {
  for (const change of changes) {
    if ('names' in change) for (const names of batchesOf(change.names)) yield { ...change, names }
    else yield change
  }
}

function* batchesOf(names: readonly string[]): Generator<readonly string[]> {
  let [from, characters] = [0, 0]
  for (const [at, { length }] of names.entries()) {
    const isFull = at - from >= namesAStatement || characters + length > mostCharacters
    if (isFull && at > from) {
      yield names.slice(from, at)
      from = at
      characters = 0
    }
    characters += length
  }
  yield from === 0 ? names : names.slice(from)
}
