// Which address does a pod or a Service get? One of its own out of a part that the node has to itself, so that two may listen on the same
// port. As nodes of Kubernetes do, each has 254 addresses. On Linux all of 127.0.0.0/8 is the machine's own.

/** How many parts a range of 65,536 addresses has. */
export const partCount = 256

/** The part's first three bytes, e.g. `127.50.0`. `range` is the first two. */
export function partAt(range: string, index: number): string {
  return `${range}.${index}`
}

export function isInPart(part: string, address: string | undefined): address is string {
  return address?.startsWith(`${part}.`) === true
}

export interface AddressAsk {
  readonly part: string
  /** The address of an earlier life: it is kept where it can be. */
  readonly before: string | undefined
  readonly inUse: ReadonlySet<string>
}

/** Undefined if all are in use. */
export function addressFor({ part, before, inUse }: AddressAsk): string | undefined {
  if (isInPart(part, before) && !inUse.has(before)) return before
  return Array.from({ length: 254 }, (_, index) => `${part}.${index + 1}`).find((address) => !inUse.has(address))
}
