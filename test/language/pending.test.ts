// A file is done when it has no finding and is not in the list.
import { expect, it } from 'vitest'
import { judge } from './pending.ts'

const finding = (path: string) => ({ path, line: 1, column: 1, rule: 'konverge.Actors', message: 'Say who acts.' })

it.each([
  ['reports a finding in a file that is done', ['a'], [], ['a'], []],
  ['allows findings in a pending file', ['a'], ['a'], [], []],
  ['reports a pending file without findings', [], ['a'], [], ['a']],
])('%s', (_, found, pending, errors, done) => {
  const verdict = judge({ findings: found.map(finding), pending })
  expect(verdict.errors.map(({ path }) => path)).toEqual(errors)
  expect(verdict.done).toEqual(done)
})
