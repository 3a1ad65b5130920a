// Alert rules of the operator, checked by promtool: valid rules, and each alert fires only in its cases.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { findOrFetchPromtool } from './promtool.ts'

const root = join(import.meta.dirname, '..', '..')
let promtool: string

beforeAll(() => {
  promtool = findOrFetchPromtool(process.env)
})

it.each([
  ['takes the rules', ['check', 'rules', '--lint=all', '--lint-fatal', 'alerts/operator.yaml']],
  ['finds each alert firing and silent where it should be', ['test', 'rules', 'test/alerts/operator.yaml']],
])('promtool %s', (_, args) => {
  const { status, stdout, stderr, error } = spawnSync(promtool, args, { cwd: root, encoding: 'utf8' })
  expect({ status, said: `${error?.message ?? ''}${stdout}${stderr}` }).toEqual({
    status: 0,
    said: expect.stringContaining('SUCCESS'),
  })
})
