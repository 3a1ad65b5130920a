// Decodes a watch stream: bytes in any chunks become whole frames in order. Invariant: a line that is not a frame is an
// error and never skipped, because a lost event would leave the cache wrong permanently.
import { isJsonObject } from '../base/json.ts'
import { parseExactly } from '../base/wire-json.ts'
import type { WatchFrame } from './client.ts'
import { KubeError } from './kube-errors.ts'

/** Many times the largest object that the server stores (1.5 MiB by default). */
export const defaultMaxLineBytes = 16 * 1024 * 1024

const newline = 0x0a

export interface WatchFrameDecoderOptions {
  /** Prefix of every message, as in `watch Pod in default`. */
  readonly attempt: string
  readonly maxLineBytes?: number
}

/**
 * Splits a stream into lines and decodes each whole line, so a character may span two chunks. Scans each byte once and
 * copies it at most once. Memory is bounded by one line.
 */
export class WatchFrameDecoder {
  readonly #attempt: string
  readonly #maxLineBytes: number
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })
  /** Pieces of the current, incomplete line. */
  #pieces: Uint8Array[] = []
  #sizeBytes = 0

  constructor({ attempt, maxLineBytes = defaultMaxLineBytes }: WatchFrameDecoderOptions) {
    this.#attempt = attempt
    this.#maxLineBytes = maxLineBytes
  }

  /** Yields the frames that `chunk` completes. Throws KubeError `ServerError` if a line is too long or not a frame. */
  *push(chunk: Uint8Array): Generator<WatchFrame, void> {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end))
      start = end + 1
      yield* this.end()
    }
    this.#keep(chunk.subarray(start))
  }

  /** Yields the frame of a last line without a newline. */
  *end(): Generator<WatchFrame, void> {
    const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#sizeBytes = 0
    if (line !== undefined && line.length > 0) yield this.#decode(line)
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#sizeBytes += piece.length
    if (this.#sizeBytes > this.#maxLineBytes) {
      throw this.#broken(`a line is longer than ${this.#maxLineBytes} bytes`)
    }
    this.#pieces.push(piece)
  }

  #decode(line: Uint8Array): WatchFrame {
    let value: unknown
    try {
      value = parseExactly(this.#utf8.decode(line))
    } catch {
      // The parser's own message quotes the text, and the text may be a Secret (I11).
      throw this.#broken('a line is not JSON')
    }
    if (!isWatchFrame(value)) throw this.#broken('a line is JSON but not a watch event')
    return value
  }

  #broken(why: string): KubeError {
    return new KubeError({
      code: 'ServerError',
      message: `${this.#attempt}: the stream cannot be read: ${why}; watch again, and look for a proxy that rewrites answers`,
    })
  }
}

function isWatchFrame(value: unknown): value is WatchFrame {
  if (!isJsonObject(value) || !isJsonObject(value.object)) return false
  switch (value.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return isJsonObject(value.object.metadata)
    case 'ERROR':
      return true
    default:
      return false
  }
}
