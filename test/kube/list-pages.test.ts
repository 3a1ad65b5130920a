// A list ends, whatever continue tokens the server sends.
import { describe, expect, it } from 'vitest'
import { endlessListProblem } from '../../src/kube/list-pages.ts'

describe('a list in pages', () => {
  it.each([
    ['goes on after its first page', { pages: 1, asked: undefined, answered: 'a' }, undefined],
    ['goes on with another token', { pages: 2, asked: 'a', answered: 'b' }, undefined],
    ['ends when its token is repeated', { pages: 2, asked: 'a', answered: 'a' }, 'repeats a continue token'],
    ['goes on before 100,000 pages', { pages: 99_999, asked: 'a', answered: 'b' }, undefined],
    ['ends after 100,000 pages', { pages: 100_000, asked: 'a', answered: 'b' }, 'more than 100000 pages'],
  ])('%s', (_, answer, problem) => {
    const found = endlessListProblem(answer)
    if (problem === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(problem)
  })
})
