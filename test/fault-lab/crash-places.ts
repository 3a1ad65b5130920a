// Places at which this run of a story injects a fault: every fifth, or fewer, with other ones for each version of
// PostgreSQL. So the gate ends in time. `KONVERGE_CRASHES=all` injects a fault at every place.
import process from 'node:process'

/** Prime to the number of kinds of faults at a statement; otherwise a run would always inject the same kind. */
const fifth = 5

/** Returns the places for `version`. A slow story passes a longer stride, which is prime to its number of kinds too. */
export function crashPlaces<Place>(all: readonly Place[], version: number, stride = fifth): readonly Place[] {
  return process.env['KONVERGE_CRASHES'] === 'all' ? all : everyNth(all, version, stride)
}

export function everyFifth<Place>(all: readonly Place[], version: number): readonly Place[] {
  return everyNth(all, version, fifth)
}

function everyNth<Place>(all: readonly Place[], version: number, stride: number): readonly Place[] {
  return all.filter((_, at) => at % stride === version % stride)
}
