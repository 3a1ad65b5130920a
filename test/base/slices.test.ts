import { describe, expect, it } from 'vitest'
import { Slices } from '../../src/base/slices.ts'
import { BusyClock } from '../cache/busy-clock.ts'

const never = new AbortController().signal

async function works(slices: Slices, clock: BusyClock, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    clock.work(1)
    if (slices.isOver) await slices.nextTurn(never)
  }
}

describe('Slices', () => {
  it('end after 5 ms of work, and continue after an iteration of the event loop', async () => {
    const clock = new BusyClock()
    const done = works(new Slices(clock), clock, 100)
    await clock.advance(0)
    await done
    expect(clock.longestHeldMs).toBeLessThanOrEqual(7)
  })

  it('are shared: two works block the event loop no longer than one, and both end', async () => {
    const clock = new BusyClock()
    const slices = new Slices(clock)
    const done = Promise.all([works(slices, clock, 100), works(slices, clock, 100)])
    await clock.advance(0)
    await done
    expect(clock.longestHeldMs).toBeLessThanOrEqual(8)
  })

  it('do not count the time between works that are apart', async () => {
    const clock = new BusyClock()
    const slices = new Slices(clock)
    clock.work(1)
    expect(slices.isOver).toBe(false)
    await clock.advance(60_000)
    clock.work(1)
    expect(slices.isOver).toBe(false)
  })

  it('do not wait once the signal has aborted', async () => {
    const clock = new BusyClock()
    const slices = new Slices(clock)
    const stop = new AbortController()
    expect(slices.isOver).toBe(false)
    const waiting = slices.nextTurn(stop.signal)
    stop.abort()
    await waiting
    await slices.nextTurn(stop.signal)
  })
})
