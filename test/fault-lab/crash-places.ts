// At which of all its places is a story disturbed in this run? At every fifth, with other ones for each version of PostgreSQL, so that the
// gate ends in time. `KONVERGE_CRASHES=all` disturbs it at every place.
import process from 'node:process'

/** Prime to the number of ways in which a statement is disturbed, or it would always be the same way. */
const stride = 5

/** `version` chooses the fifth. */
export function crashPlaces<Place>(all: readonly Place[], version: number): readonly Place[] {
  return process.env['KONVERGE_CRASHES'] === 'all' ? all : everyFifth(all, version)
}

export function everyFifth<Place>(all: readonly Place[], version: number): readonly Place[] {
  return all.filter((_, at) => at % stride === version % stride)
}
