// The review of steps in this process, where a test drives the clock: a process of its own would answer at a time of its own.
import { loadSqlParser } from '../../../src/controllers/engines/postgres/review/parser-loader.ts'
import { stepReviewer } from '../../../src/controllers/engines/postgres/review/review.ts'
import type { StepReviewer } from '../../../src/controllers/engines/step-review.ts'

export const reviewHere: StepReviewer = async (steps, rules) => stepReviewer(await loadSqlParser())(steps, rules)
