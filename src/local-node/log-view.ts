// View of a log for one reader: lines since a time, with or without timestamps, up to a number of bytes. It processes
// single lines, so that a followed log needs no other code. Source: cri-client's pkg/logs.

import { type LogLine, parseLogLine } from './log-line.ts'
import type { LogOptions } from './log-query.ts'

/** View of one reader; `isFull` once the limit is reached. */
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

  /** Returns the output for one line of the file; possibly empty. */
  show(line: string): Buffer {
    const parsed = parseLogLine(line)
    const { since, timestamps } = this.#options
    // Timestamps of one format and time zone compare as strings.
    if (parsed === undefined || (since !== undefined && parsed.timestamp < since)) return Buffer.alloc(0)
    const prefix = timestamps && !this.#isLineBegun ? `${parsed.timestamp} ` : ''
    this.#isLineBegun = !parsed.isWhole
    const bytes = Buffer.from(`${prefix}${parsed.text}${parsed.isWhole ? '\n' : ''}`)
    const shown = bytes.subarray(0, Math.min(bytes.length, this.#leftBytes))
    this.#leftBytes -= shown.length
    return shown
  }
}

/** Returns the last `count` lines, each with all of its parts. */
export function lastLines(lines: readonly string[], count: number): readonly string[] {
  let seen = 0
  for (let index = lines.length - 1; index >= 0; index--) {
    // Backwards, a line starts at its last part.
    const isNextLine = index === lines.length - 1 || !isPart(lines[index])
    if (isNextLine && ++seen > count) return lines.slice(index + 1)
  }
  return lines
}

function isPart(line: string | undefined): boolean {
  const parsed: LogLine | undefined = line === undefined ? undefined : parseLogLine(line)
  return parsed?.isWhole === false
}
