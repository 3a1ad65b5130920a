// Selection of runs: a number drawn by a seed, all runs, or a named one. A run names its places as shares of all
// places, because their number is known only after a run without faults. Pure.
import { seededRandom } from '../../src/base/random.ts'

/** A workflow, and the versions on which it can run. */
export interface Choice {
  readonly name: string
  readonly weight: number
  /** Versions of PostgreSQL; undefined: the workflow needs none. */
  readonly versions: readonly (number | undefined)[]
}

/** Places of the faults: shares of all places, in [0, 1), or their numbers. At most two. */
export type Aim =
  | { readonly kind: 'shares'; readonly shares: readonly number[] }
  | { readonly kind: 'places'; readonly places: readonly number[] }

/** Number of the run in its draw, from 1. */
export type DrawnAim = Aim & { readonly nth?: number }

/** Runs of one workflow on one server, one after the other. */
export interface Batch {
  readonly workflow: string
  readonly version: number | undefined
  readonly aims: readonly DrawnAim[] | EveryPlace
}

/** Every Nth place from this one on. */
export interface EveryPlace {
  readonly from: number
  readonly every: number
}

/**
 * `key`: name of a run in a report, `database@15:12` or, with two faults, `database@15:12,40`; without a version if it
 * needs no PostgreSQL.
 */
export type Draw =
  | { readonly kind: 'drawn'; readonly runs: number; readonly seed: number }
  | { readonly kind: 'every' }
  | { readonly kind: 'one'; readonly key: string }

/** A failure discards the server. A larger batch would lose more runs. */
const mostInBatch = 40
/** One of this number of runs gets a second fault. */
const twice = 4

export function drawBatches(draw: Draw, choices: readonly Choice[]): readonly Batch[] {
  switch (draw.kind) {
    case 'drawn':
      return drawnBatches(draw, choices)
    case 'every':
      return choices.flatMap(({ name, versions }) =>
        versions.map((version): Batch => ({ workflow: name, version, aims: { from: 0, every: 1 } })),
      )
    case 'one':
      return [batchOf(draw.key)]
  }
}

/** Returns the batches without the completed runs, by their numbers in the draw. */
export function batchesLeft(batches: readonly Batch[], told: ReadonlySet<number>): readonly Batch[] {
  return batches.flatMap((batch) => {
    if (!isDrawn(batch.aims)) return [batch]
    const aims = batch.aims.filter(({ nth }) => nth === undefined || !told.has(nth))
    return aims.length === 0 ? [] : [{ ...batch, aims }]
  })
}

/**
 * Returns the batches of one of several processes: an equal share of each workflow, because some take much longer. It
 * may be empty.
 */
export function batchesOf(batches: readonly Batch[], { lane, lanes }: Lane): readonly Batch[] {
  const dealt = new Map<string, number>()
  return batches.flatMap((batch) => {
    if (!isDrawn(batch.aims)) return [{ ...batch, aims: { from: lane, every: lanes } }]
    const nth = dealt.get(batch.workflow) ?? dealt.size
    dealt.set(batch.workflow, nth + 1)
    return nth % lanes === lane ? [batch] : []
  })
}

export function isDrawn(aims: Batch['aims']): aims is readonly DrawnAim[] {
  return Array.isArray(aims)
}

export interface Lane {
  readonly lane: number
  readonly lanes: number
}

/** Returns the aims among this number of places. */
export function aimsAt({ from, every }: EveryPlace, count: number): readonly DrawnAim[] {
  return Array.from({ length: count }, (_, place): DrawnAim => ({ kind: 'places', places: [place] })).filter(
    (_, place) => place % every === from,
  )
}

/** Returns the numbers of the places of an aim, in order. */
export function placesOf(aim: Aim, count: number): readonly number[] {
  const numbers = aim.kind === 'places' ? aim.places : aim.shares.map((share) => Math.floor(share * count))
  return [...new Set(numbers)].toSorted((left, right) => left - right)
}

export function keyOf(workflow: string, version: number | undefined, places: readonly number[]): string {
  return `${placeOf(workflow, version)}:${places.join(',')}`
}

/** Returns e.g. `database@15`. */
export function placeOf(workflow: string, version: number | undefined): string {
  return version === undefined ? workflow : `${workflow}@${version}`
}

function drawnBatches(
  { runs, seed }: { readonly runs: number; readonly seed: number },
  choices: readonly Choice[],
): readonly Batch[] {
  const { next } = seededRandom(seed)
  const places = choices.flatMap(({ name, weight, versions }) =>
    versions.map((version) => ({ workflow: name, version, weight: weight / versions.length, aims: [] as DrawnAim[] })),
  )
  const total = places.reduce((sum, { weight }) => sum + weight, 0)
  for (let run = 0; run < runs; run += 1) {
    let left = next() * total
    const chosen = places.find(({ weight }) => {
      left -= weight
      return left < 0
    })
    // The draws do not depend on the choice, so that one more run changes none before it.
    const [first, second, isTwice] = [next(), next(), next() < 1 / twice]
    chosen?.aims.push({ kind: 'shares', shares: isTwice ? [first, second] : [first], nth: run + 1 })
  }
  return inTurn(places.filter(({ aims }) => aims.length > 0))
}

/** Alternates between the workflows, so that an early stop has covered some runs of all. */
function inTurn(
  drawn: readonly {
    readonly workflow: string
    readonly version: number | undefined
    readonly aims: readonly DrawnAim[]
  }[],
) {
  const most = Math.max(0, ...drawn.map(({ aims }) => aims.length))
  const batches: Batch[] = []
  for (let from = 0; from < most; from += mostInBatch) {
    for (const { workflow, version, aims } of drawn) {
      const some = aims.slice(from, from + mostInBatch)
      if (some.length > 0) batches.push({ workflow, version, aims: some })
    }
  }
  return batches
}

function batchOf(key: string): Batch {
  const [, workflow = '', version, places = ''] = /^([\w-]+)(?:@(\d+))?:(\d+(?:,\d+)*)$/.exec(key) ?? []
  if (workflow === '') throw new Error(`'${key}' names no run; a report has them as database@15:12`)
  const where = version === undefined ? undefined : Number(version)
  return { workflow, version: where, aims: [{ kind: 'places', places: places.split(',').map(Number) }] }
}
