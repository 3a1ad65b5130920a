// Choice of the next review, and removal of reviews from the queue. One row for each.
import { describe, expect, it } from 'vitest'
import { ReviewMemory } from '../../../../../src/controllers/engines/postgres/review/review-memory.ts'
import {
  displacedReviews,
  isAbandoned,
  nextReview,
  UsedTime,
} from '../../../../../src/controllers/engines/postgres/review/review-queue.ts'

/** `a1` is the first review of namespace a. */
const queued = (names: string, sizeBytes = 10) =>
  names.split(' ').flatMap((name) => {
    const [namespace = ''] = name
    return name === '' ? [] : [{ name, namespace, sizeBytes, askedAtMs: 0, waiting: 0 }]
  })

describe('the next review', () => {
  it.each([
    ['is none of an empty queue', '', {}, undefined],
    ['is the first', 'a1 a2', {}, 'a1'],
    ['is the first of all namespaces that used no time', 'b1 a1', {}, 'b1'],
    ['is of the namespace that used the least time', 'a1 a2 b1 c1', { a: 9_000, b: 200, c: 300 }, 'b1'],
    ['is of a namespace that used none, however many wait before it', 'a1 a2 a3 a4 a5 b1', { a: 10 }, 'b1'],
    ['is the first between namespaces that used the same', 'b1 a1', { a: 10, b: 10 }, 'b1'],
  ] as const)('%s', (_, names, used: Readonly<Record<string, number>>, expected) => {
    expect(nextReview(queued(names), (namespace) => used[namespace] ?? 0)?.name).toBe(expected)
  })

  it('alternates between the namespaces while all reviews take the same time', () => {
    const used = new UsedTime()
    let waiting = queued('a1 a2 a3 b1 b2 c1')
    const order: string[] = []
    for (let nowMs = 0; waiting.length > 0; nowMs += 1_000) {
      const next = nextReview(waiting, (namespace) => used.of(namespace, nowMs))
      if (next === undefined) break
      order.push(next.name)
      waiting = waiting.filter((one) => one !== next)
      used.add(next.namespace, 1_000, nowMs + 1_000)
    }
    expect(order.slice(0, 3)).toEqual(['a1', 'b1', 'c1'])
    expect(order.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
  })
})

describe('reviews that leave a queue of 50 bytes', () => {
  it.each([
    ['are none while it holds less', 'a1 a2 b1 b2 b3', []],
    ['are the last of the namespace that holds most', 'a1 a2 a3 a4 a5 b1', ['a5']],
    ['are the one that has just come, of that namespace', 'b1 a1 a2 a3 a4 a5', ['a5']],
    ['are as many as do not fit', 'a1 a2 a3 b1 b2 b3 b4 b5', ['b5', 'b4', 'a3']],
  ])('%s', (_, names, expected) => {
    expect(displacedReviews(queued(names), 50).map(({ name }) => name)).toEqual(expected)
  })

  it.each([
    [60_000, 0, false],
    [60_001, 0, true],
    [60_001, 1, false],
  ])('are abandoned %i ms after the last caller, while %i wait: %s', (nowMs, waiting, expected) => {
    expect(isAbandoned({ namespace: 'a', sizeBytes: 1, askedAtMs: 0, waiting }, nowMs)).toBe(expected)
  })
})

it('a queue halves used time after ten minutes, and finally drops it', () => {
  const used = new UsedTime()
  used.add('a', 8_000, 0)
  used.add('b', 10, 0)
  expect([used.of('a', 0), used.of('a', 600_000), used.of('a', 1_200_000)]).toEqual([8_000, 4_000, 2_000])
  used.add('a', 1_000, 600_000)
  expect(used.of('a', 600_000)).toBe(5_000)
  used.add('c', 100, 3_600_000)
  expect([used.of('b', 3_600_000), used.of('a', 3_600_000) > 1]).toEqual([0, true])
})

describe('the cache of reviews', () => {
  const review = { findings: [], blindSpots: [] }

  it('has a review of its namespace until it expires', () => {
    const memory = new ReviewMemory()
    memory.keep('a', 'one', review)
    expect([memory.find('a', 'one'), memory.find('b', 'one'), memory.find('a', 'two')]).toEqual([
      review,
      undefined,
      undefined,
    ])
    memory.forget('a', 'one')
    expect(memory.find('a', 'one')).toBeUndefined()
  })

  it('is bounded, and a namespace with many entries evicts its own oldest ones', () => {
    const memory = new ReviewMemory(6_000)
    memory.keep('quiet', 'one', review)
    for (let at = 0; at < 1_000; at += 1) memory.keep('loud', `${at}`, review)
    expect(memory.find('quiet', 'one')).toBe(review)
    expect(memory.find('loud', '0')).toBeUndefined()
    expect(memory.find('loud', '999')).toBe(review)
  })
})
