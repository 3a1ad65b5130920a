import { describe, expect, it } from 'vitest'
import { deadline } from '../../src/base/clock.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

describe('deadline', () => {
  it('aborts at the limit, and knows that it was the limit', async () => {
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

  it('goes on without limit once lifted, and still ends with its caller', async () => {
    const clock = new SimClock()
    const controller = new AbortController()
    const limit = deadline(clock, 1_000, controller.signal)
    limit.lift()
    await clock.advance(2_000)
    expect(limit.signal.aborted).toBe(false)
    controller.abort(new Error('over'))
    expect(limit.signal.aborted).toBe(true)
  })

  it('can be cancelled by the one who runs the work', () => {
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
