// Matching of faults: a fault strikes the calls and frames that it matches, and no others.
import { expect, it } from 'vitest'
import { type Fault, FaultBook, type Occurrence } from './fault.ts'

const effect = { kind: 'silence' } as const
const apply: Occurrence = { verb: 'apply', resource: 'services', namespace: 'shop', name: 'cart' }

function strikesOf(fault: Fault, occurrences: readonly Occurrence[]): readonly boolean[] {
  const book = new FaultBook()
  book.add(fault)
  return occurrences.map((occurrence) => book.strike(occurrence) === fault)
}

it('strikes the nth matching call, and the given number of calls', () => {
  const fault: Fault = { match: { resource: 'services' }, nth: 2, times: 2, effect }
  const other = { ...apply, resource: 'pods' }
  expect(strikesOf(fault, [apply, other, apply, apply, apply])).toEqual([false, false, true, true, false])
})

it.each<readonly [Fault['match'], boolean]>([
  [{}, true],
  [{ verb: 'apply', resource: 'services', namespace: 'shop', name: 'cart', subresource: '' }, true],
  [{ verb: ['patch', 'apply'] }, true],
  [{ verb: 'get' }, false],
  [{ name: 'basket' }, false],
  [{ namespace: 'default' }, false],
  [{ subresource: 'status' }, false],
  [{ frame: 'any' }, false],
])('matches by everything that is set: %j', (match, strikes) => {
  expect(strikesOf({ match, effect }, [apply])).toEqual([strikes])
})

it('strikes frames by type, and never calls', () => {
  const watch: Occurrence = { verb: 'watch', resource: 'services' }
  const frames: readonly Occurrence[] = [watch, { ...watch, frame: 'ADDED' }, { ...watch, frame: 'MODIFIED' }]
  expect(strikesOf({ match: { frame: 'MODIFIED' }, effect }, frames)).toEqual([false, false, true])
  expect(strikesOf({ match: { resource: 'services', frame: 'any' }, times: 9, effect }, frames)).toEqual([
    false,
    true,
    true,
  ])
})

it('is spent after the given number of strikes', () => {
  const book = new FaultBook()
  const fault: Fault = { match: {}, times: 2, effect }
  book.add(fault)
  book.strike(apply)
  expect(book.isSpent(fault)).toBe(false)
  book.strike(apply)
  expect(book.isSpent(fault)).toBe(true)
})
