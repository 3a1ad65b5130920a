// Objects of the scripts. They are small and have few values, so that writes collide: several managers on one field, or
// the same write
// twice. Each request is one step; few names exist.
import fc from 'fast-check'
import { isJsonObject, type Json, type JsonObject } from '../../../../src/base/json.ts'
import { collectionPath, configMap, configMaps, type Kind, widget, widgets } from '../../kinds.ts'
import type { Ask, Query } from '../../server-under-test.ts'
import type { Step } from '../script.ts'

export const name = fc.constantFrom('a', 'b', 'c')
export const manager = fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5')

export function collection(kind: Kind): string {
  return collectionPath(kind, '{{namespace}}')
}

export function step(ask: Ask, kind: Step['kind'] = 'ask'): Step {
  return { kind, ask }
}

/** Generates a record with some of these fields. */
export function some(fields: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject> // Json values; some are absent.
}

const small = fc.integer({ min: 0, max: 2 })
const word = fc.constantFrom('x', 'y', 'z')
const port = some({
  name: fc.constantFrom('http', 'dns'),
  protocol: fc.constantFrom('TCP', 'UDP'),
  number: small,
  comment: word,
})
/** Any value, for fields without a schema. */
const { free } = fc.letrec<{ free: Json }>((tie) => ({
  free: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(small, word, fc.boolean(), fc.constant(null), fc.double({ min: -2, max: 2, noNaN: true })),
    fc.array(tie('free'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('k', 'l', '__proto__', 'a.b/c'), tie('free'), { maxKeys: 2 }),
  ) as fc.Arbitrary<Json>,
}))

export const spec: fc.Arbitrary<JsonObject> = some({
  size: small,
  color: fc.constantFrom('red', 'green'),
  note: word,
  mode: fc.constantFrom('plain', 'fancy'),
  replicas: small,
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  steps: fc.array(word, { maxLength: 2 }),
  ports: fc
    .uniqueArray(
      port.filter((item) => 'name' in item),
      { maxLength: 2, selector: (item) => `${String(item['name'])}/${String(item['protocol'] ?? 'TCP')}` },
    )
    .map((items) => items as readonly JsonObject[]),
  limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), small, { maxKeys: 2 }),
  pair: some({ left: word, right: word }),
  free,
  either: fc.oneof(small, word),
})

const metadata: fc.Arbitrary<JsonObject> = some({
  labels: fc.dictionary(fc.constantFrom('tier', 'rank'), fc.constantFrom('1', '2'), { maxKeys: 2 }),
  annotations: fc.dictionary(fc.constantFrom('note'), word, { maxKeys: 1 }),
  finalizers: fc.subarray(['example.com/one', 'example.com/two']),
})

const status = some({ phase: word, replicas: small })

/** Generates a widget with a name, sometimes with labels and more. */
export const anyWidget: fc.Arbitrary<JsonObject> = fc
  .tuple(name, spec, fc.option(metadata, { freq: 3, nil: {} }), fc.option(status, { freq: 3, nil: undefined }))
  .map(([name, spec, metadata, status]) =>
    widget(name, spec, { metadata, ...(status === undefined ? {} : { status }) }),
  )

export const anyConfigMap: fc.Arbitrary<JsonObject> = fc
  .tuple(
    name,
    fc.dictionary(fc.constantFrom('k', 'l', 'm'), word, { maxKeys: 3 }),
    fc.option(metadata, { freq: 3, nil: {} }),
  )
  .map(([name, data, metadata]) => configMap(name, data, metadata))

/** Generates a kind with an object of it. */
export const anyObject: fc.Arbitrary<{ kind: Kind; body: JsonObject }> = fc.oneof(
  { arbitrary: anyWidget.map((body) => ({ kind: widgets, body })), weight: 3 },
  { arbitrary: anyConfigMap.map((body) => ({ kind: configMaps, body })), weight: 1 },
)

export function nameOf(body: JsonObject): string {
  const { metadata } = body
  return isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
}

/** Generates the Accept header. */
export const form = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  {},
  {},
  { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
  { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
  { accept: 'application/json;as=Nothing;g=meta.k8s.io;v=v1' },
  { accept: 'text/html' },
)

/** Generates write options; mostly none. */
export const writeQuery: fc.Arbitrary<Query> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 4 },
  { arbitrary: manager.map((fieldManager) => ({ fieldManager })), weight: 4 },
  {
    arbitrary: fc.constantFrom<Query>(
      { dryRun: 'All' },
      { dryRun: 'Some' },
      { fieldValidation: 'Strict' },
      { fieldValidation: 'Ignore' },
      { fieldValidation: 'Sometimes' },
    ),
    weight: 1,
  },
)

/** Generates the version and uid of a write; mostly the newest or none. */
export function precondition(name: string): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    { arbitrary: fc.constant({}), weight: 3 },
    { arbitrary: fc.constant({ resourceVersion: `{{rv:${name}}}` }), weight: 6 },
    {
      arbitrary: fc.constantFrom<JsonObject>(
        { resourceVersion: `{{old:${name}}}` },
        { uid: `{{uid:${name}}}` },
        { resourceVersion: '0' },
        { resourceVersion: '' },
      ),
      weight: 1,
    },
  )
}

export function withMetadata(body: JsonObject, more: JsonObject): JsonObject {
  return { ...body, metadata: { ...(isJsonObject(body['metadata']) ? body['metadata'] : {}), ...more } }
}
