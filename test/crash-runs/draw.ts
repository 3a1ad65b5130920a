// Which runs are told? So many, drawn by a seed, or all there are, or the one that somebody names. A run knows where it strikes only as a
// share of the places, since how many there are shows when its workflow is told undisturbed. Pure.
import { seededRandom } from '../../src/base/random.ts'

/** A workflow, and where it can be told. */
export interface Choice {
  readonly name: string
  readonly weight: number
  /** Of PostgreSQL; undefined: it needs none. */
  readonly versions: readonly (number | undefined)[]
}

/** Where it strikes: shares of all places, in [0, 1); or their numbers. Twice at most. */
export type Aim =
  | { readonly kind: 'shares'; readonly shares: readonly number[] }
  | { readonly kind: 'places'; readonly places: readonly number[] }

/** Of a draw, the nth from 1. */
export type DrawnAim = Aim & { readonly nth?: number }

/** Tellings of one workflow on one server, one after the other. */
export interface Batch {
  readonly workflow: string
  readonly version: number | undefined
  readonly aims: readonly DrawnAim[] | EveryPlace
}

/** From this one on, every so manieth. */
export interface EveryPlace {
  readonly from: number
  readonly every: number
}

/**
 * `key`: as a run is called in a report, `database@15:12` or, if it is struck twice, `database@15:12,40`; without a version where no
 * PostgreSQL is needed.
 */
export type Draw =
  | { readonly kind: 'drawn'; readonly runs: number; readonly seed: number }
  | { readonly kind: 'every' }
  | { readonly kind: 'one'; readonly key: string }

/** More would be lost with a server that a failure has made useless. */
const mostInBatch = 40
/** One run of so many is struck a second time. */
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

/** Without what has been told already, by its number in the draw. */
export function batchesLeft(batches: readonly Batch[], told: ReadonlySet<number>): readonly Batch[] {
  return batches.flatMap((batch) => {
    if (!isDrawn(batch.aims)) return [batch]
    const aims = batch.aims.filter(({ nth }) => nth === undefined || !told.has(nth))
    return aims.length === 0 ? [] : [{ ...batch, aims }]
  })
}

/** What one of several processes does: as much of each workflow as the others, since some take much longer. It may be nothing. */
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

/** Of so many places those that are meant. */
export function aimsAt({ from, every }: EveryPlace, count: number): readonly DrawnAim[] {
  return Array.from({ length: count }, (_, place): DrawnAim => ({ kind: 'places', places: [place] })).filter(
    (_, place) => place % every === from,
  )
}

/** The numbers of the places that are meant, in order. */
export function placesOf(aim: Aim, count: number): readonly number[] {
  const numbers = aim.kind === 'places' ? aim.places : aim.shares.map((share) => Math.floor(share * count))
  return [...new Set(numbers)].toSorted((left, right) => left - right)
}

export function keyOf(workflow: string, version: number | undefined, places: readonly number[]): string {
  return `${placeOf(workflow, version)}:${places.join(',')}`
}

/** `database@15` */
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
    // The same draws whatever is chosen, so that one run more changes none before it.
    const [first, second, isTwice] = [next(), next(), next() < 1 / twice]
    chosen?.aims.push({ kind: 'shares', shares: isTwice ? [first, second] : [first], nth: run + 1 })
  }
  return inTurn(places.filter(({ aims }) => aims.length > 0))
}

/** A batch of each and then the next of each, so that whoever stops early has seen something of all. */
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
