// Reviews steps as a process of its own, which may die of what it reads: the task comes on standard input, words go to standard output.
import { text } from 'node:stream/consumers'
import { loadSqlParser } from './parser-loader.ts'
import { stepReviewer } from './review.ts'
import { type ReviewTask, type ReviewWord, wordText } from './review-words.ts'
import { ParserExhaustedError } from './sql-parser.ts'

export interface ReviewStreams {
  readonly input: NodeJS.ReadableStream
  /** Returns when the text is out: the process may die at the next step. */
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
