import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { docComment, kebabCase, literal, pascalCase, propertyName } from '../../src/generate/type-text.ts'

describe('names', () => {
  it.each([
    ['ReplicatedKVStore', 'replicated-kv-store'],
    ['Database', 'database'],
    ['DatabaseUser', 'database-user'],
    ['HTTPRoute', 'http-route'],
    ['S3Bucket', 's3-bucket'],
  ])('makes a file name of the kind %s', (kind, fileName) => {
    expect(kebabCase(kind)).toBe(fileName)
  })

  it.each([
    ['podTemplate', 'PodTemplate'],
    ['pod-template', 'PodTemplate'],
    ['v1beta1', 'V1Beta1'],
    ['x.y/z', 'XYZ'],
    ['$ref', 'Ref'],
  ])('makes a type name of %s', (name, typeName) => {
    expect(pascalCase(name)).toBe(typeName)
  })

  it.each([
    ['image', 'image'],
    ['retainedPVCs', 'retainedPVCs'],
    ['pod-template', "'pod-template'"],
    ['1st', "'1st'"],
    ['', "''"],
  ])('quotes the property %s only if necessary', (name, written) => {
    expect(propertyName(name)).toBe(written)
  })
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom("'", '"', '\\', '`', '\n', '\u2028', 'a') }),
)

describe('literal', () => {
  it('evaluates to the same text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(new Function(`return ${literal(text)}`)()).toBe(text)
      }),
    )
  })
})

describe('docComment', () => {
  it('is empty without content', () => {
    expect(docComment({ description: '', constraints: [] }, '  ')).toEqual([])
  })

  it('fits one line if possible', () => {
    expect(docComment({ description: 'Short.', constraints: [] }, '  ')).toEqual(['  /** Short. */'])
  })

  it('breaks long text at spaces, within 120 columns', () => {
    const lines = docComment({ description: 'word '.repeat(60).trim(), constraints: [] }, '  ')
    expect(lines.length).toBe(5)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
  })

  it('shows a default that is null, false or zero', () => {
    for (const defaultValue of [null, false, 0]) {
      expect(docComment({ description: '', constraints: [], defaultValue }, '')).toEqual([
        `/** @default ${defaultValue} */`,
      ])
    }
  })
})
