// Size and SHA-256 of a stream, computed while it passes, so that nothing is read twice.
import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { StoredArtifact } from './artifact-store.ts'

export interface Digesting {
  /** Passes all content on. */
  readonly stream: Transform
  /** Call it after the end of the stream. */
  result(): StoredArtifact
}

export function digesting(): Digesting {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const stream = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk)
      sizeBytes += chunk.byteLength
      done(null, chunk)
    },
  })
  return { stream, result: () => ({ sizeBytes, sha256: hash.digest('hex') }) }
}
