import { expect, it } from 'vitest'
import { emptiedValues, emptyingOperations } from '../../src/apply/emptied-values.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { DesiredObject } from '../../src/synth/desired.ts'
import { parseFieldSelector } from '../../src/synth/field-selector.ts'
import { live } from '../objects.ts'

interface Given {
  readonly owned: JsonObject
  readonly found: JsonObject
  readonly declared: JsonObject
  readonly others?: JsonObject
  readonly shared?: string
  readonly contribute?: boolean
}

function operations({ owned, found, declared, others = {}, shared, contribute = false }: Given) {
  const record = (manager: string, fields: JsonObject) =>
    ({ manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': fields } }) as const
  const managedFields = [record('ours', owned), record('theirs', others)]
  const object = live({ apiVersion: 'v1', kind: 'Thing', metadata: { managedFields }, spec: found })
  const policies = { shared: shared === undefined ? [] : [parseFieldSelector(shared)], initialOnly: [], contribute }
  const desired = { lasting: { ...object, spec: declared }, policies } as unknown as DesiredObject // Partial.
  return emptyingOperations(emptiedValues(desired, object, 'ours')).map((operation) => ({ ...operation }))
}

const item = { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:map': { 'f:k': {} } } }

it.each<[string, Given, { readonly path: string; readonly value: unknown }]>([
  [
    'a map',
    { owned: { 'f:m': { 'f:a': {} } }, found: { m: { a: 1 } }, declared: { m: {} } },
    { path: '/spec/m', value: {} },
  ],
  [
    'a map with an odd name',
    { owned: { 'f:a/~b': { 'f:a': {} } }, found: { 'a/~b': { a: 1 } }, declared: { 'a/~b': {} } },
    { path: '/spec/a~1~0b', value: {} },
  ],
  [
    'a map in an item of a list map',
    {
      owned: { 'f:l': item },
      found: { l: [{ name: 'w' }, { name: 'x', map: { k: 1 } }] },
      declared: { l: [{ name: 'x', map: {} }] },
    },
    { path: '/spec/l/1/map', value: {} },
  ],
  [
    'a list, but for the items that no manager owns',
    { owned: { 'f:l': item }, found: { l: [{ name: 'w' }, { name: 'x' }] }, declared: { l: [], a: 1 } },
    { path: '/spec/l', value: [{ name: 'w' }] },
  ],
  [
    'a map, but for the members that no manager owns',
    { owned: { 'f:m': { 'f:a': {} } }, found: { m: { a: 1, b: 1 } }, declared: { m: {} } },
    { path: '/spec/m', value: { b: 1 } },
  ],
  [
    'a set',
    { owned: { 'f:s': { 'v:"x"': {} } }, found: { s: ['x'] }, declared: { s: [], a: 1 } },
    { path: '/spec/s', value: [] },
  ],
  [
    'a struct that declares nothing but an empty list, but for its defaults',
    { owned: { 'f:a': {}, 'f:l': item }, found: { a: 1, l: [{ name: 'x' }], d: 2 }, declared: { l: [] } },
    { path: '/spec', value: { d: 2 } },
  ],
  [
    'the record of a struct that was empty and declares nothing but an empty list',
    { owned: { 'f:m': {} }, found: { m: { d: 2 } }, declared: { m: { l: [] }, a: 1 } },
    { path: '/spec/m', value: { d: 2 } },
  ],
])('removes own members from %s', (_, given, operation) => {
  expect(operations(given)).toEqual([{ op: 'replace', ...operation }])
})

it.each<[string, Given]>([
  [
    'a map with members that others own as well',
    { owned: { 'f:m': { 'f:a': {} } }, found: { m: { a: 1 } }, declared: { m: {} }, others: { 'f:m': { 'f:a': {} } } },
  ],
  ['an atomic map', { owned: { 'f:m': {} }, found: { m: { a: 1 } }, declared: { m: {} } }],
  ['an atomic map of empty lists', { owned: { 'f:m': {} }, found: { m: { l: [] } }, declared: { m: { l: [] }, a: 1 } }],
  ['a map that is empty', { owned: { 'f:m': {} }, found: { m: {} }, declared: { m: {} } }],
  ['a map that is no longer declared', { owned: { 'f:m': { 'f:a': {} } }, found: { m: { a: 1 } }, declared: { a: 1 } }],
  [
    'what a policy hands over',
    { owned: { 'f:m': { 'f:a': {} } }, found: { m: { a: 1 } }, declared: { m: {} }, shared: 'spec.m.a' },
  ],
  [
    'the object of another owner',
    { owned: { 'f:m': { 'f:a': {} } }, found: { m: { a: 1 } }, declared: { m: {} }, contribute: true },
  ],
])('leaves %s unchanged', (_, given) => {
  expect(operations(given)).toEqual([])
})
