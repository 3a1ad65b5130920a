import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import {
  fieldPath,
  formatPathElement,
  type PathElement,
  parsePathElement,
  renderPath,
} from '../../src/diff/field-path.ts'

const elements: fc.Arbitrary<PathElement> = fc.oneof(
  fc.record({ kind: fc.constant('field' as const), name: fc.string() }),
  fc.record({
    kind: fc.constant('key' as const),
    key: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
      minKeys: 1,
      noNullPrototype: true,
    }) as fc.Arbitrary<JsonObject>,
  }),
  fc.record({
    kind: fc.constant('value' as const),
    value: fc.oneof(fc.string(), fc.integer(), fc.boolean()) as fc.Arbitrary<Json>,
  }),
  fc.record({ kind: fc.constant('index' as const), index: fc.nat() }),
)

describe('parsePathElement', () => {
  it('reads the output of formatPathElement', () => {
    fc.assert(
      fc.property(elements, (element) => {
        expect(parsePathElement(formatPathElement(element))).toEqual(element)
      }),
    )
  })

  it.each(['', '.', 'f', 'x:y', 'k:name', 'k:[1]', 'k:', 'v:', 'v:{', 'i:-1', 'i:x', 'i:'])(
    'returns undefined for %j',
    (text) => {
      expect(parsePathElement(text)).toBeUndefined()
    },
  )

  it('gives equal keys the same text, in any order and escape', () => {
    const texts = ['k:{"a":1,"b":"<"}', 'k:{"b":"\\u003c","a":1}', 'k:{ "b": "<", "a": 1.0 }']
    const canonical = texts
      .map((text) => parsePathElement(text))
      .map((element) => element && formatPathElement(element))
    expect(new Set(canonical)).toEqual(new Set(['k:{"a":1,"b":"<"}']))
  })
})

describe('renderPath', () => {
  const name = (value: string): PathElement => ({ kind: 'key', key: { name: value } })
  const cases: readonly (readonly [readonly PathElement[], string])[] = [
    [[], ''],
    [fieldPath('spec', 'replicas'), 'spec.replicas'],
    [[...fieldPath('spec', 'containers'), name('kv'), ...fieldPath('image')], 'spec.containers[name="kv"].image'],
    [fieldPath('metadata', 'annotations', 'a.b/c'), 'metadata.annotations["a.b/c"]'],
    [fieldPath('data', ''), 'data[""]'],
    [fieldPath('a.b', 'c'), '["a.b"].c'],
    [[...fieldPath('ports'), { kind: 'key', key: { protocol: 'TCP', port: 80 } }], 'ports[port=80,protocol="TCP"]'],
    [[...fieldPath('finalizers'), { kind: 'value', value: 'x' }], 'finalizers[="x"]'],
    [[...fieldPath('rules'), { kind: 'index', index: 2 }], 'rules[2]'],
  ]
  it.each(cases)('renders %j as %s', (path, text) => {
    expect(renderPath(path)).toBe(text)
  })
})
