// Prose of a YAML file: comments, and values for readers, such as descriptions of a CRD and messages of its CEL rules.
import { isScalar, parseAllDocuments, type Scalar, visit } from 'yaml'
import { Prose } from './prose.ts'

/** Keys whose values are prose: of CRDs (description, message) and of alerts (description, summary). */
const proseKeys: ReadonlySet<string> = new Set(['description', 'message', 'summary'])

/** Returns the prose, as long as the text and with the same line breaks. */
export function yamlProse(text: string): string {
  const prose = new Prose(text)
  for (const { 0: comment, 1: indent = '', index } of text.matchAll(/^([ \t]*)#[^\n]*/gm))
    prose.keep(index + indent.length + 1, index + comment.length)
  for (const { start, end } of valuesOf(text)) {
    prose.keep(start, end)
    prose.end(end)
  }
  return prose.text()
}

interface Range {
  readonly start: number
  readonly end: number
}

function valuesOf(text: string): readonly Range[] {
  const ranges: Range[] = []
  for (const document of parseAllDocuments(text))
    visit(document, {
      Pair(_, { key, value }) {
        if (isScalar(key) && proseKeys.has(String(key.value)) && isScalar(value)) ranges.push(...rangeOf(value, text))
      },
    })
  return ranges
}

/** Returns the range of a value without quotes, and without the indicator of a block. */
function rangeOf({ value, range, type }: Scalar, text: string): readonly Range[] {
  if (typeof value !== 'string' || range === null || range === undefined) return []
  const [start, end] = range
  if (type === 'PLAIN') return [{ start, end }]
  if (type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL') return [{ start: text.indexOf('\n', start), end: end - 1 }]
  return [{ start: start + 1, end: end - 1 }]
}
