// Reviews the steps of a Migration, as a process that the operator or a worker starts beside itself and may lose.
import { writeSync } from 'node:fs'
import process from 'node:process'
import { reviewFor } from '../controllers/engines/postgres/review/review-worker.ts'

export async function workerReview(): Promise<void> {
  await reviewFor({ input: process.stdin, write: (text) => void writeSync(1, text) })
}
