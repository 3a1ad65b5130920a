// Prose of a file: comments, messages, titles and descriptions, at their positions in the file.
import { describe, expect, it } from 'vitest'
import { proseOf } from './prose-of.ts'

/** Returns `line:offset text` of each piece of prose. */
function pieces(path: string, text: string): readonly string[] | undefined {
  return proseOf(path, text)
    ?.split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [`${at + 1}:${line.search(/\S/)} ${line.trim()}`]))
}

describe('prose of TypeScript', () => {
  it.each([
    ['a line comment', 'const a = 1 // The first.', ['1:15 The first.']],
    ['a block over lines', '/**\n * Returns it.\n * Throws never.\n */\nf()', ['2:3 Returns it.', '3:3 Throws never.']],
    ['names in backticks as one word', '// Ends `run()` first.', ['1:3 Ends XXXXXXX first.']],
    ['a message, with an end', "throw e('the Backup has no target')", ['1:9 the Backup has no target.']],
    ['a message that ends itself', "log('It has no target yet.')", ['1:5 It has no target yet.']],
    [
      'a template with words for its expressions',
      ['e(`the Backup $', '{name} has no target`)'].join(''),
      ['1:3 the Backup XXXXXXX has no target.'],
    ],
    ['no identifiers', "const kinds = ['Backup', 'status.phase', 'a-b-c-d']", []],
    ['no statements of SQL', "query('SELECT a FROM b WHERE c IS NULL')", []],
    ['no tagged templates', 'sql`the name of a table`', []],
    [
      'no examples',
      '/**\n * Returns it.\n * @example the code of an author\n * @throws An error.\n */',
      ['2:3 Returns it.', '4:3 @throws An error.'],
    ],
    ['no imports', "import { a } from 'some module of words'", []],
    ['no directives', '// biome-ignore lint/a: it has to be so here', []],
  ])('keeps %s', (_, text, expected) => {
    expect(pieces('src/a.ts', text)).toEqual(expected)
  })

  it('keeps titles of tests, and no other literals, when the file is a test', () => {
    const text =
      "describe('a queue', () => {\n  it.each(rows)('returns the first key', () => push('a message of four words'))\n})"
    expect(pieces('test/a.test.ts', text)).toEqual(['1:10 a queue.', '2:17 returns the first key.'])
  })
})

describe('prose of YAML', () => {
  it.each([
    ['a comment', '# The first.\na: 1', ['1:2 The first.']],
    [
      'a description in braces',
      'a: { type: string, description: The name of it., maxLength: 1 }',
      ['1:32 The name of it.'],
    ],
    ['a quoted description', "a:\n  description: 'The name: it.'", ['2:16 The name: it.']],
    ['a block', 'a:\n  message: >-\n    one line\n    and two\n', ['3:4 one line', '4:4 and two.']],
    ['no other values', 'a: { title: The name of it }', []],
  ])('keeps %s', (_, text, expected) => {
    expect(pieces('crds/a.yaml', text)).toEqual(expected)
  })
})

it.each(['imports/a.ts', 'test/golden/a.md', 'package.json'])('finds no prose in %s', (path) => {
  expect(proseOf(path, '// The first.')).toBeUndefined()
})
