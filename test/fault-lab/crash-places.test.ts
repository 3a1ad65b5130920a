import { expect, it } from 'vitest'
import { everyFifth } from './crash-places.ts'

const ways = ['cutBefore', 'cutAfter', 'dieBefore', 'dieAfter']
const places = Array.from(
  { length: 40 },
  (_, at) => `${ways[at % ways.length]} statement ${Math.floor(at / ways.length)}`,
)

it('chooses a different fifth for each of five versions, and leaves no place out', () => {
  const fifths = [14, 15, 16, 17, 18].map((version) => everyFifth(places, version))
  expect(fifths.map(({ length }) => length)).toEqual([8, 8, 8, 8, 8])
  expect(fifths.flat().toSorted()).toEqual(places.toSorted())
})

it('chooses every kind of fault', () => {
  const taken = new Set(everyFifth(places, 15).map((place) => place.split(' ')[0]))
  expect([...taken].toSorted()).toEqual(ways.toSorted())
})
