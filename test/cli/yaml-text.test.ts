import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { hasControls } from '../../src/base/terminal-text.ts'
import { yamlText } from '../../src/cli/yaml-text.ts'

const texts = ['a', '', 'yes', '0777', 'a: b', 'two\nlines\n', '- a', 'ä → 日本', ' a ', '"quoted"', "it's"]
const harmful = [
  '\u001b[2J',
  'two\nlines\u001b[2J\n',
  '\u009b2J',
  '\u202ea',
  'a\u2028b',
  '\u007f',
  '\r',
  'a\\u009b\u009b',
]

it('YAML preserves all texts, and contains no control character for a terminal', () => {
  const values = [...texts, ...harmful]
  const objects = [
    { data: Object.fromEntries(values.map((text, index) => [`key-${index}`, text])) },
    { data: Object.fromEntries(values.map((text) => [text, [text, { [text]: text }]])) },
  ]
  const yaml = yamlText(objects)
  expect(hasControls(yaml)).toBe(false)
  const documents = parseAllDocuments(yaml, { version: '1.1' })
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  expect(documents.map((document): unknown => document.toJS())).toEqual(objects)
})

it('YAML of texts without control characters is unchanged', () => {
  const object = { metadata: { name: 'a' }, data: { plain: 'text', quoted: 'yes', block: 'two\nlines\n', list: ['a'] } }
  expect(yamlText([object, { kind: 'B' }])).toBe(
    'metadata:\n  name: a\ndata:\n  plain: text\n  quoted: "yes"\n  block: |\n    two\n    lines\n  list:\n    - a\n---\nkind: B\n',
  )
})
