// What is a bug? A broken invariant of our own, never bad input or a failed request. Assertions stay on in production and
// end the turn or the process with the invariant as message.

/** Thrown when an invariant does not hold. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** Throws unless `claim` holds; `invariant` is the sentence that was thought to be true. */
export function assert(claim: unknown, invariant: string): asserts claim {
  if (!claim) throw new AssertionError(`invariant broken: ${invariant}`)
}

/** Closes a switch over a union: compiles only while every member has an arm. */
export function unreachable(value: never): never {
  throw new AssertionError(`invariant broken: no arm for ${JSON.stringify(value)}`)
}
