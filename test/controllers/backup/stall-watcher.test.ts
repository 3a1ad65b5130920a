// Stall detection of work with a simulated clock. Invariant: the watcher stops work that hangs, and leaves slow work
// alone.
import { describe, expect, it } from 'vitest'
import { whileItMoves } from '../../../src/controllers/backup/stall-watcher.ts'
import { withoutStall } from '../../../src/controllers/stores/flow-watcher.ts'
import { SimClock } from '../../../src/testing/sim-clock.ts'
import { never, pieces, sha256Of, whole } from '../stores/contents.ts'

const hangs = new Error('hangs')
const stalled = () => hangs

describe('a watched stream', () => {
  it('passes unchanged', async () => {
    const clock = new SimClock()
    const content = withoutStall(pieces(7), { clock, limitMs: 1_000, stalled })
    expect(sha256Of(await whole(content))).toBe(sha256Of(await whole(pieces(7))))
    expect(clock.nextTimerMs()).toBeUndefined()
  })

  it('may take long when bytes arrive now and then', async () => {
    const clock = new SimClock()
    const slow = async function* () {
      for await (const piece of pieces(5)) {
        await new Promise<void>((resolve) => clock.setTimer(900, resolve))
        yield piece
      }
    }
    const all = whole(withoutStall(slow(), { clock, limitMs: 1_000, leastBytes: 1_000, stalled }))
    await clock.advance(5_000)
    expect((await all).byteLength).toBe(5_000)
  })

  it('is stopped when it trickles', async () => {
    const clock = new SimClock()
    const trickle = async function* () {
      for (;;) {
        await new Promise<void>((resolve) => clock.setTimer(400, resolve))
        yield Buffer.alloc(1)
      }
    }
    const all = whole(withoutStall(trickle(), { clock, limitMs: 1_000, leastBytes: 1_000, stalled }))
    const refused = expect(all).rejects.toBe(hangs)
    await clock.advance(1_000)
    await refused
  })

  it('is stopped when no bytes arrive', async () => {
    const clock = new SimClock()
    const silent = async function* () {
      yield* pieces(2)
      await new Promise<never>(() => {})
    }
    const all = whole(withoutStall(silent(), { clock, limitMs: 1_000, stalled }))
    const refused = expect(all).rejects.toBe(hangs)
    await clock.advance(1_000)
    await refused
  })
})

describe('watched work without a stream', () => {
  const watched = (clock: SimClock, look: () => Promise<string | undefined>, work: Promise<string>) =>
    whileItMoves(
      { clock, limitMs: 1_000, stalled, signal: never, look },
      (signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          work.then(resolve, reject)
        }),
    )

  it.each([
    ['looks otherwise each time', (nowMs: number) => String(nowMs)],
    ['cannot be told to stand still', () => undefined],
  ])('continues as long as it %s', async (_, seen) => {
    const clock = new SimClock()
    const { promise, resolve } = Promise.withResolvers<string>()
    const outcome = watched(clock, async () => seen(clock.monotonicMs()), promise)
    await clock.advance(60_000)
    resolve('done')
    expect(await outcome).toBe('done')
    expect(clock.nextTimerMs()).toBeUndefined()
  })

  it.each([
    ['looks the same all the time', async () => 'same'],
    ['cannot be looked at', () => Promise.reject(new Error('no answer'))],
  ])('is stopped when it %s', async (_, look) => {
    const clock = new SimClock()
    const { promise } = Promise.withResolvers<string>()
    const refused = expect(watched(clock, look, promise)).rejects.toBe(hangs)
    await clock.advance(1_100)
    await refused
  })

  it('reports its own error', async () => {
    const clock = new SimClock()
    const failure = new Error('its own')
    await expect(watched(clock, async () => 'same', Promise.reject(failure))).rejects.toBe(failure)
    expect(clock.nextTimerMs()).toBeUndefined()
  })
})
