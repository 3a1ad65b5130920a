// How is an artifact disturbed while it is on its way, or damaged where it lies?

/** `then` is done when the first bytes have gone by. */
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

/** With one bit of the byte `at` the other way. */
export function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}
