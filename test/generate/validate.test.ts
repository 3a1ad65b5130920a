import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { validateObject } from '../../src/generate/validate.ts'

/** A definition of the one version v1, with this schema for `spec`. */
function definitionOf(spec: JsonObject, more: JsonObject = {}): JsonObject {
  const openAPIV3Schema = { type: 'object', required: ['spec'], properties: { spec }, ...more }
  return { spec: { versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema } }] } }
}

const objectOf = (spec: Json): JsonObject => ({
  apiVersion: 'example.dev/v1',
  kind: 'Thing',
  metadata: { name: 'a' },
  spec,
})

const schema: JsonObject = {
  type: 'object',
  required: ['image'],
  properties: {
    image: { type: 'string', minLength: 1, pattern: '^[a-z:]+$' },
    replicas: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
    ratio: { type: 'number' },
    paused: { type: 'boolean' },
    mode: { type: 'string', enum: ['Fast', 'Safe'] },
    port: { 'x-kubernetes-int-or-string': true },
    quantity: {
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: '^\\d+Mi$',
    },
    note: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    freer: { 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
    half: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { size: { type: 'integer' } } },
    empty: { type: 'object' },
    labels: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } },
    limits: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { cpu: { type: 'integer', default: 2 } } },
    },
    storage: {
      type: 'object',
      default: {},
      properties: { size: { type: 'string', default: '1Gi' }, class: { type: 'string' } },
    },
    items: {
      type: 'array',
      maxItems: 2,
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, weight: { type: 'integer', default: 5 } },
      },
    },
  },
}
const definition = definitionOf(schema)
const check = (spec: Json) => validateObject(definition, objectOf(spec))

describe('an object that fits its schema', () => {
  it.each<{ title: string; given: JsonObject; stored: JsonObject }>([
    { title: 'gets defaults, also inside of defaults', given: {}, stored: { replicas: 1, storage: { size: '1Gi' } } },
    { title: 'keeps what is given', given: { replicas: 3 }, stored: { replicas: 3 } },
    {
      title: 'gets defaults in list items',
      given: { items: [{ name: 'x' }] },
      stored: { items: [{ name: 'x', weight: 5 }] },
    },
    { title: 'gets defaults in map values', given: { limits: { a: {} } }, stored: { limits: { a: { cpu: 2 } } } },
    { title: 'has an integer where either may be', given: { port: 80 }, stored: { port: 80 } },
    { title: 'has a text where either may be', given: { port: 'http' }, stored: { port: 'http' } },
    { title: 'has an integer whose texts have a pattern', given: { quantity: 5 }, stored: { quantity: 5 } },
    { title: 'has null where null may be', given: { note: null }, stored: { note: null } },
    { title: 'has null in a free value that may be null', given: { freer: null }, stored: { freer: null } },
    {
      title: 'has anything in a free object',
      given: { free: { a: [1, { b: null }] } },
      stored: { free: { a: [1, { b: null }] } },
    },
    {
      title: 'has unknown fields beside known ones',
      given: { half: { size: 1, x: 2 } },
      stored: { half: { size: 1, x: 2 } },
    },
    { title: 'has any key in a map', given: { labels: { 'a/b': 'c' } }, stored: { labels: { 'a/b': 'c' } } },
    { title: 'has whole numbers as decimals', given: { replicas: 2.0 }, stored: { replicas: 2 } },
  ])('$title', ({ given, stored }) => {
    const validation = check({ image: 'kv', ...given })
    expect(validation).toMatchObject({ kind: 'valid', object: { spec: { image: 'kv', ...stored } } })
  })

  it.each<{ title: string; given: JsonObject; stored: JsonObject }>([
    { title: 'a field', given: { mode: null }, stored: {} },
    { title: 'a field with a default', given: { replicas: null }, stored: { replicas: 1 } },
    {
      title: 'a field of an object with defaults',
      given: { storage: { class: null } },
      stored: { storage: { size: '1Gi' } },
    },
    { title: 'a value of a map', given: { labels: { a: null, b: 'c' } }, stored: { labels: { b: 'c' } } },
  ])('may say null for the absence of $title', ({ given, stored }) => {
    const validation = check({ image: 'kv', ...given })
    const { spec } = validation.kind === 'valid' ? validation.object : {}
    expect(spec).toEqual({ image: 'kv', replicas: 1, storage: { size: '1Gi' }, ...stored })
  })

  it('is not changed itself', () => {
    const object = objectOf({ image: 'kv' })
    const before = structuredClone(object)
    validateObject(definition, object)
    expect(object).toEqual(before)
  })

  it('may have a key __proto__ where keys are free, and keeps it', () => {
    const labels: JsonObject = JSON.parse('{"__proto__": "x"}')
    const validation = check({ image: 'kv', labels })
    expect(validation.kind).toBe('valid')
    expect(JSON.stringify(validation)).toContain('"__proto__":"x"')
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it('may be of a kind whose definition lists no fields', () => {
    const open = {
      spec: {
        versions: [
          { name: 'v1', schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
        ],
      },
    }
    expect(validateObject(open, objectOf({ any: 1 })).kind).toBe('valid')
  })
})

describe('an object that does not fit its schema', () => {
  it.each<{ spec: Json; says: string }>([
    { spec: { image: 7 }, says: 'spec.image must be string, not 7' },
    { spec: { image: '' }, says: 'spec.image must NOT have fewer than 1 characters, not ""' },
    { spec: { image: 'KV' }, says: 'spec.image must match pattern "^[a-z:]+$", not "KV"' },
    { spec: {}, says: 'spec.image is required' },
    { spec: { image: null }, says: 'spec.image is required' },
    { spec: null, says: 'spec is required' },
    { spec: 'kv', says: 'spec must be object, not "kv"' },
    { spec: { image: 'kv', replicas: 0 }, says: 'spec.replicas must be >= 1, not 0' },
    { spec: { image: 'kv', replicas: 10 }, says: 'spec.replicas must be <= 9, not 10' },
    { spec: { image: 'kv', replicas: 1.5 }, says: 'spec.replicas must be integer, not 1.5' },
    { spec: { image: 'kv', replicas: '1' }, says: 'spec.replicas must be integer, not "1"' },
    { spec: { image: 'kv', paused: 'yes' }, says: 'spec.paused must be boolean, not "yes"' },
    { spec: { image: 'kv', mode: 'Slow' }, says: 'spec.mode must be one of Fast, Safe, not "Slow"' },
    { spec: { image: 'kv', port: true }, says: 'spec.port must be integer or string, not true' },
    { spec: { image: 'kv', quantity: false }, says: 'spec.quantity must be integer or string, not false' },
    { spec: { image: 'kv', quantity: '5Gi' }, says: 'spec.quantity must match pattern "^\\d+Mi$", not "5Gi"' },
    { spec: { image: 'kv', note: 1 }, says: 'spec.note must be string or null, not 1' },
    { spec: { image: 'kv', imgae: 'x' }, says: 'spec.imgae is not a field of this kind; correct or remove it' },
    {
      spec: { image: 'kv', storage: { siez: 1 } },
      says: 'spec.storage.siez is not a field of this kind; correct or remove it',
    },
    {
      spec: { image: 'kv', empty: { any: 1 } },
      says: 'spec.empty.any is not a field of this kind; correct or remove it',
    },
    { spec: { image: 'kv', half: { size: 'x' } }, says: 'spec.half.size must be integer, not "x"' },
    { spec: { image: 'kv', labels: { a: 1 } }, says: 'spec.labels.a must be string, not 1' },
    { spec: { image: 'kv', labels: { 'a/b': 1 } }, says: 'spec.labels.a/b must be string, not 1' },
    {
      spec: { image: 'kv', labels: { a: '', b: '', c: '' } },
      says: 'spec.labels must NOT have more than 2 properties, not {"a":"","b":"","c":""}',
    },
    { spec: { image: 'kv', items: [{ name: 'a' }, {}] }, says: 'spec.items[1].name is required' },
    { spec: { image: 'kv', items: [{ name: 'a' }, null] }, says: 'spec.items[1] must be object, not null' },
    { spec: { image: 'kv', items: { name: 'a' } }, says: 'spec.items must be array, not {"name":"a"}' },
  ])('is told: $says', ({ spec, says }) => {
    expect(check(spec)).toEqual({ kind: 'invalid', message: says })
  })

  it('may not have a key __proto__ where fields are listed', () => {
    const spec: JsonObject = JSON.parse('{"image": "kv", "__proto__": {"replicas": 3}}')
    expect(check(spec)).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('spec.__proto__ is not a field'),
    })
  })

  it.each<{ metadata: Json | undefined; says: string }>([
    { metadata: undefined, says: 'metadata is required' },
    { metadata: {}, says: 'metadata.name is required' },
    { metadata: { name: '' }, says: 'metadata.name must NOT have fewer than 1 characters, not ""' },
    { metadata: { name: 'a', namespace: 1 }, says: 'metadata.namespace must be string, not 1' },
    { metadata: { name: 'a', annotations: { b: true } }, says: 'metadata.annotations.b must be string, not true' },
  ])('is told of its metadata: $says', ({ metadata, says }) => {
    const { metadata: _, ...object } = objectOf({ image: 'kv' })
    const given = metadata === undefined ? object : { ...object, metadata }
    expect(validateObject(definition, given)).toEqual({ kind: 'invalid', message: says })
  })

  it('may have fields of metadata that only the server knows', () => {
    const object = { ...objectOf({ image: 'kv' }), metadata: { name: 'a', uid: 'x', generation: 3 } }
    expect(validateObject(definition, object).kind).toBe('valid')
  })

  it.each([
    { title: 'is not there', versions: [] },
    {
      title: 'is not served',
      versions: [{ name: 'v1', served: false, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  ])('is told when its version $title', ({ versions }) => {
    expect(validateObject({ spec: { versions } }, objectOf({}))).toEqual({
      kind: 'invalid',
      message: 'apiVersion example.dev/v1 is not served for Thing',
    })
  })

  it('shows no more of a value than fits a line', () => {
    const validation = check({ image: 'kv', replicas: 'x'.repeat(5_000) })
    expect(validation.kind === 'invalid' && validation.message.length).toBeLessThan(150)
  })
})

describe('the definition of ReplicatedKVStore', () => {
  it('fits every sample', () => {
    const ours: JsonObject = parse(readFileSync('crds/replicated-kv-store.yaml', 'utf8'))
    for (const name of ['kv-store', 'kv-store-custom']) {
      const sample: JsonObject = parse(readFileSync(`examples/${name}.yaml`, 'utf8'))
      expect(validateObject(ours, sample)).toMatchObject({ kind: 'valid' })
    }
  })
})
