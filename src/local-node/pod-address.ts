// Which address does a pod get? One of its own out of a range that the machine takes for itself, so that two pods may listen
// on the same port. On Linux all of 127.0.0.0/8 is such a range.

/** The first free address after the host's own, given the ones in use. `range` is the first two bytes, e.g. `127.50`. */
export function freeAddress(range: string, inUse: ReadonlySet<string>): string | undefined {
  for (let index = 1; index < 2 ** 16 - 1; index++) {
    const address = `${range}.${index >> 8}.${index & 255}`
    if ((index & 255) !== 0 && (index & 255) !== 255 && !inUse.has(address)) return address
  }
  return undefined
}
