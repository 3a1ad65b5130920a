import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { importable } from '../../src/generate/importable.ts'
import { importableEnum } from '../../src/generate/importable-enum.ts'
import { readCrd } from '../../src/generate/read-crd.ts'
import { crdOf, crdOfKind, crdWithVersions, versionOf } from './crds.ts'

const source = 'crds/widget.yaml'
const imported = (...documents: readonly JsonObject[]) =>
  importable(documents.map((document) => ({ crd: readCrd(document, source), source })))

/** The schema in place of the spec, and the names to restore. */
function printed(spec: JsonObject): { schema: unknown; realNames: object } {
  const { documents, realNames } = imported(crdOf({ spec }))
  const [version] = (documents[0] as unknown as { spec: { versions: { schema: { openAPIV3Schema: JsonObject } }[] } })
    .spec.versions
  const root = version?.schema.openAPIV3Schema as { properties: JsonObject }
  return { schema: root.properties.spec, realNames: Object.fromEntries(realNames) }
}

const text = { type: 'string' }
const object = (properties: JsonObject) => ({ type: 'object', properties })

describe('the input of cdk8s import', () => {
  it('has types and descriptions only', () => {
    const spec = {
      ...object({ a: { ...text, description: 'An a.', default: '$', pattern: '^x', format: 'date-time' } }),
      description: 'A spec.',
      required: ['a'],
      oneOf: [{ required: ['a'] }],
    }
    expect(printed(spec)).toEqual({
      schema: {
        ...object({ a: { ...text, description: 'An a.' } }),
        description: 'A spec.',
        required: ['a'],
      },
      realNames: {},
    })
  })

  it('has a code name for a field that would be lost or merged with another', () => {
    const { schema, realNames } = printed(
      object({ $x: text, fooBar: text, foo_bar: text, to_string: text, foo: object({ bar: object({ a: text }) }) }),
    )
    expect(realNames).toEqual({
      wirex0: '$x',
      wirefoobar1: 'fooBar',
      wirefoobar2: 'foo_bar',
      wiretostring3: 'to_string',
    })
    expect(Object.keys((schema as { properties: JsonObject }).properties)).toEqual([
      'wirex0',
      'wirefoobar1',
      'wirefoobar2',
      'wiretostring3',
      'foo',
    ])
  })

  it('distinguishes two types that would have the same name', () => {
    const inner = object({ x: text })
    expect(printed(object({ aB: inner, a: object({ b: inner }) })).realNames).toEqual({ wireb0: 'b' })
  })

  it('leaves an object open that keeps unknown fields, and describes the known ones', () => {
    const half = { ...object({ size: text }), 'x-kubernetes-preserve-unknown-fields': true, description: 'Half.' }
    expect(printed(object({ half })).schema).toMatchObject({
      properties: { half: { description: 'Half.\nAs on the wire, with size and any other fields.' } },
    })
  })

  it('has the stored version first, and no version that is not served', () => {
    const stored = { ...versionOf('v2', {}), storage: true }
    const other = (name: string, served: boolean) => ({ ...versionOf(name, {}, served), storage: false })
    const { documents } = imported(crdWithVersions([other('v1', true), other('v1alpha1', false), stored]))
    expect(documents).toMatchObject([{ spec: { versions: [{ name: 'v2' }, { name: 'v1' }] } }])
  })

  it.each<[string, () => unknown, string]>([
    [
      'a field that cdk8s loses',
      () => imported(crdOf({ spec: object({ a: { type: 'array', items: object({ constructor: text }) } }) })),
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a.items.properties.constructor',
    ],
    [
      'a kind whose construct would hide another',
      () => imported(crdOf({}), crdOfKind('WidgetProps', {})),
      'spec.names.kind',
    ],
    ['a kind that hides what the module uses', () => imported(crdOfKind('Record', {})), 'spec.names.kind'],
  ])('rejects %s', (_name, act, path) => {
    expect(act).toThrow(expect.objectContaining({ code: 'UnsupportedSchema', path, source }))
  })
})

describe('an enum', () => {
  it.each<[readonly Json[], JsonObject]>([
    [['a', 'b-c'], { type: 'string', enum: ['a', 'b-c'] }],
    [['a', 'a'], { type: 'string', enum: ['a'] }],
    [[301, 302], { type: 'number', enum: [301, 302] }],
    [['Always', 'always'], { type: 'string' }],
    [['a-b', 'a_b'], { type: 'string' }],
    [['a-b', 'aHyphenB'], { type: 'string' }],
    [['1', 'VALUE_1'], { type: 'string' }],
    [['', 'a'], { type: 'string' }],
    [['a@b'], { type: 'string' }],
    [['toString'], { type: 'string' }],
    [[1, -1], { type: 'number' }],
    [[true], { type: 'boolean' }],
    [['a', 1], {}],
    [[['a']], {}],
    [[], {}],
  ])('%j is %j', (values, schema) => {
    expect(importableEnum(values)).toEqual(schema)
  })
})
