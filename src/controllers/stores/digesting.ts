// What has gone through a stream? Its size and SHA-256, counted on the way, so that nothing is read twice.
import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { StoredArtifact } from './artifact-store.ts'

export interface Digesting {
  /** Passes everything on. */
  readonly stream: Transform
  /** Once the stream has ended. */
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
