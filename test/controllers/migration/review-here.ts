// Review of steps in this process, for tests that control the clock: the answer of another process would come at any
// time.
import { loadSqlParser } from '../../../src/controllers/engines/postgres/review/parser-loader.ts'
import { stepReviewer } from '../../../src/controllers/engines/postgres/review/review.ts'
import type { StepReviewer } from '../../../src/controllers/engines/step-review.ts'

export const reviewHere: StepReviewer = async (steps, rules) => stepReviewer(await loadSqlParser())(steps, rules)
