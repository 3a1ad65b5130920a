// Assertions for bugs: broken invariants of this code, never bad input or a failed request. They stay on in production
// and end the reconcile or the process with the invariant as message.

/** Error of a broken invariant. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** Throws unless `claim` holds; `invariant` is the broken assumption, as a sentence. */
export function assert(claim: unknown, invariant: string): asserts claim {
  if (!claim) throw new AssertionError(`invariant broken: ${invariant}`)
}

/** Closes a switch over a union: it compiles only if every member has a case. */
export function unreachable(value: never): never {
  throw new AssertionError(`invariant broken: no arm for ${JSON.stringify(value)}`)
}
