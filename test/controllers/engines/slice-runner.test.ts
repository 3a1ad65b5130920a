import { describe, expect, it } from 'vitest'
import type { Clock, Timer } from '../../../src/base/clock.ts'
import { type SlicedWork, SliceRunner } from '../../../src/controllers/engines/slice-runner.ts'
import { SimClock, settle } from '../../../src/testing/sim-clock.ts'

/** A clock that advances by a millisecond at each read, as if work took time. */
class BusyClock extends SimClock {
  #looks = 0
  /** Number of timers set. */
  timers = 0

  override setTimer(delayMs: number, run: () => void): Timer {
    this.timers += 1
    return super.setTimer(delayMs, run)
  }

  override monotonicMs(): number {
    this.#looks += 1
    return this.#looks
  }
}

function* steps(name: string, count: number, did: string[]): SlicedWork<string> {
  for (let at = 0; at < count; at += 1) {
    did.push(name)
    yield
  }
  return `${name} is done`
}

const { signal } = new AbortController()

describe('a runner of slices', () => {
  it('ends short work without a pause', async () => {
    const clock: Clock = new SimClock()
    expect(await new SliceRunner(clock).run(steps('a', 1_000, []), signal)).toBe('a is done')
  })

  it('yields to timers after 5 ms, and continues', async () => {
    const clock = new BusyClock()
    const did: string[] = []
    const outcome = new SliceRunner(clock).run(steps('a', 12, did), signal)
    await settle()
    expect(did).toHaveLength(5)
    clock.setTimer(0, () => did.push('timer'))
    await clock.advance(1)
    expect(await outcome).toBe('a is done')
    expect(did.indexOf('timer')).toBe(10)
    expect(did).toHaveLength(13)
  })

  it('always lets the event loop run between slices of two pieces of work', async () => {
    const clock = new BusyClock()
    const did: string[] = []
    const runner = new SliceRunner(clock)
    const outcomes = ['a', 'b', 'c'].map((name) => runner.run(steps(name, 12, did), signal))
    await settle()
    expect(did).toHaveLength(15)
    expect(clock.timers).toBe(1)
    await clock.advance(1)
    expect(await Promise.all(outcomes)).toEqual(['a is done', 'b is done', 'c is done'])
  })

  it('rejects with the reason of its signal, and continues with other work', async () => {
    const clock = new BusyClock()
    const aborted = new AbortController()
    const runner = new SliceRunner(clock)
    const given = runner.run(steps('a', 12, []), aborted.signal)
    const other = runner.run(steps('b', 12, []), signal)
    aborted.abort(new Error('shut down'))
    const rejection = expect(given).rejects.toThrow('shut down')
    await clock.advance(1)
    await rejection
    expect(await other).toBe('b is done')
  })
})
