// Protocol between the operator and the process that reviews steps. Standard input has the task as one JSON text.
// Standard output has one line of JSON at the start of each step, and one for the verdict. Other lines come from the
// parser. Pure.
import type { MigrationStep } from '../../migration-step.ts'
import type { ReviewRules, StepReview, TextPlace } from '../../step-review.ts'

export interface ReviewTask {
  readonly steps: readonly MigrationStep[]
  readonly rules: ReviewRules
}

export type ReviewWord =
  | { readonly word: 'begun'; readonly step: string }
  | { readonly word: 'reviewed'; readonly review: StepReview }
  | { readonly word: 'exhausted' }

/** Exit and output of the process. */
export interface ReviewEnd {
  readonly printed: string
  readonly exitCode: number | null
  readonly killedBy: string | null
  readonly limit: 'time' | 'output' | undefined
}

export type ReviewVerdict =
  | { readonly kind: 'review'; readonly review: StepReview }
  /** Says nothing about the steps, and may be temporary. */
  | { readonly kind: 'failed'; readonly message: string }

export interface ReviewLimits {
  readonly heapMiB: number
  /** Memory of the parser's WebAssembly machine, which starts with 128 MiB. */
  readonly parserMiB: number
  readonly timeMs: number
  readonly outputBytes: number
}

/**
 * Memory: twice the need of 1 MB of everyday statements. Time: many times the need (1 s), because the machine may be
 * busy.
 */
export const reviewLimits: ReviewLimits = { heapMiB: 64, parserMiB: 128, timeMs: 15_000, outputBytes: 4_194_304 }

/** Returns one line. */
export function wordText(word: ReviewWord): string {
  return `${JSON.stringify(word)}\n`
}

/**
 * A process that ended without a review exceeded a limit at the last step that it began. Later steps are not reviewed,
 * and do not run.
 */
export function verdictOf({ steps }: ReviewTask, end: ReviewEnd, limits: ReviewLimits): ReviewVerdict {
  const words = wordsIn(end.printed)
  const said = words.find(({ word }) => word === 'reviewed')
  if (said?.word === 'reviewed' && end.limit === undefined) return { kind: 'review', review: said.review }
  const last = words.findLast(({ word }) => word === 'begun')
  const at = last?.word === 'begun' ? steps.findIndex(({ name }) => name === last.step) : -1
  const isExhausted = words.some(({ word }) => word === 'exhausted') || end.limit !== undefined || end.killedBy !== null
  const step = steps[at]
  if (step === undefined || !isExhausted) {
    const how = end.killedBy === null ? `exit code ${end.exitCode}` : `signal ${end.killedBy}`
    return { kind: 'failed', message: `the process that reviews steps ended with ${how}` }
  }
  const why = end.limit === 'time' ? `${limits.timeMs / 1_000} s` : `${limits.parserMiB + limits.heapMiB} MiB of memory`
  const message = `PostgreSQL's grammar needs more than ${why} to read this step; split it into several steps, or its longest statement into several`
  const rest = `step ${step.name} before it is too complex, so this step is not reviewed`
  const findings = [
    ...placesOf(step).map((place) => ({ code: 'StepTooComplex' as const, message, place })),
    ...steps
      .slice(at + 1)
      .flatMap((later) => placesOf(later).map((place) => ({ code: 'StepTooComplex' as const, message: rest, place }))),
  ]
  return { kind: 'review', review: { findings, blindSpots: [] } }
}

function placesOf(step: MigrationStep): readonly TextPlace[] {
  const parts: readonly (TextPlace['part'] | undefined)[] = [
    step.kind === 'SQL' ? 'sql' : undefined,
    'down' in step && step.down !== undefined ? 'down' : undefined,
    step.verify === undefined ? undefined : 'verify',
  ]
  return parts.flatMap((part) => (part === undefined ? [] : [{ step: step.name, part, line: 1, column: 1 }]))
}

function wordsIn(printed: string): readonly ReviewWord[] {
  return printed.split('\n').flatMap((line) => {
    if (!line.startsWith('{"word":')) return []
    try {
      return [JSON.parse(line) as ReviewWord] // Sound: the process runs the same version of this program.
    } catch {
      return [] // The process died in the middle of a line.
    }
  })
}
