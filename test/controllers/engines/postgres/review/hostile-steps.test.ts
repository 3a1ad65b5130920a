// Hostile texts for the review. Invariant: it answers every text, the parser does not crash, and each position is
// within the text.
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

it('a review answers every text, with positions within it', () => {
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
])('a review survives very many %s', (_, sql) => {
  look(sql)
  expect(review([sqlStep('SELECT 1')], { requiresVerify: false })).toEqual({ findings: [], blindSpots: [] })
})

it('a review reads all that the server reads, also after lone surrogates', () => {
  // The library counts each pair of them as 4 bytes and writes 6. Therefore it cuts off the end of the text.
  const { findings } = review([sqlStep(`SELECT '${'\ud800'.repeat(8)}'; COMMIT`)], { requiresVerify: false })
  expect(findings).toMatchObject([{ code: 'TransactionControlInStep' }])
})

it('a review finds the position after comments, including nested ones', () => {
  const { findings } = review([sqlStep('/* a /* b */ */ -- c\n COMMIT')], { requiresVerify: false })
  expect(findings).toMatchObject([{ code: 'TransactionControlInStep', place: { line: 2, column: 2 } }])
})
