import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import type { Schema, Shape } from '../../src/generate/crd.ts'
import { GenerateError } from '../../src/generate/generate-error.ts'
import { readCrd } from '../../src/generate/read-crd.ts'
import { crdOf, crdWithVersions, versionOf } from './crds.ts'

const root = 'spec.versions[0].schema.openAPIV3Schema.properties.spec'

function shapeOf(node: JsonObject): Shape {
  const shape = specOf({ type: 'object', properties: { field: node } }).shape
  const field = shape.kind === 'object' ? shape.fields[0] : undefined
  if (field === undefined) throw new Error('the field was lost')
  return field.schema.shape
}

function specOf(spec: JsonObject): Schema {
  const [field] = readCrd(crdOf({ spec }), 'crds/widget.yaml').versions[0]?.fields ?? []
  if (field === undefined) throw new Error('the spec was lost')
  return field.schema
}

function refusal(document: Json): { code: string; path: string; source: string; message: string } {
  try {
    readCrd(document, 'crds/widget.yaml')
  } catch (error) {
    if (error instanceof GenerateError) return error
    throw error
  }
  throw new Error('the definition was taken')
}

const named = { group: 'example.dev', scope: 'Cluster', names: { kind: 'Widget', plural: 'widgets' } }

describe('readCrd', () => {
  it('reads the kind', () => {
    const { versions, ...kind } = readCrd(crdOf({}), 'crds/widget.yaml')
    expect(kind).toEqual({ group: 'example.dev', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' })
    const path = 'spec.versions[0].schema.openAPIV3Schema'
    expect(versions).toEqual([{ name: 'v1', isServed: true, isStored: true, path, description: '', fields: [] }])
  })

  it.each<[string, JsonObject, Shape]>([
    ['text', { type: 'string' }, { kind: 'scalar', type: 'string' }],
    [
      'a date-time, which is text on the wire',
      { type: 'string', format: 'date-time' },
      { kind: 'scalar', type: 'string' },
    ],
    ['an integer, which TypeScript calls number', { type: 'integer' }, { kind: 'scalar', type: 'number' }],
    ['a number', { type: 'number' }, { kind: 'scalar', type: 'number' }],
    ['a boolean', { type: 'boolean' }, { kind: 'scalar', type: 'boolean' }],
    ['an enum of text', { type: 'string', enum: ['a', 'b'] }, { kind: 'enum', values: ['a', 'b'] }],
    ['an enum of numbers', { type: 'integer', enum: [1, 2] }, { kind: 'enum', values: [1, 2] }],
    [
      'an enum with null, which says nullable',
      { type: 'string', nullable: true, enum: ['a', null] },
      { kind: 'enum', values: ['a'] },
    ],
    [
      'an enum of lists and objects',
      { type: 'object', enum: [[1, 'a'], { b: null }] },
      { kind: 'enum', values: [[1, 'a'], { b: null }] },
    ],
    [
      'an enum of an int-or-string',
      { 'x-kubernetes-int-or-string': true, enum: [80, 'http'] },
      { kind: 'enum', values: [80, 'http'] },
    ],
    [
      'an int-or-string',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      { kind: 'intOrString' },
    ],
    ['anything', { 'x-kubernetes-preserve-unknown-fields': true }, { kind: 'anything' }],
    [
      'an object that keeps what it does not know',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { kind: 'object', fields: [], keepsUnknownFields: true },
    ],
    [
      'additionalProperties: true, which says the same',
      { type: 'object', additionalProperties: true },
      { kind: 'object', fields: [], keepsUnknownFields: true },
    ],
    ['an object without fields', { type: 'object' }, { kind: 'object', fields: [], keepsUnknownFields: false }],
  ])('reads %s', (_name, node, shape) => {
    expect(shapeOf(node)).toEqual(shape)
  })

  it('reads lists and maps of any depth', () => {
    const shape = shapeOf({ type: 'object', additionalProperties: { type: 'array', items: { type: 'boolean' } } })
    expect(shape).toMatchObject({
      kind: 'map',
      values: { shape: { kind: 'list', items: { shape: { type: 'boolean' } } } },
    })
  })

  it('gives an embedded object the fields of every object', () => {
    const shape = shapeOf({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { kind: { type: 'string', enum: ['Pod'] } },
    })
    expect(shape.kind === 'object' && shape.fields.map(({ name }) => name)).toEqual(['apiVersion', 'metadata', 'kind'])
  })

  it('keeps descriptions, defaults and null, and describes the constraints', () => {
    const node = {
      type: 'string',
      description: 'How big.',
      nullable: true,
      default: '1Gi',
      minLength: 1,
      maxLength: 32,
      pattern: '^[0-9]+Gi$',
      'x-kubernetes-validations': [{ rule: 'a > b', message: 'it only grows' }, { rule: 'c' }],
    }
    expect(specOf(node)).toEqual({
      shape: { kind: 'scalar', type: 'string' },
      description: 'How big.',
      isNullable: true,
      defaultValue: '1Gi',
      constraints: [
        'At least 1 character. At most 32 characters. Matches `^[0-9]+Gi$`.',
        'Rule: it only grows.',
        'Rule: c.',
      ],
    })
  })

  it('keeps a default of null, false or zero', () => {
    for (const defaultValue of [null, false, 0]) {
      expect(specOf({ type: 'integer', default: defaultValue }).defaultValue).toBe(defaultValue)
    }
  })

  it('gives the same result for any order of keys', () => {
    const forwards = readCrd(crdOf({ spec: { type: 'integer', minimum: 1, maximum: 9 } }), 'crds/widget.yaml')
    const backwards = readCrd(crdOf({ spec: { maximum: 9, minimum: 1, type: 'integer' } }), 'crds/widget.yaml')
    expect(backwards).toEqual(forwards)
  })

  it.each<[string, Json, string]>([
    ['no object', 'text', ''],
    ['another kind', { apiVersion: 'v1', kind: 'Service' }, ''],
    ['the version that clusters dropped', { ...crdOf({}), apiVersion: 'apiextensions.k8s.io/v1beta1' }, 'apiVersion'],
  ])('rejects %s as no definition', (_name, document, path) => {
    expect(refusal(document)).toMatchObject({ code: 'NotACrd', path, source: 'crds/widget.yaml', remedy: 'stop' })
  })

  it.each<[string, JsonObject, string]>([
    ['no spec', { ...crdOf({}), spec: null }, 'spec'],
    ['no names', { ...crdOf({}), spec: { group: 'example.dev', scope: 'Cluster' } }, 'spec.names'],
    ['an unknown scope', { ...crdOf({}), spec: { scope: 'Galaxy', names: {} } }, 'spec.scope'],
    ['no versions', crdWithVersions([]), 'spec.versions'],
    ['a version that is no object', crdWithVersions(['v1']), 'spec.versions[0]'],
    ['a version without a schema', crdWithVersions([versionOf('v1', {}), { name: 'v2' }]), 'spec.versions[1].schema'],
    ['no version that is served', crdWithVersions([versionOf('v1', {}, false)]), 'spec.versions'],
    ['a version twice', crdWithVersions([versionOf('v1', {}), versionOf('v1', {})]), 'spec.versions[1].name'],
    ['a group that is no name', { ...crdOf({}), spec: { ...named, group: '../x' } }, 'spec.group'],
    ['a kind that is no name', { ...crdOf({}), spec: { ...named, names: { kind: 'my-kind' } } }, 'spec.names.kind'],
    ['a version without a name', crdWithVersions([{ ...versionOf('v1', {}), name: '' }]), 'spec.versions[0].name'],
  ])('rejects a definition with %s', (_name, document, path) => {
    expect(refusal(document)).toMatchObject({ code: 'InvalidCrd', path })
  })

  it.each<[string, JsonObject, string]>([
    ['a node without a type', {}, `${root}`],
    ['an unknown type', { type: 'date' }, `${root}`],
    ['a reference', { $ref: '#/definitions/x' }, `${root}`],
    ['a list without items', { type: 'array' }, `${root}`],
    ['a list with items by position', { type: 'array', items: [{ type: 'string' }] }, `${root}.items`],
    [
      'properties beside additionalProperties',
      { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
      `${root}`,
    ],
    ['an empty enum', { type: 'string', enum: [] }, `${root}.enum`],
    ['required that is no list', { type: 'object', required: 'a' }, `${root}.required`],
    [
      'a field deep inside',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'object', additionalProperties: {} } } } },
      `${root}.properties.a.items.additionalProperties`,
    ],
  ])('rejects %s, with its path', (_name, spec, path) => {
    const error = refusal(crdOf({ spec }))
    expect(error).toMatchObject({ code: 'UnsupportedSchema', path })
    expect(error.message).toContain(`generate from crds/widget.yaml: ${path}`)
  })

  it('rejects a cyclic schema', () => {
    const loop: Record<string, Json> = { type: 'array' }
    loop['items'] = loop
    expect(refusal(crdOf({ spec: loop })).code).toBe('UnsupportedSchema')
  })
})
