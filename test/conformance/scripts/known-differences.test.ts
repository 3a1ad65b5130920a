// Tests of the exclusions from the comparison: each is listed as a deviation, and excludes no more than that.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Ask } from '../server-under-test.ts'
import { isAsked, texts, unasked, withoutKnownDifferences } from './known-differences.ts'

const file = new URL('../../../src/apiserver/deviations.yaml', import.meta.url)
const deviations = parse(readFileSync(file, 'utf8')) as { readonly id: string }[] // suite.test.ts tests its form.

const ask = (path: string, type: string, body: Ask['body']): boolean =>
  isAsked({ kind: 'ask', ask: { method: 'PATCH', path, headers: { 'content-type': `application/${type}` }, body } })

describe('the known differences', () => {
  it('are listed as deviations', () => {
    const ids = deviations.map(({ id }) => id)
    expect([...unasked, ...texts].map(({ deviation }) => deviation).filter((id) => !ids.includes(id))).toEqual([])
  })

  it.each([
    { what: 'YAML that is text of its own', asked: ask('/x/pods', 'yaml', '{'), is: false },
    { what: 'YAML of an object', asked: ask('/x/pods', 'apply-patch+yaml', { a: 1 }), is: true },
    { what: 'JSON that is text of its own', asked: ask('/x/pods', 'json', '{'), is: true },
    { what: 'a pod that chooses its node', asked: ask('/x/pods/a', 'json', { spec: { nodeSelector: {} } }), is: false },
    { what: 'a job that does', asked: ask('/x/jobs/a', 'json', { spec: { nodeSelector: {} } }), is: true },
    { what: 'a secret of an empty map', asked: ask('/x/secrets/a', 'json', { data: {} }), is: false },
    { what: 'a secret of data', asked: ask('/x/secrets/a', 'json', { data: { a: 'YQ==' } }), is: true },
    {
      what: 'a merge patch that cannot',
      asked: ask('/x/secrets/a', 'merge-patch+json', { data: { a: '!' } }),
      is: true,
    },
  ])('ask for $what: $is', ({ asked, is }) => {
    expect(asked).toBe(is)
  })

  it('cut the diff of a message, and nothing before it', () => {
    const told = 'Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `x` (y)'
    expect(withoutKnownDifferences(`${told}\n@@ -1,2 +1,2 @@\n   {\n-   "A": 1,\n+   "A": 2,\n   }\n`)).toBe(told)
    expect(withoutKnownDifferences(`${told}\n`)).toBe(told)
    expect(withoutKnownDifferences('a\n b')).toBe('a\n b')
  })

  it('show empty fields of a struct as null, and keep objects unchanged', () => {
    expect(withoutKnownDifferences('{"Args":[],"Limits":{},"args":[]}')).toBe('{"Args":null,"Limits":null,"args":[]}')
  })
})
