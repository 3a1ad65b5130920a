// How does a stream go through another one? What fails on either side is thrown where it is read, and leaving it early ends both.
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** `by`: undefined leaves it as it is. */
export async function* passed(content: AsyncIterable<Uint8Array>, by: Duplex | undefined): AsyncIterable<Uint8Array> {
  if (by === undefined) {
    yield* content
    return
  }
  const feeding = pipeline(content, by)
  feeding.catch(() => undefined) // It is thrown where it is read.
  try {
    // A stream without encoding yields buffers.
    yield* by as AsyncIterable<Uint8Array>
    await feeding
  } finally {
    by.destroy()
    await feeding.catch(() => undefined)
  }
}
