// Reviewer of a Migration's steps. It runs as a separate process, whose crash the operator or worker survives.
import { writeSync } from 'node:fs'
import process from 'node:process'
import { reviewFor } from '../controllers/engines/postgres/review/review-worker.ts'

export async function workerReview(): Promise<void> {
  await reviewFor({ input: process.stdin, write: (text) => void writeSync(1, text) })
}
