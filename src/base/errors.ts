// Failures: errors of the outside world. A failure has a code from its module's closed union. Its message names the
// action, the object, the cause and the remedy. It also says whether a retry can help (I10).

/**
 * Reaction of the reconcile to a failure.
 *
 * - `retry`: the cause may pass by itself; retry with backoff.
 * - `stop`: it fails the same way until the spec or a watched input changes; report it and do not retry. With
 *   `retryAfterMs` the cause may also pass unwatched, e.g. a CRD or a webhook of others. It is then reported as a stop,
 *   and retried after that time.
 */
export type Remedy = 'retry' | 'stop'

/** Delay of the retry of a stop whose cause no watch shows, in milliseconds: 5 min. */
export const unwatchedRetryMs = 300_000

/** Characters. Messages quote foreign servers, stores and programs, whose texts have no limit. */
const longestMessage = 8_192

export interface CodedErrorOptions<Code extends string> {
  readonly code: Code
  readonly message: string
  readonly remedy: Remedy
  /** Wait that the other side requested, e.g. by a Retry-After header. For a `stop`: delay of a retry nevertheless. */
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

/** Returns the text, cut to `longest` characters; a cut text ends with `…`. */
export function clippedTo(longest: number, text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`
}

/** Returns the message of any thrown value. Never throws: it also reports errors of functions of other authors. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'a value without a text was thrown'
  }
}
