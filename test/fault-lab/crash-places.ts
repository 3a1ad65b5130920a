// At which of all its places is a story disturbed in this run? At every fifth, or at fewer, with other ones for each version of PostgreSQL,
// so that the gate ends in time. `KONVERGE_CRASHES=all` disturbs it at every place.
import process from 'node:process'

/** Prime to the number of ways in which a statement is disturbed, or it would always be the same way. */
const fifth = 5

/** `version` chooses the fifth. A story of which each telling takes long says a longer stride, which is prime to its ways too. */
export function crashPlaces<Place>(all: readonly Place[], version: number, stride = fifth): readonly Place[] {
  return process.env['KONVERGE_CRASHES'] === 'all' ? all : everyNth(all, version, stride)
}

export function everyFifth<Place>(all: readonly Place[], version: number): readonly Place[] {
  return everyNth(all, version, fifth)
}

function everyNth<Place>(all: readonly Place[], version: number, stride: number): readonly Place[] {
  return all.filter((_, at) => at % stride === version % stride)
}
