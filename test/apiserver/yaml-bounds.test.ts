// Bounds of YAML bodies: the worst texts are rejected or parsed within a bounded time. Texts of clients are parsed as
// before.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../../src/apiserver/request-body.ts'
import { StatusError } from '../../src/apiserver/status-error.ts'
import { maxYamlLength, parseYaml } from '../../src/apiserver/yaml-text.ts'
import { WireJsonError } from '../../src/base/wire-json.ts'

/** A quarter of the limit: the test compares costs, not lengths. */
const length = maxYamlLength / 4
const filled = (unit: string) => unit.repeat(Math.floor(length / unit.length))
function numbered(unit: (at: number) => string): string {
  const parts: string[] = []
  for (let size = 0, at = 0; size < length; at++) {
    const part = unit(at)
    size += part.length
    parts.push(part)
  }
  return parts.join('')
}

/** Returns CPU time in milliseconds, so that other processes do not count. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  try {
    work()
  } catch (thrown) {
    if (!(thrown instanceof WireJsonError)) throw thrown
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('a YAML body', () => {
  it.each([
    { title: 'open lists', text: filled('[') },
    { title: 'open maps', text: filled('{a: ') },
    { title: 'lists that are closed again', text: filled('[').slice(0, 100_000) + ']'.repeat(100_000) },
    { title: 'maps that are closed again', text: '{a: '.repeat(50_000) + '}'.repeat(50_000) },
    { title: 'lists in one line', text: filled('- ') },
    { title: 'keys in one line', text: filled('? ') },
    { title: 'deeper and deeper maps', text: numbered((at) => `${' '.repeat(at)}a:\n`) },
  ])('nested beyond 100 levels is rejected at once: $title', ({ text }) => {
    expect(() => parseYaml(text)).toThrow(new WireJsonError('yaml: exceeded max depth of 100'))
    expect(cpuMs(() => parseYaml(text))).toBeLessThan(1_000)
  })

  it.each([
    { title: 'keys that open lists', text: numbered(() => `? ${'['.repeat(90)}\n`) },
    { title: 'maps as keys', text: numbered(() => `? ${'{'.repeat(90)}${'}'.repeat(90)}\n`) },
    { title: 'flat keys', text: numbered((at) => `k${at}: x\n`) },
    { title: 'flat keys in braces', text: `{${numbered((at) => `k${at}: x, `)}}` },
    { title: 'one key again and again', text: filled('a: 1\n') },
    { title: 'anchors', text: numbered((at) => `k${at}: &n${at} x\n`) },
    { title: 'items', text: filled('-\n') },
    { title: 'commas', text: `[${','.repeat(length)}]` },
    { title: 'closed lists that nobody opened', text: filled('] ') },
    { title: 'quotes', text: filled('" ') },
    { title: 'tags', text: filled('!!str ') },
    { title: 'merges', text: `a: &a {b: 1}\nc:\n${filled('  <<: *a\n').slice(0, -40)}` },
    {
      title: 'lists of 90 levels',
      text: `[${numbered(() => `${'['.repeat(90)}${']'.repeat(90)},`)}]`,
    },
    { title: 'empty lines', text: filled('\n') },
    { title: 'comments', text: filled('#\n') },
    { title: 'spaces before a comment', text: `a: b${' '.repeat(length)}#c` },
    { title: 'tabs', text: `a:${'\t'.repeat(length)}x` },
  ])('costs time linear in its length: $title', ({ text }) => {
    const quarter = cpuMs(() => parseYaml(text.slice(0, text.length / 4)))
    const whole = cpuMs(() => parseYaml(text))
    // A quadratic cost is 16 times that of the quarter. Times below 500 ms are too short for a comparison.
    expect(whole).toBeLessThan(Math.max(500, quarter * 12))
  })

  it.each([
    { title: 'maps in a list', text: `[${filled('{a: 1},')}]` },
    { title: 'numbers', text: `[${filled('1,')}]` },
    { title: 'keys', text: numbered((at) => `k${at}: 1\n`) },
    { title: 'items', text: filled('- a\n') },
  ])('with more than 16,384 tokens is rejected with a remedy: $title', ({ text }) => {
    expect(() => parseYaml(text)).toThrow(
      new WireJsonError('yaml: exceeded max tokens of 16384; send the object as JSON'),
    )
  })

  it('with the size of the largest CRD is parsed', async () => {
    const text = await readFile(join(import.meta.dirname, '../../crds/database.yaml'), 'utf8')
    expect(parseYaml(text)).toMatchObject({ value: { kind: 'CustomResourceDefinition' }, duplicates: [] })
  })

  it('with 90 levels is parsed', () => {
    const depth = 90
    expect(JSON.stringify(parseYaml('['.repeat(depth) + ']'.repeat(depth)).value)).toHaveLength(2 * depth)
    expect(JSON.stringify(parseYaml(`${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`).value)).toHaveLength(6 * depth + 1)
    expect(parseYaml('- '.repeat(depth)).duplicates).toEqual([])
  })

  it('over the size limit is rejected with 413 and a remedy; JSON of that length is parsed', () => {
    const text = `a: ${'x'.repeat(maxYamlLength)}`
    expect(() => parseBody(text, 'application/yaml')).toThrow(StatusError)
    expect(() => parseBody(text, 'application/yaml')).toThrow(
      'Request entity too large: a body in YAML has at most 262144 characters, this one has 262147; send it as JSON',
    )
    const json = JSON.stringify({ a: 'x'.repeat(maxYamlLength) })
    expect(parseBody(json, 'application/yaml').duplicates).toEqual([])
  })

  it('with a duplicate key is parsed, and the key is reported', () => {
    expect(parseYaml('a: 1\nb: {c: 1, c: 2}\na: 2\n')).toEqual({ value: { a: 2, b: { c: 2 } }, duplicates: ['a', 'c'] })
  })

  it.each([
    { text: 'a: [1', message: /^yaml: Flow sequence .* at line 1, column 6$/ },
    { text: 'a: 1\nb: [\n', message: /^yaml: .* at line 3, column 1$/ },
    { text: 'a: "', message: /^yaml: Missing closing "quote at line 1, column 5$/ },
  ])('that is malformed is rejected with the position: $text', ({ text, message }) => {
    expect(() => parseYaml(text)).toThrow(message)
  })

  it.each(['? [a]\n: 1\n', '{{a: 1}: 2}'])('with a collection as a key is rejected: %j', (text) => {
    expect(() => parseYaml(text)).toThrow('yaml: invalid map key: a list or a map')
  })

  it('with several documents is parsed as its first', () => {
    expect(parseYaml('a: 1\n---\nb: [\n').value).toEqual({ a: 1 })
    expect(parseYaml('').value).toBeNull()
    expect(parseYaml('# nothing\n').value).toBeNull()
  })
})
