import { describe, expect, it } from 'vitest'
import { expandVariables } from '../../src/local-node/variable-expansion.ts'

const variables = new Map([
  ['A', 'a'],
  ['B', '$(A)'],
  ['E', ''],
])

// The cases of expand_test.go, one of each kind.
describe('references in texts', () => {
  it.each([
    ['$(A)', 'a'],
    ['___$(A)___$(A)', '___a___a'],
    ['$(B)', '$(A)'],
    ['$(E)', ''],
    ['$(C)', '$(C)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$a'],
    ['$$$$(A)', '$$(A)'],
    ['$(A', '$(A'],
    ['$', '$'],
    ['foo$', 'foo$'],
    ['$A', '$A'],
    ['$(A)$', 'a$'],
    ['$()', '$()'],
    ['$(((A)', '$(((A)'],
    ['$😀(A)$(A)', '$😀(A)a'],
  ])('%s expands to %s', (text, expanded) => expect(expandVariables(text, variables)).toBe(expanded))
})
