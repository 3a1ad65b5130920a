import { describe, expect, it } from 'vitest'
import { Places } from '../../src/queue/places.ts'

describe('Places', () => {
  it.each<{
    title: string
    limit: number
    held: Readonly<Record<string, number>>
    group: string
    othersWait: boolean
    isFree: boolean
  }>([
    { title: 'the last place, alone', limit: 4, held: { a: 3 }, group: 'a', othersWait: false, isFree: true },
    { title: 'no place, alone', limit: 4, held: { a: 4 }, group: 'a', othersWait: false, isFree: false },
    { title: 'less than half', limit: 4, held: { a: 1 }, group: 'a', othersWait: true, isFree: true },
    { title: 'half, while others wait', limit: 4, held: { a: 2 }, group: 'a', othersWait: true, isFree: false },
    { title: 'half, rounded up', limit: 5, held: { a: 2 }, group: 'a', othersWait: true, isFree: true },
    { title: 'half rounded up and held', limit: 5, held: { a: 3 }, group: 'a', othersWait: true, isFree: false },
    { title: 'beside one with all places', limit: 4, held: { a: 4 }, group: 'b', othersWait: true, isFree: true },
    { title: 'beside all places, again', limit: 4, held: { a: 4, b: 1 }, group: 'b', othersWait: true, isFree: true },
    { title: 'beside all, no more', limit: 4, held: { a: 4, b: 2 }, group: 'c', othersWait: false, isFree: false },
    { title: 'all places held', limit: 4, held: { a: 2, b: 2 }, group: 'c', othersWait: false, isFree: false },
    { title: 'the only place', limit: 1, held: {}, group: 'a', othersWait: true, isFree: true },
    { title: 'none of one', limit: 1, held: { a: 1 }, group: 'b', othersWait: false, isFree: false },
  ])('$title: $isFree', ({ limit, held, group, othersWait, isFree }) => {
    const holders = Object.entries(held).flatMap(([name, count]) => Array<string>(count).fill(name))
    expect(new Places(limit, holders).isFree({ group, othersWait })).toBe(isFree)
  })

  it('never holds more than 1.5 times the limit', () => {
    for (let limit = 1; limit <= 20; limit++) {
      const holders: string[] = []
      for (const group of 'abcdef') {
        while (new Places(limit, holders).isFree({ group, othersWait: false })) holders.push(group)
      }
      expect(holders.length).toBeLessThanOrEqual(limit + Math.floor(limit / 2))
    }
  })
})
