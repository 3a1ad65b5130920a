// Limits the answers of a store over HTTP, in bytes and in time. The AWS SDK reads answers and errors into memory as a
// whole and has no limits.
// A download passes through; its reader limits it.
import { pipeline, type Readable, Transform } from 'node:stream'
import type { Clock } from '../../index.ts'

export interface AnswerLimits {
  readonly mostBytes: number
  /** Time from the headers of the answer to its end. */
  readonly limitMs: number
}

/** Sufficient for a page of a listing: 1,000 keys of at most 1,024 bytes, and their metadata. */
export const usualAnswers: AnswerLimits = { mostBytes: 8 * 1_024 * 1_024, limitMs: 120_000 }

export interface AnswerWatch extends AnswerLimits {
  readonly clock: Clock
  /** True if a successful answer to this command is a download. */
  readonly isDownload: (command: string) => boolean
}

export type AnswerErrorCode = 'AnswerTooLarge' | 'AnswerTooSlow'

/** Its code is handled like a code of a network error. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly code: AnswerErrorCode

  constructor(code: AnswerErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Context of a command of the SDK. */
interface CommandContext {
  readonly commandName?: string | undefined
}

/** Input of a middleware in the SDK's step `deserialize`: the answer before it is read. */
interface Answered {
  readonly response: unknown
}

/** HTTP answer of the SDK's handler for Node. */
interface HttpAnswer {
  readonly statusCode: number
  body: Readable | undefined
}

export const answerStep = { step: 'deserialize', priority: 'low', name: 'boundAnswers' } as const

/** @example client.middlewareStack.add(boundAnswers(watch), answerStep) */
export function boundAnswers(watch: AnswerWatch) {
  return <Args, Result extends Answered>(next: (args: Args) => Promise<Result>, context: CommandContext) =>
    async (args: Args): Promise<Result> => {
      const result = await next(args)
      // Sound: in this step the SDK passes on the answer of its HTTP handler.
      const answer = result.response as HttpAnswer
      const isDownload = answer.statusCode < 300 && watch.isDownload(context.commandName ?? '')
      if (answer.body !== undefined && !isDownload) answer.body = bounded(answer.body, watch)
      return result
    }
}

function bounded(body: Readable, { clock, mostBytes, limitMs }: AnswerWatch): Readable {
  let bytes = 0
  const limited = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength
      if (bytes <= mostBytes) done(null, chunk)
      else done(new AnswerError('AnswerTooLarge', `the answer has more than ${mostBytes} bytes`))
    },
  })
  const slow = () =>
    limited.destroy(new AnswerError('AnswerTooSlow', `the answer did not end within ${limitMs / 1_000} s`))
  const timer = clock.setTimer(limitMs, slow)
  // The reader gets the error.
  pipeline(body, limited, () => timer.cancel())
  return limited
}
