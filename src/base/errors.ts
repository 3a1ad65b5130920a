// What is a failure? Something outside us did not work. It carries a code from the room's closed union, says what was
// tried, on what, why it failed and what to do, and whether trying again can help (I10).

/**
 * What the turn does about a failure.
 *
 * - `retry`: it may pass by itself; try again with backoff.
 * - `stop`: it will fail the same way until the spec or a watched input changes; report it and do not retry. With `retryAfterMs` the cause may
 *   also pass where nothing is watched, as a CRD or a webhook of others: it is reported as a stop, and tried again after that time.
 */
export type Remedy = 'retry' | 'stop'

/** When a stop is tried again whose cause nothing watches, in milliseconds: 5 min. */
export const unwatchedRetryMs = 300_000

/** Characters. Foreign servers, stores and programs are quoted, and what they say has no end of its own. */
const longestMessage = 8_192

export interface CodedErrorOptions<Code extends string> {
  readonly code: Code
  readonly message: string
  readonly remedy: Remedy
  /** The wait that the other side asked for, e.g. by a Retry-After header; of a `stop`, when to try again nevertheless. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** A failure with a code that a caller, a metric or an alert can match. */
export class CodedError<Code extends string = string> extends Error {
  override readonly name: string = 'CodedError'
  readonly code: Code
  readonly remedy: Remedy
  readonly retryAfterMs: number | undefined

  constructor(options: CodedErrorOptions<Code>) {
    super(
      clippedTo(longestMessage, options.message),
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = options.code
    this.remedy = options.remedy
    this.retryAfterMs = options.retryAfterMs
  }
}

/** The text, at most so many characters of it; the last one says that it was cut. */
export function clippedTo(longest: number, text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`
}

/** The message of anything that was thrown. Never throws: it reports what functions of other authors threw. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'a value without a text was thrown'
  }
}
