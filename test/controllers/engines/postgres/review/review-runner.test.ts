// Review of steps in its own process. Invariant: a text that exceeds a limit becomes a finding, and the operator's
// process parses none of it.
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../../src/base/clock.ts'
import type { MigrationStep } from '../../../../../src/controllers/engines/migration-step.ts'
import { ReviewRunner } from '../../../../../src/controllers/engines/postgres/review/review-runner.ts'
import { reviewLimits } from '../../../../../src/controllers/engines/postgres/review/review-words.ts'
import { sqlStep } from '../../../migration/steps.ts'

const main = fileURLToPath(new URL('../../../../../src/cli/main.ts', import.meta.url))
const program = { command: execPath, args: [main, 'worker', 'review'] }
const { signal } = new AbortController()
const rules = { requiresVerify: false }

function runner(options: Partial<ConstructorParameters<typeof ReviewRunner>[0]> = {}): ReviewRunner {
  return new ReviewRunner({ program, clock: systemClock, ...options })
}

/** Returns a text of 990 KB, the limit of a job spec. */
function repeated(head: string, piece: string, tail = ''): string {
  return head + piece.repeat(Math.floor(990_000 / piece.length)) + tail
}

async function codesOf(...steps: readonly MigrationStep[]): Promise<readonly string[]> {
  const { findings } = await runner().review(steps, rules, signal)
  return findings.map(({ code, place }) => `${place.step} ${place.part} ${code}`)
}

describe('a review in its own process', { timeout: 120_000 }, () => {
  it.each([
    ['values', repeated('SELECT 1', ',1')],
    ['stars', repeated('SELECT *', ',*')],
    ['tables', repeated('SELECT FROM a', ',a')],
    ['operators', repeated('SELECT 1', '+1')],
    ['unions', repeated('TABLE a', ' UNION TABLE a')],
    ['subscripts', repeated('SELECT a', '[1]')],
    ['statements of a block', repeated('DO $$BEGIN ', 'PERFORM 1;', 'END$$')],
    ['operators of few characters', `SELECT 1${'+1'.repeat(50_000)}`],
  ])('rejects a step of too many %s', async (_, sql) => {
    expect(await codesOf(sqlStep(sql))).toEqual(['step sql StepTooComplex'])
  })

  it.each([
    ['rows', repeated('INSERT INTO t VALUES (0)', ",(1,'abc',2.5,NULL,true)"), []],
    ['INSERT statements', repeated('', "INSERT INTO t VALUES (1,'abc',2.5,NULL,true);"), []],
    ['functions', 'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN 1; END$$;'.repeat(2_000), []],
    ['a long text', repeated("SELECT '", 'x', "'"), []],
    ['control characters', repeated("SELECT '", '\u0001', "'"), []],
    ['a long comment', repeated('/* ', '*x', '*/ SELECT 1'), []],
    ['an error at the end', repeated('SELECT 1', ', 1', ' FROM FROM'), ['step sql ParseError']],
    ['open parentheses', repeated('SELECT ', '('), ['step sql ParseError']],
    ['negations', repeated('SELECT ', 'NOT ', 'true'), ['step sql ParseError']],
    ['a NUL at the end', repeated('SELECT 1', ', 1', '\0'), ['step sql ParseError']],
    ['lone surrogates', `SELECT '${'\ud800'.repeat(300_000)}'`, []],
    ['an unterminated text', repeated("SELECT '", 'x'), ['step sql ParseError']],
  ])('parses a text of %s', async (_, sql, codes) => {
    expect(await codesOf(sqlStep(sql))).toEqual(codes)
  })

  it('reports few findings for a text with very many', async () => {
    const { findings } = await runner().review([sqlStep('END;'.repeat(50_000))], rules, signal)
    expect(findings).toHaveLength(20)
    expect(JSON.stringify(findings).length).toBeLessThan(10_000)
  })

  it('quotes little of a text that is an error', async () => {
    const { findings } = await runner().review([sqlStep(repeated("SELECT 1 '", 'x', "' FROM"))], rules, signal)
    expect(findings[0]?.message.length).toBeLessThan(400)
  })

  it('rejects the steps after one that is too complex, and reports why', async () => {
    const verify = { sql: 'SELECT 1', expect: '1' }
    const steps = [
      sqlStep('SELECT 1', { name: 'a' }),
      sqlStep(repeated('SELECT 1', ',1'), { name: 'b', down: 'SELECT 1' }),
      sqlStep('COMMIT', { name: 'c', verify }),
    ]
    const { findings } = await runner().review(steps, rules, signal)
    expect(findings.map(({ place, message }) => [place.step, place.part, message.slice(0, 40)])).toEqual([
      ['b', 'sql', "PostgreSQL's grammar needs more than 192"],
      ['b', 'down', "PostgreSQL's grammar needs more than 192"],
      ['c', 'sql', 'step b before it is too complex, so this'],
      ['c', 'verify', 'step b before it is too complex, so this'],
    ])
  })

  it('rejects a step that takes too long, and ends the process', async () => {
    const limits = { ...reviewLimits, timeMs: 5_000 }
    // The duration of a text depends on the machine, so this process starts the step and never ends.
    const endless = `console.log('{"word":"begun","step":"step"}'); setInterval(() => {}, 1_000_000)`
    const process = runner({ limits, program: { command: execPath, args: ['-e', endless] } })
    const { findings } = await process.review([sqlStep('SELECT 1')], rules, signal)
    expect(findings).toMatchObject([{ code: 'StepTooComplex', message: expect.stringContaining('more than 5 s') }])
  })

  it('starts no process when there are no steps', async () => {
    const idle = runner({ program: { command: '/nowhere', args: [] } })
    expect(await idle.review([], rules, signal)).toEqual({ findings: [], blindSpots: [] })
  })

  it.each([
    ['/nowhere', [], /could not be started.*ENOENT/],
    [execPath, ['-e', 'process.exit(3)'], /ended with exit code 3/],
    [execPath, ['-e', 'process.stdout.write("{\\"word\\":")'], /ended with exit code 0/],
  ])('may be retried, and judges no step, if %s %j cannot run it', async (command, args, message) => {
    const broken = runner({ program: { command, args } })
    await expect(broken.review([sqlStep('SELECT 1')], rules, signal)).rejects.toMatchObject({
      ...{ code: 'ReviewFailed', remedy: 'retry' },
      message: expect.stringMatching(message),
    })
  })

  it('ends with its caller', async () => {
    const caller = new AbortController()
    const reviewed = runner().review([sqlStep('DO $$BEGIN END$$;'.repeat(55_000))], rules, caller.signal)
    caller.abort(new Error('the operator ends'))
    await expect(reviewed).rejects.toThrow('the operator ends')
  })
})
