// Does the report of crash runs count them, and say how a failure is told again?
import { expect, it } from 'vitest'
import { reportOf } from './report.ts'

const run = {
  workflow: 'database',
  version: 15,
  key: 'database@15:3',
  title: 'dieBefore statement 1',
  struck: 1,
  ms: 500,
}

it('counts by workflow, tells of failures, and ends with the plain line', () => {
  const failed = { ...run, workflow: 'migration', key: 'migration@18:4', struck: 0, error: 'Error: two of it' }
  const lines = reportOf([run, { ...run, ms: 1_500 }, failed], 2_000).split('\n')
  expect(lines.slice(0, 3).map((line) => line.split(/ {2,}/))).toEqual([
    ['workflow', 'runs', 'struck', 'failed seconds/run'],
    ['database', '2', '2', '0', '1.00'],
    ['migration', '1', '0', '1', '0.50'],
  ])
  expect(lines).toContain('  Error: two of it')
  expect(lines).toContain('  repeat it by: npm run crashes -- --run migration@18:4')
  expect(lines.slice(-2)).toEqual(['2 s, 1.50 runs a second', '2 passed, 1 failed'])
})
