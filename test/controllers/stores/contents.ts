// Fixture: contents that tests put into stores, and their readers.
import { createHash } from 'node:crypto'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'

export const never = new AbortController().signal

/** Bytes without repetition, in pieces. */
export async function* pieces(count: number, pieceBytes = 1_000): AsyncIterable<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield pieceOf(index, pieceBytes)
}

/** As `pieces`, followed by an error. */
export async function* brokenAfter(count: number, error: Error): AsyncIterable<Uint8Array> {
  yield* pieces(count)
  throw error
}

function pieceOf(index: number, bytes: number): Buffer {
  const seed = createHash('sha256').update(String(index)).digest()
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / seed.length) }, () => seed)).subarray(0, bytes)
}

export async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function keysOf(store: ArtifactStore, prefix = ''): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix, never)) keys.push(key)
  return keys
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
