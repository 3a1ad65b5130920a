// Pipes a stream through a transform. A failure on either side is thrown to the reader; if the reader stops early, both
// sides end.
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** `by`: the transform; undefined passes the content unchanged. */
export async function* passed(content: AsyncIterable<Uint8Array>, by: Duplex | undefined): AsyncIterable<Uint8Array> {
  if (by === undefined) {
    yield* content
    return
  }
  const feeding = pipeline(content, by)
  feeding.catch(() => undefined) // The reader gets the error.
  try {
    // A stream without encoding yields buffers.
    yield* by as AsyncIterable<Uint8Array>
    await feeding
  } finally {
    by.destroy()
    await feeding.catch(() => undefined)
  }
}
