// Sample schema with every type that rules may use, and objects of it.
import type { Json, JsonObject } from '../../../src/base/json.ts'

const text = { type: 'string', maxLength: 30 }
const integer = { type: 'integer' }

/** The fields of `spec`. */
export const fields: JsonObject = {
  a: integer,
  b: integer,
  d: { type: 'number' },
  s: text,
  t: text,
  flag: { type: 'boolean' },
  ts: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
  dur: { type: 'string', format: 'duration' },
  by: { type: 'string', format: 'byte', maxLength: 40 },
  any: { 'x-kubernetes-int-or-string': true },
  e: { type: 'string', enum: ['red', 'green'] },
  n: { type: 'string', maxLength: 30, nullable: true },
  l: { type: 'array', maxItems: 8, items: integer },
  ls: { type: 'array', maxItems: 8, items: text },
  ld: { type: 'array', maxItems: 8, items: { type: 'number' } },
  lt: { type: 'array', maxItems: 4, items: { type: 'string', format: 'date-time' } },
  ll: { type: 'array', maxItems: 4, items: { type: 'array', maxItems: 4, items: integer } },
  set: { type: 'array', maxItems: 8, 'x-kubernetes-list-type': 'set', items: text },
  seti: { type: 'array', maxItems: 8, 'x-kubernetes-list-type': 'set', items: integer },
  ml: {
    type: 'array',
    maxItems: 8,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: text, port: integer, tags: { type: 'array', maxItems: 4, items: text } },
    },
  },
  m: { type: 'object', maxProperties: 8, additionalProperties: integer },
  ms: { type: 'object', maxProperties: 8, additionalProperties: text },
  mo: {
    type: 'object',
    maxProperties: 4,
    additionalProperties: { type: 'object', properties: { x: text, y: integer } },
  },
  o: {
    type: 'object',
    properties: {
      x: text,
      y: integer,
      'a-b': text,
      'dot.ted': text,
      'sl/ash': text,
      namespace: text,
      under__score: text,
      inner: { type: 'object', properties: { z: integer, w: text } },
    },
  },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  half: {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { known: integer, raw: { 'x-kubernetes-preserve-unknown-fields': true } },
  },
  res: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
}

/** Returns the whole schema, with rules about `spec`. */
export function sampleSchema(rules: readonly JsonObject[]): JsonObject {
  return {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { type: 'object', properties: fields, 'x-kubernetes-validations': rules },
    },
  }
}

export const full: JsonObject = {
  a: 5,
  b: -3,
  d: 2.5,
  s: 'hello',
  t: 'héllo wörld 😀',
  flag: true,
  ts: '2024-02-29T12:34:56.789Z',
  day: '2023-01-02',
  dur: '1h30m',
  by: 'aGVsbG8=',
  any: 7,
  e: 'red',
  n: null,
  l: [3, 1, 2],
  ls: ['a', 'bb', 'ccc'],
  ld: [1, 2.5],
  lt: ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00+02:00'],
  ll: [[1, 2], [], [3]],
  set: ['x', 'y'],
  seti: [1, 2],
  ml: [
    { name: 'http', port: 80, tags: ['t'] },
    { name: 'https', port: 443 },
  ],
  m: { one: 1 },
  ms: { k: 'v' },
  mo: { p: { x: 'px', y: 9 } },
  o: {
    x: 'ox',
    y: 1,
    'a-b': 'dash',
    'dot.ted': 'dot',
    'sl/ash': 'slash',
    namespace: 'ns',
    under__score: 'us',
    inner: { z: 26, w: 'www' },
  },
  free: { anything: [1, { two: 2 }] },
  half: { known: 1, raw: [1, 'x'], other: true },
  res: { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'inner' }, spec: { q: 1 } },
}

/** Few fields, with boundary values. */
const sparse: JsonObject = {
  a: 9007199254740993n,
  d: 3,
  s: '',
  any: '50%',
  n: 'now',
  l: [],
  set: [],
  ml: [],
  m: {},
  o: {},
  ts: '1970-01-01T00:00:00+05:30',
  dur: '2 days',
}

const changed: JsonObject = {
  ...full,
  a: 6,
  l: [3, 1, 2, 4],
  set: ['y', 'x'],
  ml: [
    { name: 'https', port: 444 },
    { name: 'http', port: 80, tags: ['t'] },
  ],
  free: { anything: [1, { two: 3 }] },
  half: { known: 1, raw: [1, 'x'], other: false },
}

function object(spec: JsonObject): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'sample' }, spec }
}

/** Pairs of a new and an old object; without an old one it is a create. */
export const pairs: readonly (readonly [Json] | readonly [Json, Json])[] = [
  [object(full)],
  [object(sparse)],
  [object(changed), object(full)],
  [object(full), object(full)],
]
