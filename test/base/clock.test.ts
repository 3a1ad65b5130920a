import { describe, expect, it } from 'vitest'
import { deadline, withinLimit } from '../../src/base/clock.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

describe('deadline', () => {
  it('aborts at the limit, and hasPassed is true', async () => {
    const clock = new SimClock()
    const limit = deadline(clock, 1_000, new AbortController().signal)
    await clock.advance(999)
    expect([limit.signal.aborted, limit.hasPassed()]).toEqual([false, false])
    await clock.advance(1)
    expect([limit.signal.aborted, limit.hasPassed()]).toEqual([true, true])
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('aborts with its caller, for the same reason', () => {
    const controller = new AbortController()
    const limit = deadline(new SimClock(), 1_000, controller.signal)
    const reason = new Error('over')
    controller.abort(reason)
    expect(limit.signal.reason).toBe(reason)
    expect(limit.hasPassed()).toBe(false)
    expect(deadline(new SimClock(), 1_000, controller.signal).signal.reason).toBe(reason)
  })

  it('continues without limit once lifted, and still ends with its caller', async () => {
    const clock = new SimClock()
    const controller = new AbortController()
    const limit = deadline(clock, 1_000, controller.signal)
    limit.lift()
    await clock.advance(2_000)
    expect(limit.signal.aborted).toBe(false)
    controller.abort(new Error('over'))
    expect(limit.signal.aborted).toBe(true)
  })

  it('can be cancelled by the code that runs the work', () => {
    const limit = deadline(new SimClock(), 1_000, new AbortController().signal)
    const reason = new Error('closing')
    limit.cancel(reason)
    expect(limit.signal.reason).toBe(reason)
    expect(limit.hasPassed()).toBe(false)
  })

  it('leaves no timer and no listener once cleared', () => {
    const clock = new SimClock()
    const controller = new AbortController()
    const limit = deadline(clock, 1_000, controller.signal)
    limit.clear()
    controller.abort(new Error('over'))
    expect(limit.signal.aborted).toBe(false)
    expect(clock.nextTimerMs()).toBeUndefined()
  })
})

describe('withinLimit', () => {
  /** Work of a test: it reports the abort of its signal, and ends when the test ends it. */
  function begin(caller = new AbortController()) {
    const clock = new SimClock()
    const work = Promise.withResolvers<string>()
    const told: unknown[] = []
    const limit = { clock, limitMs: 10_000, signal: caller.signal, tooLate: () => new Error('too late') }
    const ended = withinLimit(limit, (signal) => {
      signal.addEventListener('abort', () => told.push(signal.reason))
      return work.promise
    }).catch((thrown: unknown) => thrown)
    const outcome = () => Promise.race([ended, clock.advance(0).then(() => 'under way')])
    return { clock, work, told, ended, outcome, caller }
  }

  it('returns the result of the work, and leaves no timer', async () => {
    const { clock, work, ended } = begin()
    work.resolve('done')
    expect(await ended).toBe('done')
    expect(clock.nextTimerMs()).toBeUndefined()
    const failing = begin()
    const reason = new Error('no')
    failing.work.reject(reason)
    expect(await failing.ended).toBe(reason)
    expect(failing.clock.nextTimerMs()).toBeUndefined()
  })

  it('aborts the work at the limit, and rejects with tooLate whatever the work returns', async () => {
    const { clock, work, told, ended } = begin()
    await clock.advance(9_999)
    expect(told).toEqual([])
    await clock.advance(1)
    expect(told).toHaveLength(1)
    work.reject(new Error('the socket was closed'))
    expect(await ended).toMatchObject({ message: 'too late' })
    expect(clock.nextTimerMs()).toBeUndefined()
  })

  it.each(['resolve', 'reject'] as const)(
    'continues without work that ignores its signal, and ignores its later %s',
    async (end) => {
      const { clock, work, outcome } = begin()
      await clock.advance(10_999)
      expect(await outcome()).toBe('under way')
      await clock.advance(1)
      expect(await outcome()).toMatchObject({ message: 'too late' })
      work[end]('late')
      await clock.advance(60_000)
      expect(clock.nextTimerMs()).toBeUndefined()
    },
  )

  it('accepts a result that comes with the limit', async () => {
    const { clock, work, ended } = begin()
    await clock.advance(10_500)
    work.resolve('done')
    expect(await ended).toBe('done')
  })

  it('ends with its caller, which waits at most a second', async () => {
    const { clock, told, outcome, caller } = begin()
    const reason = new Error('over')
    caller.abort(reason)
    expect(told).toEqual([reason])
    expect(await outcome()).toBe('under way')
    await clock.advance(1_000)
    expect(await outcome()).toBe(reason)
  })

  it('starts nothing for a caller that has aborted', async () => {
    const caller = new AbortController()
    const reason = new Error('over')
    caller.abort(reason)
    let begun = 0
    const limit = { clock: new SimClock(), limitMs: 1_000, signal: caller.signal, tooLate: () => new Error('too late') }
    await expect(withinLimit(limit, () => Promise.resolve(++begun))).rejects.toBe(reason)
    expect(begun).toBe(0)
  })
})
