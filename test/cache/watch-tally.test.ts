import { describe, expect, it } from 'vitest'
import type { WatchStatus } from '../../src/cache/watch-state.ts'
import { WatchTally } from '../../src/cache/watch-tally.ts'

/** Returns which of 1,100 watches are logged when they make the same change one after the other. */
function newsOf(tally: WatchTally, before: WatchStatus, status: WatchStatus): readonly number[] {
  return Array.from({ length: 1_100 }, (_, at) => at + 1).filter(() => tally.change(before, status).isNews)
}

describe('1,100 watches', () => {
  it('that begin, fail and recover together give few log lines, including the last recoveries', () => {
    const tally = new WatchTally()
    for (let watch = 0; watch < 1_100; watch++) tally.begin('starting')
    expect(newsOf(tally, 'starting', 'synced')).toEqual([1, 2, 3, 10, 100, 1_000])
    expect(newsOf(tally, 'synced', 'failing')).toEqual([1, 2, 3, 10, 100, 1_000])
    expect(newsOf(tally, 'failing', 'synced')).toEqual([101, 1_001, 1_091, 1_098, 1_099, 1_100])
  })
})

describe('a watch', () => {
  it('alone in trouble is logged, with the number of watches in trouble', () => {
    const tally = new WatchTally()
    for (let watch = 0; watch < 1_100; watch++) tally.begin('synced')
    expect(tally.change('synced', 'failing')).toEqual({ isNews: true, inTrouble: 1 })
    expect(tally.change('failing', 'waiting')).toEqual({ isNews: true, inTrouble: 1 })
    expect(tally.change('waiting', 'synced')).toEqual({ isNews: true, inTrouble: 0 })
  })

  it('that has ended is no longer in trouble', () => {
    const tally = new WatchTally()
    for (const status of ['failing', 'failing', 'failing', 'synced'] as const) tally.begin(status)
    for (const status of ['failing', 'failing', 'failing'] as const) tally.end(status)
    expect(tally.change('synced', 'failing')).toEqual({ isNews: true, inTrouble: 1 })
  })
})
