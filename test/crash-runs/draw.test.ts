// Selection of the crash runs.
import { describe, expect, it } from 'vitest'
import { aimsAt, type Batch, batchesLeft, batchesOf, drawBatches, isDrawn, keyOf, placesOf } from './draw.ts'

const choices = [
  { name: 'quick', weight: 9, versions: [15, 18] },
  { name: 'slow', weight: 1, versions: [15] },
]
const elsewhere = { name: 'elsewhere', weight: 1, versions: [undefined] }

const drawnOf = (aims: Batch['aims']) => (isDrawn(aims) ? aims : [])

function counted(runs: number, seed: number) {
  const counts = new Map<string, number>()
  for (const { workflow, version, aims } of drawBatches({ kind: 'drawn', runs, seed }, choices)) {
    counts.set(`${workflow}@${version}`, (counts.get(`${workflow}@${version}`) ?? 0) + drawnOf(aims).length)
  }
  return counts
}

describe('a draw', () => {
  it('has the requested number of runs, the same for the same seed, and quick workflows more often', () => {
    expect(counted(1_000, 5)).toEqual(counted(1_000, 5))
    expect(counted(1_000, 5)).not.toEqual(counted(1_000, 6))
    const counts = counted(1_000, 5)
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(1_000)
    expect([...counts.keys()].toSorted()).toEqual(['quick@15', 'quick@18', 'slow@15'])
    expect(counts.get('slow@15')).toBeGreaterThan(50)
    expect(counts.get('slow@15')).toBeLessThan(200)
  })

  it('keeps its first runs when the number grows', () => {
    const shares = (runs: number) =>
      drawBatches({ kind: 'drawn', runs, seed: 5 }, choices)
        .filter(({ workflow }) => workflow === 'slow')
        .flatMap(({ aims }) => drawnOf(aims))
    expect(shares(200).slice(0, 5)).toEqual(shares(100).slice(0, 5))
    expect(shares(100).length).toBeGreaterThan(4)
  })

  it('injects one fault, and two into every fourth run', () => {
    const aims = drawBatches({ kind: 'drawn', runs: 1_000, seed: 5 }, choices).flatMap(({ aims }) => drawnOf(aims))
    const twice = aims.filter((aim) => aim.kind === 'shares' && aim.shares.length === 2)
    expect(twice.length).toBeGreaterThan(200)
    expect(twice.length).toBeLessThan(300)
  })

  it('over every place is a batch of each workflow and version', () => {
    expect(drawBatches({ kind: 'every' }, choices).map(({ workflow, version }) => `${workflow}@${version}`)).toEqual([
      ...['quick@15', 'quick@18', 'slow@15'],
    ])
  })

  it('for one run is parsed from its key', () => {
    const key = keyOf('quick', 15, [12, 40])
    expect(key).toBe('quick@15:12,40')
    expect(drawBatches({ kind: 'one', key }, choices)).toEqual([
      { workflow: 'quick', version: 15, aims: [{ kind: 'places', places: [12, 40] }] },
    ])
    expect(drawBatches({ kind: 'one', key: keyOf('elsewhere', undefined, [3]) }, [elsewhere])).toEqual([
      { workflow: 'elsewhere', version: undefined, aims: [{ kind: 'places', places: [3] }] },
    ])
    expect(() => drawBatches({ kind: 'one', key: 'quick' }, choices)).toThrow(/names no run/)
  })
})

describe('the batches of a draw', () => {
  const batches = drawBatches({ kind: 'drawn', runs: 2_000, seed: 5 }, [...choices, elsewhere])
  const numbersOf = (some: typeof batches) => some.flatMap(({ aims }) => drawnOf(aims).map(({ nth }) => nth ?? 0))

  it('contain each run once, and none of the completed ones', () => {
    const all = Array.from({ length: 2_000 }, (_, at) => at + 1)
    expect(numbersOf(batches).toSorted((left, right) => left - right)).toEqual(all)
    const left = batchesLeft(batches, new Set(all.filter((nth) => nth > 10)))
    expect(numbersOf(left).toSorted((left, right) => left - right)).toEqual(all.slice(0, 10))
    expect(batchesLeft(batches, new Set(all))).toEqual([])
    const everyPlace = { workflow: 'quick', version: 15, aims: { from: 0, every: 1 } }
    expect(batchesLeft([everyPlace], new Set(all))).toHaveLength(1)
  })

  it.each([1, 2, 3])('are distributed over %i processes, with an equal share of every workflow', (lanes) => {
    const dealt = Array.from({ length: lanes }, (_, lane) => batchesOf(batches, { lane, lanes }))
    expect(new Set(dealt.flat())).toEqual(new Set(batches))
    expect(dealt.flat()).toHaveLength(batches.length)
    for (const workflow of ['quick', 'slow', 'elsewhere']) {
      const counts = dealt.map((some) => some.filter((batch) => batch.workflow === workflow).length)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    }
  })

  it.each([1, 2, 3])('over every place are distributed to %i processes place by place, each once', (lanes) => {
    const one = drawBatches({ kind: 'every' }, [elsewhere])
    const dealt = Array.from({ length: lanes }, (_, lane) =>
      batchesOf(one, { lane, lanes }).flatMap(({ aims }) => (isDrawn(aims) ? [] : aimsAt(aims, 7))),
    )
    const places = dealt.flat().flatMap((aim) => (aim.kind === 'places' ? aim.places : []))
    expect(places.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(Math.max(...dealt.map((some) => some.length))).toBe(Math.ceil(7 / lanes))
  })
})

describe('the places of an aim', () => {
  it.each([
    [[0], [0]],
    [[0.999_999], [9]],
    [
      [0.75, 0.25],
      [2, 7],
    ],
    [[0.31, 0.39], [3]],
  ])('%j are, of ten, %j', (shares, places) => {
    expect(placesOf({ kind: 'shares', shares }, 10)).toEqual(places)
  })
})
