// Texts that PostgreSQL's scanner rereads many times. Invariant: the check rejects them before the scanner gets them,
// and accepts all that the scanner reads in time.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser } from '../../../../../src/controllers/engines/postgres/review/parser-loader.ts'
import { stepReviewer } from '../../../../../src/controllers/engines/postgres/review/review.ts'
import { mostReadAgain, readTooOftenAt } from '../../../../../src/controllers/engines/postgres/review/scan-cost.ts'
import type { SqlParser } from '../../../../../src/controllers/engines/postgres/review/sql-parser.ts'
import type { Finding, ReviewSteps } from '../../../../../src/controllers/engines/step-review.ts'
import { sqlStep } from '../../../migration/steps.ts'

const openers = '/*'.repeat(32_000)
const signs = `SELECT 1 ${'+'.repeat(64_000)} 1`

let parser: SqlParser
let review: ReviewSteps
beforeAll(async () => {
  parser = await loadSqlParser()
  review = stepReviewer(parser)
})

const findingsIn = (sql: string): readonly Finding[] => review([sqlStep(sql)], { requiresVerify: false }).findings

describe('a text that the scanner rereads many times', () => {
  it.each([
    ['nested comments', openers],
    ['nested comments that end', `${openers}${'*/'.repeat(32_000)} SELECT 1`],
    ['comments in a row', `${'/**/'.repeat(16_000)} SELECT 1`],
    ['nested comments of small depth', `${`${'/*'.repeat(30)}${'*/'.repeat(30)}`.repeat(500)} SELECT 1`],
    ['signs', signs],
    ['two signs in turn', `SELECT 1 ${'-+'.repeat(32_000)} 1`],
    ['comments behind a string', `SELECT 'a''b', E'\\'', U&'\\', "a""b", $a$ $b$ $a$ ${openers}`],
    ['comments behind a string with escapes that another line goes on with', `SELECT E'a' -- b\n'\\' ' ${openers}`],
    ['comments behind a name that ends with e', `SELECT 1 AS note'\\' ${openers}`],
    ['comments behind a name with a dollar', `SELECT a$b$ ${openers} $b$`],
    ['comments behind a parameter', `SELECT $1$a$ x $a$ ${openers}`],
    ['comments behind the comment of a line', `SELECT 1 -- '\n${openers}`],
    ['comments in a DO block', `DO $$BEGIN ${openers} END$$`],
    ['comments in a quoted DO block', `DO '${openers}'`],
    ['comments in a function of SQL', `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ ${openers} $$`],
  ])('is too complex: %s', (_, sql) => {
    const startMs = performance.now()
    expect(findingsIn(sql)).toMatchObject([
      { code: 'StepTooComplex', message: expect.stringMatching(/needs too long.*put blanks between them/) },
    ])
    // The scanner needs 3 to 30 s for each. The limit allows for a machine that is ten times too slow.
    expect(performance.now() - startMs).toBeLessThan(1_500)
  })

  it('is reported with its position', () => {
    expect(findingsIn(`SELECT 1;\n  'ä😀' ${openers}`)[0]?.place).toMatchObject({ line: 2 })
  })
})

describe('a text that the scanner reads in time', () => {
  it.each([
    ['openers in a string', `SELECT '${openers}'`],
    ['openers in a string with escapes', `SELECT E'\\'${openers}'`],
    ['openers in a string of several lines', `SELECT E'a'\n'\\'${openers}'`],
    ['openers between dollars', `SELECT $a$ $$ ' ${openers} $a$`],
    ['openers in a quoted name', `SELECT 1 AS "${openers}"`],
    ['openers in the comment of a line', `SELECT 1 -- ${openers}`],
    ['a banner', `${`/*${'*'.repeat(78)}*/\n-- ${'='.repeat(78)}\n`.repeat(5_000)} SELECT 1`],
    ['one long banner', `/*${'*'.repeat(900_000)}*/ SELECT 1`],
    ['nested comments with blanks between them', `${'/* '.repeat(5_000)}${'*/ '.repeat(5_000)} SELECT 1`],
    ['operators', `SELECT ARRAY[${'1 <@> -+-2,'.repeat(5_000)}1]`],
  ])('is parsed: %s', (_, sql) => {
    expect(findingsIn(sql)).toEqual([])
  })

  it.each([
    ['the most', Math.floor(Math.sqrt(mostReadAgain * 2)) - 1, undefined],
    ['more than the most', Math.ceil(Math.sqrt(mostReadAgain * 2)) + 1, expect.any(Number)],
  ])('has a bounded number of reread characters: %s', (_, length, at) => {
    expect(readTooOftenAt('+'.repeat(length))).toEqual(at)
  })

  it('is scanned once, however long it is', () => {
    const startMs = performance.now()
    for (const piece of ["E'a'\n", '$a', '$a$', "''", '"', '/* ', '--\n', '+ ', "U&'", '1$', 'e', '\\'])
      readTooOftenAt(piece.repeat(1_000_000 / piece.length))
    expect(performance.now() - startMs).toBeLessThan(3_000)
  })
})

describe('the scan', { timeout: 60_000 }, () => {
  const pieces = [
    ...["'", '"', '$$', '$a$', '$', 'E', "E'", "e'", "U&'", "n'", '\\', "\\'", "''", 'a', '1', '_', 'ä', '😀'],
    ...[
      '--',
      '/*',
      '*/',
      '/',
      '*',
      '-',
      '+',
      '&',
      '\n',
      '\r',
      ' ',
      '\t',
      '\v',
      '.',
      ',',
      '(',
      ')',
      '::',
      'x$b$',
      '1$a$',
    ],
  ]
  const openersJustTooMany = '/*'.repeat(Math.ceil(Math.sqrt(mostReadAgain)) + 100)

  // PL/pgSQL reads all tokens of a statement before it parses them. Therefore its error shows the final state of the
  // scanner.
  it('agrees with the scanner whether openers stand in a comment, a string or a name', () => {
    const known = { comment: 0, quoted: 0 }
    const property = fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (chosen) => {
      const body = `BEGIN SELECT ${chosen.join('')} ${openersJustTooMany}`
      const tag = '$end_of_block$'
      const parsed = parser.parseProcedural(`DO ${tag}${body}${tag}`)
      const message = 'refusal' in parsed ? parsed.refusal.message : ''
      if (!/^unterminated/.test(message)) return
      const isComment = message.startsWith('unterminated /* comment')
      known[isComment ? 'comment' : 'quoted'] += 1
      expect(readTooOftenAt(body) !== undefined, message.slice(0, 100)).toBe(isComment)
    })
    fc.assert(property, { numRuns: runs })
    expect(Math.min(known.comment, known.quoted)).toBeGreaterThan(runs / 20)
  })
})

/** The scanner needs 40 ms for each; an earlier check accepted 1,500. */
const runs = 60
