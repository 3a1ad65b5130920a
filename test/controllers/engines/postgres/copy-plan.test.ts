// Plan of a copy: its columns, its key, and the rows of a batch.
import { describe, expect, it } from 'vitest'
import type { TableName } from '../../../../src/controllers/engines/migration-step.ts'
import {
  copyPlan,
  nextBatchRows,
  percentOf,
  shapeIn,
  type TableShape,
} from '../../../../src/controllers/engines/postgres/migration/copy-plan.ts'

const table = { schema: 'public', name: 'orders' }
const int = { schema: 'pg_catalog', name: 'int4' }

function shape(
  names: readonly string[],
  keys: readonly (readonly string[])[],
  generated: readonly string[] = [],
): TableShape {
  const columns = names.map((name) => ({ name, type: int, isGenerated: generated.includes(name) }))
  return { isPartitioned: false, heirs: [], columns, keys, rowEstimate: undefined, sequences: [] }
}

describe('a copy', () => {
  it('uses the first key, and leaves out columns that are generated on either server', () => {
    const source = shape(['a', 'b', 'c', 'd'], [['b', 'a'], ['a']], ['c'])
    const plan = copyPlan(table, {
      ...{ source, target: shape(['d', 'c', 'b', 'a', 'more'], [], ['d']), tables: [table] },
    })
    expect(plan.columns.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(plan.key).toEqual([1, 0])
  })

  it('does not use a generated key', () => {
    const plan = copyPlan(table, {
      ...{ source: shape(['a', 'b'], [['b'], ['a']], ['b']), target: shape(['a', 'b'], []), tables: [table] },
    })
    expect(plan.key).toEqual([0])
  })

  it.each([
    [undefined, shape([], []), 'table public.orders is not there in the source'],
    [shape([], []), undefined, 'table public.orders is not there in the target'],
    [shape(['a'], [['a']]), shape([], []), 'table public.orders has no column "a" in the target'],
    [
      shape(['a'], []),
      shape(['a'], [['a']]),
      'table public.orders has no primary key, nor a unique one without nulls, to go along',
    ],
  ])('is rejected: %#', (source, target, message) => {
    expect(() => copyPlan(table, { source, target, tables: [table] })).toThrow(message)
  })

  it('is rejected while its step does not name all tables that inherit from one of its own', () => {
    const heirs = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ schema: 'parts', name }))
    const whole = shape(['id'], [['id']])
    const planWith = (tables: readonly TableName[]) =>
      copyPlan(table, { source: { ...whole, heirs }, target: whole, tables: [table, ...tables] })
    expect(() => planWith([{ schema: 'public', name: 'a' }])).toThrow(
      'table public.orders has tables in the source that inherit from it (parts.a, parts.b, parts.c and 2 more), whose rows would stay behind; ' +
        'name those in tables too, or let them inherit no more',
    )
    expect(() => planWith(heirs.slice(0, 4))).toThrow('inherit from it (parts.e), whose')
    expect(planWith(heirs).key).toEqual([0])
  })

  it.each([
    ['12', '3', false, true],
    ['12', undefined, false, true],
    ['12', '3', true, false],
    ['12', '12', false, false],
    [undefined, '3', false, false],
  ])('with a sequence at %s there and at %s here, settable %s, is rejected: %s', (from, to, isSettable, isRefused) => {
    const whole = shape(['id'], [['id']])
    const sequence = { column: 'id', name: 'public.numbers', oid: '1' }
    const source = { ...whole, sequences: [{ ...sequence, isSettable: false, lastValue: from }] }
    const target = { ...whole, sequences: [{ ...sequence, isSettable, lastValue: to }] }
    const plan = () => copyPlan(table, { source, target, tables: [table] })
    if (!isRefused) return expect(plan().key).toEqual([0])
    const message = `table public.orders takes "id" in the target from sequence public.numbers, which is at ${to ?? 'no value'} and has to be set to 12; GRANT UPDATE`
    return expect(plan).toThrow(message)
  })

  it.each([
    [5_000, undefined, 10],
    [7, undefined, 7],
    [5_000, { rows: 100, bytes: 4_194_304 }, 100],
    [5_000, { rows: 100, bytes: 2_097_152 }, 200],
    [5_000, { rows: 100, bytes: 100 }, 5_000],
    [5_000, { rows: 1, bytes: 99_000_000 }, 1],
    [5_000, { rows: 0, bytes: 0 }, 1],
  ])('reads of at most %i rows after %j %i', (most, last, rows) => {
    expect(nextBatchRows(most, last)).toBe(rows)
  })

  it.each([
    [50, [100], 50],
    [50, [50, 50], 50],
    [100, [100], 99],
    [300, [100], 99],
    [1, [0], undefined],
    [1, [100, undefined], undefined],
    [0, [], undefined],
  ])('after %i rows of %j is at %s per cent', (rows, estimates, percent) => {
    expect(percentOf(rows, estimates)).toBe(percent)
  })

  it('has no progress for a table that was never counted', () => {
    expect(shapeIn('{"rowEstimate":-1,"columns":null,"keys":null,"sequences":null}')).toEqual(shape([], []))
    expect(shapeIn(null)).toBeUndefined()
  })
})
