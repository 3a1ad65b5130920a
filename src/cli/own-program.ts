// Command lines that start this program again, from source or from dist/.
import { join } from 'node:path'
import process from 'node:process'
import { systemClock } from '../base/clock.ts'
import { ReviewQueueRunner } from '../controllers/engines/postgres/review/review-queue-runner.ts'
import { ReviewRunner } from '../controllers/engines/postgres/review/review-runner.ts'
import type { QueuedReviewer, StepReviewer } from '../controllers/engines/step-review.ts'
import { packageFolder } from './package-folder.ts'

/** Returns a reviewer that runs this program in a separate process. */
export function ownReviewer(): StepReviewer {
  const program = { command: process.execPath, args: [ownPath(), 'worker', 'review'] }
  return new ReviewRunner({ program, clock: systemClock }).review
}

/**
 * Returns a reviewer for the Migrations of all namespaces, which take turns. A running review ends with this process.
 */
export function ownReviewQueue(): QueuedReviewer {
  const life = new AbortController()
  process.once('exit', () => life.abort(new Error('the operator ends')))
  return new ReviewQueueRunner({ review: ownReviewer(), clock: systemClock, life: life.signal }).review
}

function ownPath(): string {
  const isSource = import.meta.filename.endsWith('.ts')
  return join(packageFolder(), isSource ? 'src/cli/main.ts' : 'dist/src/cli/main.js')
}
