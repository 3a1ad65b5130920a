// Differences between a restored database and the one that was backed up. Each difference is an actionable phrase.
import { describe, expect, it } from 'vitest'
import { contentsDifference, positionsDifference } from '../../../src/controllers/engines/contents-difference.ts'
import type { DatabaseContents } from '../../../src/controllers/engines/database-contents.ts'

const saved: DatabaseContents = {
  tables: [
    { schema: 'public', name: 'orders', rows: '3', hash: '77' },
    { schema: 'public', name: 'Big One', rows: '9', hash: null },
  ],
  sequences: [
    { schema: 'public', name: 'up', lastValue: '9007199254740993', increment: '1', cycles: false },
    { schema: 'public', name: 'down', lastValue: '-5', increment: '-1', cycles: false },
    { schema: 'public', name: 'round', lastValue: '5', increment: '1', cycles: true },
    { schema: 'public', name: 'fresh', lastValue: null, increment: '1', cycles: false },
  ],
  extensions: [{ name: 'pg_trgm', version: '1.6', schema: 'public' }],
  largeObjects: '2',
  objects: { views: 1, indexes: 2, 'own triggers': 0, sometimes: 3 },
}
const [orders, big] = saved.tables
const sequence = (name: string, lastValue: string | null) => ({
  sequences: saved.sequences.map((each) => (each.name === name ? { ...each, lastValue } : each)),
})

const cases: readonly { readonly what: string; readonly restored: object; readonly told: readonly string[] }[] = [
  { what: 'nothing', restored: {}, told: [] },
  {
    what: 'a table that is missing',
    restored: { tables: [orders] },
    told: ['table public."Big One" is missing'],
  },
  {
    what: 'a table too many',
    restored: { tables: [...saved.tables, { schema: 'x', name: 'y', rows: '0', hash: '0' }] },
    told: ['table x.y was not saved'],
  },
  {
    what: 'a row that is missing',
    restored: { tables: [{ ...orders, rows: '2', hash: '70' }, big] },
    told: ['table public.orders has 2 rows instead of 3'],
  },
  {
    what: 'another row',
    restored: { tables: [{ ...orders, hash: '78' }, big] },
    told: ['table public.orders has other rows, though as many (3)'],
  },
  {
    what: 'a row of a table that was only counted',
    restored: { tables: [orders, { ...big, rows: '10', hash: '1' }] },
    told: ['table public."Big One" has 10 rows instead of 9'],
  },
  { what: 'a sequence that is ahead', restored: sequence('up', '9007199254740994'), told: [] },
  {
    what: 'a sequence that is behind, beyond what a number can hold',
    restored: sequence('up', '9007199254740992'),
    told: ['sequence public.up is at 9007199254740992, behind 9007199254740993'],
  },
  {
    what: 'a sequence at its start',
    restored: sequence('up', null),
    told: ['sequence public.up is at its start, behind 9007199254740993'],
  },
  { what: 'a falling sequence that is ahead', restored: sequence('down', '-6'), told: [] },
  {
    what: 'a falling sequence that is behind',
    restored: sequence('down', '-4'),
    told: ['sequence public.down is at -4, behind -5'],
  },
  { what: 'a sequence that goes round', restored: sequence('round', '1'), told: [] },
  { what: 'a sequence that was fresh', restored: sequence('fresh', '1'), told: [] },
  {
    what: 'a newer extension',
    restored: { extensions: [{ name: 'pg_trgm', version: '1.7', schema: 'public' }] },
    told: [],
  },
  { what: 'an extension', restored: { extensions: [] }, told: ['extension public.pg_trgm is missing'] },
  {
    what: 'numbers of objects that were counted both times',
    restored: { largeObjects: '1', objects: { views: 1, indexes: 1, 'own triggers': 1, later: 7 } },
    told: [
      'there are 1 large objects instead of 2',
      'there are 1 indexes instead of 2',
      'there are 1 own triggers instead of 0',
    ],
  },
]

describe('the difference between a source database and its restored copy', () => {
  it.each(cases)('names $what', ({ restored, told }) => {
    expect(contentsDifference(saved, { ...saved, ...restored }, { rows: 'hashed' })).toEqual(told)
  })

  it('leaves out hashes between major versions', () => {
    const other = { ...saved, tables: saved.tables.map((table) => ({ ...table, hash: '0' })) }
    expect(contentsDifference(saved, other, { rows: 'counted' })).toEqual([])
  })

  it('has a readable length', () => {
    const many = { ...saved, tables: Array.from({ length: 50 }, (_, n) => ({ ...saved.tables[0], name: `t${n}` })) }
    const told = contentsDifference(many as DatabaseContents, { ...saved, tables: [] }, { rows: 'hashed' })
    expect(told).toHaveLength(11)
    expect(told.at(-1)).toBe('and 40 more')
  })
})

it('names unowned sequences with another value', () => {
  const at = (name: string, value: string, isGiven: boolean) => ({ schema: 'public', name, value, isGiven })
  const before = [at('ids', '10', true), at('import', '5000', false), at('gone', '1', false)]
  const now = [at('ids', '9', true), at('import', '5000', true), at('new', '1', false)]
  expect(positionsDifference(before, before)).toEqual([])
  expect(positionsDifference(before, now)).toEqual([
    'sequence public.ids stands at 9 instead of at 10',
    'sequence public.import stands at 5000 instead of before 5000',
    ...['sequence public.gone is missing', 'sequence public.new was not saved'],
  ])
})
