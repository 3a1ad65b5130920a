// JSON answers of a server that may be hostile, or of a database whose owner has filled its catalogs. Invariant:
// parsing takes less than 50 ms (each slice of a long answer) and less than 64 MiB. One pass rejects texts of other
// sizes and forms. Pure.
import { EngineError } from '../engine-error.ts'
import type { SlicedWork } from '../slice-runner.ts'
import { closeList, closeObject, colon, comma, endOfText, openList, openObject, quote } from './json-scan.ts'
import { parseInSlices } from './sliced-json.ts'

/** Twice the needs of a database with 60,000 tables. */
export const answerLimits = {
  bytes: 8 * 1024 * 1024,
  depth: 64,
  values: 600_000,
  members: 1_000,
  names: 8_192,
} as const

/**
 * Parses an answer without a pause, in worker processes. The operator's process uses `slicedJsonAnswer`. `about`
 * completes "the server's answer about …". Throws an EngineError `StatementFailed` with the remedy `stop` if the text
 * is not JSON or exceeds `answerLimits`.
 */
export function jsonAnswer(text: string, about: string): unknown {
  const work = slicedJsonAnswer(text, about)
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Like `jsonAnswer`, in slices, for a long answer. An answer whose texts and names all differ takes 0.25 s. */
export function* slicedJsonAnswer(text: string, about: string): SlicedWork<unknown> {
  if (text.length > answerLimits.bytes) throw excess('bytes', answerLimits.bytes)
  checkForm(text)
  try {
    return yield* parseInSlices(text)
  } catch {
    // The parser's own message quotes the text, which may contain rows (I11).
    const message = `the server's answer about ${about} is no JSON`
    throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
  }
}

/** Like `jsonAnswer`, for an answer that is an object. */
export function objectAnswer(text: string, about: string): object {
  const value = jsonAnswer(text, about)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  const message = `the server's answer about ${about} is no JSON object`
  throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}

function checkForm(text: string): void {
  const members = new Uint32Array(answerLimits.depth + 1)
  const names = new DistinctNames()
  let [depth, values, opening, closing] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at)
    if (letter === quote) {
      opening = at
      at = endOfText(text, at)
      closing = at
    } else if (letter === openList || letter === openObject) {
      depth += 1
      values += 1
      if (depth > answerLimits.depth) throw excess('levels', answerLimits.depth)
      members[depth] = 0
    } else if (letter === closeList || letter === closeObject) depth = Math.max(0, depth - 1)
    else if (letter === comma) values += 1
    else if (letter === colon) {
      if (count(members, depth) > answerLimits.members) throw excess('members', answerLimits.members)
      if (names.add(text, opening, closing) > answerLimits.names) throw excess('names of members', answerLimits.names)
    }
    if (values > answerLimits.values) throw excess('values', answerLimits.values)
  }
}

/**
 * Estimates the number of different names. Each different name costs memory while the answer exists, however often it
 * occurs.
 */
class DistinctNames {
  readonly #isKnown = new Uint8Array(65_536)
  #count = 0

  /** Adds the name between two quotes. Returns the number of different names. */
  add(text: string, opening: number, closing: number): number {
    let hash = closing - opening
    for (let at = opening + 1; at < closing; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    const slot = (hash ^ (hash >>> 16)) & 0xffff
    if (this.#isKnown[slot] === 0) this.#count += 1
    this.#isKnown[slot] = 1
    return this.#count
  }
}

function count(members: Uint32Array, depth: number): number {
  const more = (members[depth] ?? 0) + 1
  members[depth] = more
  return more
}

function excess(what: string, limit: number): EngineError {
  const message = `the server's answer has more than ${limit} ${what}; the operator manages no database with so many objects`
  return new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}
