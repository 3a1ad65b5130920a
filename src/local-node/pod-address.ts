// Addresses of pods and Services. Each has its own, from the node's exclusive part, so that two can use the same port.
// A node has 254 addresses, as in Kubernetes. On Linux, all of 127.0.0.0/8 is loopback.

/** Number of parts of a range of 65,536 addresses. */
export const partCount = 256

/** Returns the first three bytes of a part, e.g. `127.50.0`; `range` is the first two. */
export function partAt(range: string, index: number): string {
  return `${range}.${index}`
}

export function isInPart(part: string, address: string | undefined): address is string {
  return address?.startsWith(`${part}.`) === true
}

export interface AddressAsk {
  readonly part: string
  /** Address from the previous run of the node; kept if possible. */
  readonly before: string | undefined
  readonly inUse: ReadonlySet<string>
}

/** Returns a free address; undefined if all are in use. */
export function addressFor({ part, before, inUse }: AddressAsk): string | undefined {
  if (isInPart(part, before) && !inUse.has(before)) return before
  return Array.from({ length: 254 }, (_, index) => `${part}.${index + 1}`).find((address) => !inUse.has(address))
}
