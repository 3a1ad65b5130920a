// Does any text break the review? It answers every one of them, the parser lives on, and no place is outside the text.
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { loadSqlParser } from '../../../../../src/controllers/engines/postgres/review/parser-loader.ts'
import { stepReviewer } from '../../../../../src/controllers/engines/postgres/review/review.ts'
import type { ReviewSteps } from '../../../../../src/controllers/engines/step-review.ts'
import { sqlStep } from '../../../migration/steps.ts'

let review: ReviewSteps

beforeAll(async () => {
  review = stepReviewer(await loadSqlParser())
})

const look = (sql: string) =>
  review([sqlStep(sql, { down: sql, verify: { sql, expect: '1' } })], { requiresVerify: true })

const pieces = [
  ...[
    'SELECT',
    'DO',
    '$$',
    '$a$',
    'BEGIN',
    'END',
    ';',
    "'",
    '"',
    '--',
    '/*',
    '*/',
    '\n',
    '(',
    ')',
    'COMMIT',
    'EXECUTE',
    'IF',
    'THEN',
  ],
  ...[
    'CREATE FUNCTION f() RETURNS int',
    'LANGUAGE plpgsql',
    'LANGUAGE sql',
    'AS',
    'LOOP',
    'DECLARE',
    'x int',
    ':=',
    'ä😀',
    '\\',
    'E',
    'U&',
  ],
  ...[
    'CREATE INDEX CONCURRENTLY',
    'ON t',
    'SET',
    'ROLE',
    'COPY t FROM',
    'PROGRAM',
    '1',
    ',',
    '.',
    '::',
    '_konverge',
    '\u0000',
    '\ud800',
  ],
]
const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((words) => words.join(' ')),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

it('answers every text, and points into it', () => {
  fc.assert(
    fc.property(hostileText, (sql) => {
      const lines = sql.split('\n')
      const { findings, blindSpots } = look(sql)
      for (const { place } of [...findings, ...blindSpots]) {
        expect(place.line).toBeGreaterThanOrEqual(1)
        expect(place.line).toBeLessThanOrEqual(lines.length)
        expect(place.column).toBeGreaterThanOrEqual(1)
        expect(place.column).toBeLessThanOrEqual([...(lines[place.line - 1] ?? '')].length + 1)
      }
    }),
    { numRuns: 300 },
  )
})

it.each([
  ['parentheses', `SELECT ${'('.repeat(30_000)}1${')'.repeat(30_000)}`],
  ['open parentheses', `SELECT ${'('.repeat(60_000)}`],
  ['operators', `SELECT ${'- '.repeat(30_000)}1`],
  ['subqueries', `${'SELECT ('.repeat(5_000)}SELECT 1${')'.repeat(5_000)}`],
  ['blocks', `DO $$ ${'BEGIN '.repeat(5_000)}${'END; '.repeat(5_000)}$$`],
  ['statements', 'SELECT 1;'.repeat(7_000)],
  ['a long text', `SELECT '${'x'.repeat(65_000)}'`],
])('lives through very many %s', (_, sql) => {
  look(sql)
  expect(review([sqlStep('SELECT 1')], { requiresVerify: false })).toEqual({ findings: [], blindSpots: [] })
})

it('reads all that the server reads, behind halves of surrogates too', () => {
  // The library counts each two of them as 4 bytes and writes 6: the end of the text is cut off.
  const { findings } = review([sqlStep(`SELECT '${'\ud800'.repeat(8)}'; COMMIT`)], { requiresVerify: false })
  expect(findings).toMatchObject([{ code: 'TransactionControlInStep' }])
})

it('points behind comments, nested ones too', () => {
  const { findings } = review([sqlStep('/* a /* b */ */ -- c\n COMMIT')], { requiresVerify: false })
  expect(findings).toMatchObject([{ code: 'TransactionControlInStep', place: { line: 2, column: 2 } }])
})
