// Report of crash runs: the counts, and the command that repeats a failed run.
import { expect, it } from 'vitest'
import { countsOf, reportOf } from './report.ts'

const run = {
  workflow: 'database',
  version: 15,
  key: 'database@15:3',
  title: 'dieBefore statement 1',
  struck: 1,
  ms: 500,
}

it('the report counts by workflow, lists failures, and ends with the total', () => {
  const failed = { ...run, workflow: 'migration', key: 'migration@18:4', struck: 0, error: 'Error: two of it' }
  const lines = reportOf([run, { ...run, ms: 1_500 }, failed], { before: 1, tookMs: 2_000 }).split('\n')
  expect(lines.slice(0, 3).map((line) => line.split(/ {2,}/))).toEqual([
    ['workflow', 'runs', 'struck', 'failed seconds/run'],
    ['database', '2', '2', '0', '1.00'],
    ['migration', '1', '0', '1', '0.50'],
  ])
  expect(lines).toContain('  Error: two of it')
  expect(lines).toContain('  repeat it by: npm run crashes -- --run migration@18:4')
  expect(lines.slice(-2)).toEqual(['2 s, 1.00 runs a second', '2 passed, 1 failed'])
})

it('the report counts a repeated run by its last result, and mentions its earlier failure', () => {
  const runs = [
    { ...run, nth: 1, error: 'Error: no' },
    { ...run, nth: 2 },
    { ...run, nth: 1 },
  ]
  const lines = reportOf(runs, { before: 2, tookMs: 1_000 }).split('\n')
  expect(lines.slice(-3)).toEqual([
    '1 failed before, and were told again',
    '1 s, 1.00 runs a second',
    '2 passed, 0 failed',
  ])
  expect(countsOf([...runs, { ...run, nth: 3, error: 'Error: no' }])).toBe('2 passed, 1 failed')
})
