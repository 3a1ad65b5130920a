// Queue of reviews that alternates between namespaces: the longest wait of a namespace, and the reviews of aborted
// callers.
import { describe, expect, it } from 'vitest'
import { ReviewQueueRunner } from '../../../../../src/controllers/engines/postgres/review/review-queue-runner.ts'
import type { StepReview, StepReviewer } from '../../../../../src/controllers/engines/step-review.ts'
import { SimClock } from '../../../../../src/testing/index.ts'
import { sqlStep } from '../../../migration/steps.ts'

const limitMs = 15_000
const clean: StepReview = { findings: [], blindSpots: [] }
const tooComplex: StepReview = {
  findings: [{ code: 'StepTooComplex', message: 'm', place: { step: 'step', part: 'sql', line: 1, column: 1 } }],
  blindSpots: [],
}

/** Reviews that take time: a text with "slow" exceeds the limit, one with "broken" fails. */
class Fixture {
  readonly clock = new SimClock()
  readonly life = new AbortController()
  /** Reviews that have started, and reviews that were ended early. */
  readonly begun: string[] = []
  readonly ended: string[] = []
  mostAtOnce = 0
  #atOnce = 0
  readonly queue = new ReviewQueueRunner({
    review: (steps, rules, signal) => this.#review(steps, rules, signal),
    clock: this.clock,
    life: this.life.signal,
  })

  ask(namespace: string, sql: string, more: { readonly isRepeated?: boolean; readonly signal?: AbortSignal } = {}) {
    const { isRepeated = false, signal = new AbortController().signal } = more
    const request = { namespace, steps: [sqlStep(sql)], rules: { requiresVerify: false }, isRepeated }
    return this.queue.review(request, signal)
  }

  /** Asks again and again as a Migration does. Returns the duration in milliseconds. */
  async reviewed(namespace: string, sql: string): Promise<number> {
    const startMs = this.clock.monotonicMs()
    for (;;) {
      const asked = this.ask(namespace, sql).then((review) => ({ review, atMs: this.clock.monotonicMs() }))
      await this.clock.advance(17_000)
      const { review, atMs } = await asked
      if (review !== undefined) return atMs - startMs
    }
  }

  readonly #review: StepReviewer = async ([step], _, signal) => {
    const sql = step?.kind === 'SQL' ? step.sql : ''
    this.begun.push(sql)
    this.#atOnce += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce)
    const isSlow = sql.startsWith('slow')
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = this.clock.setTimer(isSlow ? limitMs : 200, resolve)
        signal.addEventListener('abort', () => {
          timer.cancel()
          this.ended.push(sql)
          reject(signal.reason)
        })
      })
    } finally {
      this.#atOnce -= 1
    }
    if (sql.startsWith('broken')) throw new Error('the process could not be started')
    return isSlow ? tooComplex : clean
  }
}

describe('a queue of reviews', () => {
  it('returns the outcome of a short review immediately', async () => {
    const fixture = new Fixture()
    const asked = fixture.ask('a', 'SELECT 1')
    await fixture.clock.advance(200)
    expect(await asked).toBe(clean)
  })

  it('keeps a caller at most 17 seconds, and has the outcome when the caller asks again', async () => {
    const fixture = new Fixture()
    void fixture.ask('b', 'slow b')
    const asked = fixture.ask('a', 'slow')
    await fixture.clock.advance(17_000)
    expect(await asked).toBeUndefined()
    await fixture.clock.advance(13_000)
    expect(await fixture.ask('a', 'slow')).toBe(tooComplex)
    expect(fixture.begun).toEqual(['slow b', 'slow'])
  })

  it('makes a namespace wait for at most one review of another, however many that one requests', async () => {
    const fixture = new Fixture()
    for (let at = 0; at < 100; at += 1) void fixture.ask('tenant', `slow ${at}`)
    await fixture.clock.advance(1)
    expect(await fixture.reviewed('victim', 'SELECT 1')).toBeLessThanOrEqual(limitMs + 200)
    expect(fixture.begun).toEqual(['slow 0', 'SELECT 1', 'slow 1'])
    expect(fixture.mostAtOnce).toBe(1)
  })

  it('still makes the others wait for at most one when the tenant asks again and again', async () => {
    const fixture = new Fixture()
    for (let round = 0; round < 10; round += 1) {
      for (let at = 0; at < 10; at += 1) void fixture.ask('tenant', `slow ${round} ${at}`)
      expect(await fixture.reviewed('victim', `SELECT ${round}`)).toBeLessThanOrEqual(limitMs + 200)
    }
  })

  it('lets one caller of a namespace and four in total wait, so that other reconciles continue', async () => {
    const fixture = new Fixture()
    const answers: unknown[] = []
    const askFor = (namespace: string, sql: string) => void fixture.ask(namespace, sql).then((one) => answers.push(one))
    for (const namespace of ['a', 'b', 'c', 'd', 'e', 'f'])
      for (let at = 0; at < 5; at += 1) askFor(namespace, `slow ${namespace}${at}`)
    await fixture.clock.advance(1)
    expect(answers).toHaveLength(30 - 4)
    await fixture.clock.advance(17_000)
    expect(answers).toHaveLength(30)
  })

  it('reviews the same steps of a namespace once, also if they exceed the limit', async () => {
    const fixture = new Fixture()
    const asked = Array.from({ length: 10 }, () => fixture.ask('a', 'slow'))
    await fixture.clock.advance(limitMs)
    await Promise.all(asked)
    expect(await fixture.ask('a', 'slow')).toBe(tooComplex)
    expect(fixture.begun).toEqual(['slow'])
  })

  it('reviews them again on demand', async () => {
    const fixture = new Fixture()
    await fixture.reviewed('a', 'slow')
    const asked = fixture.ask('a', 'slow', { isRepeated: true })
    await fixture.clock.advance(limitMs)
    expect(await asked).toBe(tooComplex)
    expect(fixture.begun).toEqual(['slow', 'slow'])
  })

  it('drops the review of an aborted caller, whether it waits or runs', async () => {
    const fixture = new Fixture()
    const [first, second] = [new AbortController(), new AbortController()]
    const running = fixture.ask('a', 'slow a', { signal: first.signal })
    const waiting = fixture.ask('b', 'slow b', { signal: second.signal })
    second.abort(new Error('b gives up'))
    await expect(waiting).rejects.toThrow('b gives up')
    first.abort(new Error('a gives up'))
    await expect(running).rejects.toThrow('a gives up')
    await fixture.clock.advance(1)
    expect([fixture.begun, fixture.ended]).toEqual([['slow a'], ['slow a']])
    expect(await fixture.reviewed('c', 'SELECT 1')).toBe(200)
  })

  it('drops a review that no caller requests any more', async () => {
    const fixture = new Fixture()
    for (let at = 0; at < 20; at += 1) void fixture.ask('a', `slow ${at}`)
    await fixture.clock.advance(300_000)
    expect(fixture.begun.length).toBeLessThanOrEqual(7)
  })

  it('reports to its caller why a review failed, and starts another one on the next request', async () => {
    const fixture = new Fixture()
    const asked = fixture.ask('a', 'broken')
    const failed = expect(asked).rejects.toThrow('could not be started')
    await fixture.clock.advance(200)
    await failed
    void fixture.ask('a', 'slow')
    expect(await fixture.ask('a', 'broken')).toBeUndefined()
    await fixture.clock.advance(limitMs + 200)
    await expect(fixture.ask('a', 'broken')).rejects.toThrow('could not be started')
    expect(fixture.begun).toEqual(['broken', 'slow', 'broken'])
  })

  it('ends the running review when it stops, and starts no other', async () => {
    const fixture = new Fixture()
    const asked = [fixture.ask('a', 'slow a'), fixture.ask('b', 'slow b')]
    fixture.life.abort(new Error('the operator ends'))
    await expect(asked[0]).rejects.toThrow('the operator ends')
    await fixture.clock.advance(17_000)
    expect(await asked[1]).toBeUndefined()
    expect([fixture.begun, fixture.ended]).toEqual([['slow a'], ['slow a']])
  })

  it('reviews no steps without a process', async () => {
    const request = { namespace: 'a', steps: [], rules: { requiresVerify: false }, isRepeated: false }
    expect(await new Fixture().queue.review(request, new AbortController().signal)).toEqual(clean)
  })
})
