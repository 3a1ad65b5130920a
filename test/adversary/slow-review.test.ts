// Attempts of a tenant whose Migrations take long to review. The review of another namespace waits for at most one of
// them.
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { ReviewQueueRunner } from '../../src/controllers/engines/postgres/review/review-queue-runner.ts'
import { ReviewRunner } from '../../src/controllers/engines/postgres/review/review-runner.ts'
import { reviewLimits } from '../../src/controllers/engines/postgres/review/review-words.ts'
import type { StepReview, StepReviewer } from '../../src/controllers/engines/step-review.ts'
import { sqlStep } from '../controllers/migration/steps.ts'
import { slowReviewAttempts } from './attempts/slow-review.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const program = { command: execPath, args: [main, 'worker', 'review'] }
const own = new ReviewRunner({ program, clock: systemClock })
/** Starts the step and never ends. */
const endlessText = `console.log('{"word":"begun","step":"tenant"}'); setInterval(() => {}, 1_000_000)`
const endless = new ReviewRunner({
  program: { command: execPath, args: ['-e', endlessText] },
  clock: systemClock,
  limits: { ...reviewLimits, timeMs: 2_000 },
})

describe('a tenant', { timeout: 120_000 }, () => {
  it.each(slowReviewAttempts)('$does: $sentence', async ({ sqlOf, isEndless }) => {
    const done: { readonly of: string; readonly review: StepReview }[] = []
    const review: StepReviewer = async (steps, rules, signal) => {
      const [of = ''] = steps.map(({ name }) => name)
      const found = await (of === 'tenant' && isEndless ? endless : own).review(steps, rules, signal)
      done.push({ of, review: found })
      return found
    }
    const life = new AbortController()
    const queue = new ReviewQueueRunner({ review, clock: systemClock, life: life.signal })
    const ask = (namespace: string, sql: string) => {
      const request = { namespace, steps: [sqlStep(sql, { name: namespace })], rules: { requiresVerify: false } }
      return queue.review({ ...request, isRepeated: false }, new AbortController().signal)
    }
    try {
      for (let at = 0; at < 12; at += 1) void ask('tenant', sqlOf(at)).catch(() => undefined)
      let victim: StepReview | undefined
      while (victim === undefined) victim = await ask('victim', 'SELECT 1')
      expect(victim.findings).toEqual([])
      expect(done.map(({ of }) => of).slice(0, 2)).toEqual(['tenant', 'victim'])
      expect(done[0]?.review.findings).toMatchObject([{ code: 'StepTooComplex' }])
    } finally {
      life.abort(new Error('the test ends'))
    }
  })
})
