// Runs the review of steps in a separate process, with limits of memory and time. PostgreSQL's grammar takes some
// hundred bytes for each byte that it reads, and blocks the event loop meanwhile. Invariant: one process for each
// review, without environment and credentials; none outlives its caller.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Clock, CodedError } from '../../../../index.ts'
import type { StepReviewer } from '../../step-review.ts'
import { type ReviewEnd, type ReviewLimits, type ReviewTask, reviewLimits, verdictOf } from './review-words.ts'

export interface ReviewProgram {
  /** Node.js executable. */
  readonly command: string
  /** Arguments that run `konverge worker review`. */
  readonly args: readonly string[]
}

export interface ReviewRunnerOptions {
  readonly program: ReviewProgram
  readonly clock: Clock
  readonly limits?: ReviewLimits
}

export class ReviewRunner {
  readonly #options: ReviewRunnerOptions

  constructor(options: ReviewRunnerOptions) {
    this.#options = options
  }

  readonly review: StepReviewer = async (steps, rules, signal) => {
    if (steps.length === 0) return { findings: [], blindSpots: [] }
    signal.throwIfAborted()
    const task: ReviewTask = { steps, rules }
    const limits = this.#options.limits ?? reviewLimits
    const verdict = verdictOf(task, await this.#endOf(JSON.stringify(task), limits, signal), limits)
    signal.throwIfAborted()
    if (verdict.kind === 'review') return verdict.review
    throw new CodedError({ code: 'ReviewFailed', message: verdict.message, remedy: 'retry' })
  }

  async #endOf(text: string, limits: ReviewLimits, signal: AbortSignal): Promise<ReviewEnd> {
    const { program, clock } = this.#options
    const child = spawn(program.command, [...flagsOf(limits), ...program.args], {
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let limit: ReviewEnd['limit']
    let printed = ''
    const kill = () => void child.kill('SIGKILL')
    const stopBy = (what: NonNullable<ReviewEnd['limit']>) => {
      limit ??= what
      kill()
    }
    const timer = clock.setTimer(limits.timeMs, () => stopBy('time'))
    signal.addEventListener('abort', kill, { once: true })
    child.stdin.on('error', () => undefined) // The process died before it had read all; its exit says more.
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (printed.length + chunk.length > limits.outputBytes) stopBy('output')
      else printed += chunk
    })
    try {
      child.stdin.end(text)
      const [exitCode, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null] // As documented.
      return { printed, exitCode, killedBy, limit }
    } catch (error) {
      const message = `the process that reviews steps could not be started: ${error instanceof Error ? error.message : ''}`
      throw new CodedError({ code: 'ReviewFailed', message, remedy: 'retry', cause: error })
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', kill)
    }
  }
}

/** Flags of V8: its heap, and the memory of WebAssembly in pages of 64 KiB. */
function flagsOf({ heapMiB, parserMiB }: ReviewLimits): readonly string[] {
  return [
    `--max-old-space-size=${heapMiB}`,
    ...['--max-semi-space-size=2', `--wasm-max-mem-pages=${parserMiB * 16}`, '--liftoff-only'],
  ]
}
