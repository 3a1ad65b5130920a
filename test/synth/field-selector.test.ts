import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFieldSelector, withoutField } from '../../src/synth/field-selector.ts'
import { deepFreeze, refusalOf } from './fixture.ts'

const value = deepFreeze({
  metadata: { annotations: { 'a.b/c': '1', plain: '2' } },
  spec: {
    replicas: 3,
    containers: [
      { name: 'app', image: 'x', port: 80 },
      { name: 'proxy', image: 'y' },
    ],
    list: [1, 2],
  },
})

describe('withoutField', () => {
  it.each([
    { path: 'spec.replicas', gives: { ...value, spec: { containers: value.spec.containers, list: [1, 2] } } },
    { path: 'metadata.annotations["a.b/c"]', gives: { ...value, metadata: { annotations: { plain: '2' } } } },
    {
      path: 'spec.containers[name=app].image',
      gives: { ...value, spec: { ...value.spec, containers: [{ name: 'app', port: 80 }, value.spec.containers[1]] } },
    },
    {
      path: 'spec.containers[port=80]',
      gives: { ...value, spec: { ...value.spec, containers: [value.spec.containers[1]] } },
    },
    {
      path: 'spec.containers[*].image',
      gives: { ...value, spec: { ...value.spec, containers: [{ name: 'app', port: 80 }, { name: 'proxy' }] } },
    },
    { path: 'spec.list[*]', gives: { ...value, spec: { ...value.spec, list: [] } } },
    { path: 'status', gives: value },
  ])('removes $path', ({ path, gives }) => {
    expect(withoutField(value, parseFieldSelector(path))).toEqual(gives)
  })

  it.each([
    'spec.unknown.field',
    'spec.replicas.more',
    'spec.containers[name=other]',
    'spec[*]',
    'spec.list[a=1]',
    'spec.toString',
  ])('returns the same object if %s does not exist', (path) => {
    expect(withoutField(value, parseFieldSelector(path))).toBe(value)
  })

  it('is idempotent', () => {
    const paths = fc.constantFrom('a', 'a.b', 'a[*]', 'a[*].b', 'a[k=1]', 'b.a')
    fc.assert(
      fc.property(fc.jsonValue(), paths, (json, path) => {
        const once = withoutField(json as never, parseFieldSelector(path))
        expect(withoutField(once, parseFieldSelector(path))).toEqual(once)
      }),
    )
  })
})

describe('parseFieldSelector', () => {
  it('keeps the text and parses the steps', () => {
    expect(parseFieldSelector('a["b.c"][d=e=f][*].g')).toEqual({
      text: 'a["b.c"][d=e=f][*].g',
      steps: [
        { kind: 'field', name: 'a' },
        { kind: 'field', name: 'b.c' },
        { kind: 'items', key: 'd', value: 'e=f' },
        { kind: 'everyItem' },
        { kind: 'field', name: 'g' },
      ],
    })
  })

  it.each(['', '.', '.a', 'a.', 'a..b', '[*].a', '["a"', 'a[b]', 'a[]', 'a b=', '/spec/replicas='])(
    'rejects "%s"',
    (text) => {
      expect(refusalOf(() => parseFieldSelector(text))).toMatchObject({
        code: 'InvalidPolicy',
        message: expect.stringContaining(`"${text}"`),
      })
    },
  )
})
