// Fixture: changes an artifact on its way, or damages it in the store.

/** `then` runs after the first bytes. */
export async function* disturbed(
  content: AsyncIterable<Uint8Array>,
  then: () => Promise<unknown>,
): AsyncIterable<Uint8Array> {
  let isFirst = true
  for await (const chunk of content) {
    yield chunk
    if (isFirst) await then()
    isFirst = false
  }
}

/** Flips one bit of the byte `at`. */
export function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}
