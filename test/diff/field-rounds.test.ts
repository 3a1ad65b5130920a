import { describe, expect, it } from 'vitest'
import { FieldRounds, type FieldRoundsOptions, type Settling } from '../../src/diff/field-rounds.ts'

/** `path`, or `path<rival`. */
type Field = string

interface Apply {
  readonly fields: readonly Field[]
  readonly atMs?: number
  readonly desired?: string
}

const settling = (rounds: number): Settling => ({ kind: 'settling', rounds })
const fought = (rounds: number, paths: readonly string[], rivals: readonly string[] = []): Settling => ({
  kind: 'not-converging',
  rounds,
  paths,
  rivals,
})

function learned(applies: readonly Apply[], options?: FieldRoundsOptions): readonly Settling[] {
  const rounds = new FieldRounds(options)
  return applies.map(({ fields, atMs, desired = 'd' }, at) =>
    rounds.learn({
      part: 'u',
      desiredHash: desired,
      nowMs: atMs ?? at,
      fields: fields.map((field) => {
        const [path = '', ...rivals] = field.split('<')
        return { path, rivals }
      }),
    }),
  )
}

describe('applies of one object', () => {
  it.each<[string, readonly Apply[], readonly Settling[]]>([
    [
      'settle while different fields are set back',
      ['a', 'b', 'c', 'a', 'b', 'c'].map((field) => ({ fields: [field] })),
      [1, 1, 1, 2, 2, 2].map(settling),
    ],
    [
      'do not converge when one field is set back three times, and name it alone',
      [{ fields: ['new', 'a', 'b'] }, { fields: ['a', 'b'] }, { fields: ['a', 'c'] }],
      [settling(1), settling(2), fought(3, ['a'])],
    ],
    [
      'do not converge when other fields are set back in between',
      ['a', 'b', 'a', 'c', 'a'].map((field) => ({ fields: [field] })),
      [settling(1), settling(1), settling(2), settling(1), fought(3, ['a'])],
    ],
    [
      'name the manager of the field, and none of an edit beside it',
      [{ fields: ['a<hpa'] }, { fields: ['a<hpa', 'b<ann'] }, { fields: ['a<hpa', 'c<bob'] }],
      [settling(1), settling(2), fought(3, ['a'], ['hpa'])],
    ],
    [
      'name the manager who set the field most often',
      [{ fields: ['a<ann'] }, { fields: ['a<hpa'] }, { fields: ['a<hpa'] }],
      [settling(1), settling(2), fought(3, ['a'], ['hpa'])],
    ],
    [
      'do not converge for the next field as soon as it has its rounds',
      [{ fields: ['a'] }, { fields: ['a'] }, { fields: ['a'] }, { fields: ['x'] }, { fields: ['a'] }],
      [settling(1), settling(2), fought(3, ['a']), settling(1), fought(4, ['a'])],
    ],
    [
      'do not converge without a field that is known',
      [{ fields: [] }, { fields: [] }, { fields: [] }],
      [settling(1), settling(2), fought(3, [])],
    ],
    [
      'start again when something else is desired',
      ['d', 'd', 'e', 'd', 'd'].map((desired) => ({ fields: ['a'], desired })),
      [1, 2, 1, 1, 2].map(settling),
    ],
    [
      'start again after a quiet time of the field',
      [0, 99, 199, 298].map((atMs) => ({ fields: ['a'], atMs })),
      [1, 2, 1, 2].map(settling),
    ],
    [
      'start again for a field that was quiet while others were set back',
      [
        { fields: ['a'], atMs: 0 },
        { fields: ['b'], atMs: 60 },
        { fields: ['a'], atMs: 120 },
      ],
      [1, 1, 1].map(settling),
    ],
  ])('%s', (_, applies, expected) => {
    expect(learned(applies, { quietMs: 100 })).toEqual(expected)
  })

  it('do not converge when corrections are too frequent, even of different fields', () => {
    const applies = Array.from({ length: 20 }, (_, at) => ({ fields: [`f${at}`] }))
    expect(learned(applies).at(-2)).toEqual(settling(1))
    expect(learned(applies).at(-1)).toEqual(fought(20, ['f19']))
    const slow = applies.map((apply, at) => ({ ...apply, atMs: at * 60_000 }))
    expect(learned(slow).every(({ kind }) => kind === 'settling')).toBe(true)
  })

  it('are forgotten after a quiet time, and bounded in memory', () => {
    const rounds = new FieldRounds({ quietMs: 100 })
    const field = { path: 'a', rivals: [] }
    for (let at = 0; at < 1_000; at++) rounds.learn({ part: `u${at}`, desiredHash: 'd', fields: [field], nowMs: 0 })
    expect(rounds.size).toBe(1_000)
    rounds.learn({ part: 'later', desiredHash: 'd', fields: [field], nowMs: 100 })
    expect(rounds.size).toBe(1)
  })
})
