// The differences of a driver that the runtime asks it to correct. The runtime knows a difference by its reason and message alone. Pure.
import type { ExternalChange } from '../../index.ts'

/** Those of `differences` that are among `asked`, in their order. */
export function askedDifferences<Difference extends ExternalChange>(
  differences: readonly Difference[],
  asked: readonly ExternalChange[],
): readonly Difference[] {
  const identities = new Set(asked.map(identityOf))
  return differences.filter((difference) => identities.has(identityOf(difference)))
}

function identityOf({ reason, message }: ExternalChange): string {
  return `${reason}: ${message}`
}
