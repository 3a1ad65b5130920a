// Selects the driver's differences that the runtime asks it to correct. Invariant: a difference is identified by its
// reason and message alone. Pure.
import type { ExternalChange } from '../../index.ts'

/** Returns the items of `differences` that are also in `asked`, in their original order. */
export function requestedDifferences<Difference extends ExternalChange>(
  differences: readonly Difference[],
  asked: readonly ExternalChange[],
): readonly Difference[] {
  const identities = new Set(asked.map(identityOf))
  return differences.filter((difference) => identities.has(identityOf(difference)))
}

function identityOf({ reason, message }: ExternalChange): string {
  return `${reason}: ${message}`
}
