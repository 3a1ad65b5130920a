// Reviews steps in a separate process, which a review may crash. The task comes on standard input; the protocol goes to
// standard output.
import { text } from 'node:stream/consumers'
import { loadSqlParser } from './parser-loader.ts'
import { stepReviewer } from './review.ts'
import { type ReviewTask, type ReviewWord, wordText } from './review-words.ts'
import { ParserExhaustedError } from './sql-parser.ts'

export interface ReviewStreams {
  readonly input: NodeJS.ReadableStream
  /** Returns after the text is written, because the process may die at the next step. */
  readonly write: (text: string) => void
}

export async function reviewFor({ input, write }: ReviewStreams): Promise<void> {
  const say = (word: ReviewWord) => write(wordText(word))
  const { steps, rules } = JSON.parse(await text(input)) as ReviewTask // As this program wrote it.
  const review = stepReviewer(await loadSqlParser())
  try {
    const reviews = steps.map((step) => {
      say({ word: 'begun', step: step.name })
      return review([step], rules)
    })
    const findings = reviews.flatMap((one) => one.findings)
    say({ word: 'reviewed', review: { findings, blindSpots: reviews.flatMap(({ blindSpots }) => blindSpots) } })
  } catch (error) {
    if (!(error instanceof ParserExhaustedError)) throw error
    say({ word: 'exhausted' })
  }
}
