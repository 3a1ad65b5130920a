// Which bytes of a log does a reader see? Lines since a time, the last so many, with or without their times, up to a number of
// bytes. Fed line by line, so that a log that is followed needs no other code. Source: cri-client's pkg/logs.

import { type LogLine, parseLogLine } from './log-line.ts'
import type { LogOptions } from './log-query.ts'

/** One reader's view; `isFull` once nothing more may be shown. */
export class LogView {
  readonly #options: Pick<LogOptions, 'timestamps' | 'since' | 'limitBytes'>
  #leftBytes: number
  #isLineBegun = false

  constructor(options: Pick<LogOptions, 'timestamps' | 'since' | 'limitBytes'>) {
    this.#options = options
    this.#leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY
  }

  get isFull(): boolean {
    return this.#leftBytes <= 0
  }

  /** What the reader sees of one line of the file; empty if nothing. */
  show(line: string): Buffer {
    const parsed = parseLogLine(line)
    const { since, timestamps } = this.#options
    // Times of one format and zone compare as texts.
    if (parsed === undefined || (since !== undefined && parsed.timestamp < since)) return Buffer.alloc(0)
    const prefix = timestamps && !this.#isLineBegun ? `${parsed.timestamp} ` : ''
    this.#isLineBegun = !parsed.isWhole
    const bytes = Buffer.from(`${prefix}${parsed.text}${parsed.isWhole ? '\n' : ''}`)
    const shown = bytes.subarray(0, Math.min(bytes.length, this.#leftBytes))
    this.#leftBytes -= shown.length
    return shown
  }
}

/** The last `count` lines, each with all of its parts. */
export function lastLines(lines: readonly string[], count: number): readonly string[] {
  let seen = 0
  for (let index = lines.length - 1; index >= 0; index--) {
    // Seen from the end, a line begins at its last part.
    const isNextLine = index === lines.length - 1 || !isPart(lines[index])
    if (isNextLine && ++seen > count) return lines.slice(index + 1)
  }
  return lines
}

function isPart(line: string | undefined): boolean {
  const parsed: LogLine | undefined = line === undefined ? undefined : parseLogLine(line)
  return parsed?.isWhole === false
}
