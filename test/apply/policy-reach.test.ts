import { expect, it } from 'vitest'
import { policyOutOfReach } from '../../src/apply/policy-reach.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { DesiredObject } from '../../src/synth/desired.ts'
import { parseFieldSelector } from '../../src/synth/field-selector.ts'
import { live } from '../objects.ts'

const manager = 'konverge'
const check = (path: string, owned: JsonObject, found: JsonObject, lasting: JsonObject): string => {
  const fieldsV1 = { 'f:spec': owned }
  const entry = { manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 } as const
  const object = live({ apiVersion: 'v1', kind: 'Thing', metadata: { managedFields: [entry] }, spec: found })
  const policies = { shared: [], initialOnly: [parseFieldSelector(path)] }
  // The fields that the function reads.
  const desired = { lasting: { ...object, spec: lasting }, policies, constructPath: 'a' } as unknown as DesiredObject
  return policyOutOfReach(desired, { live: object, recorded: object }, manager)?.message ?? ''
}
const list = [{ key: 'a' }, { key: 'b' }]

it.each([
  ['an entry of an atomic map', 'spec.m.a', { 'f:m': {} }, { m: { a: 1, b: 2 } }, { m: { b: 2 } }],
  ['an item of an atomic list', 'spec.l[key=a]', { 'f:l': {} }, { l: list }, { l: [{ key: 'b' }] }],
  ['every item of an atomic list', 'spec.l[*]', { 'f:l': {} }, { l: list }, { l: [] }],
] as const)('rejects a policy for %s', (_, path, owned, found, lasting) => {
  expect(check(path, owned, found, lasting)).toMatch(/takes spec\.[ml] as one value/)
})

it.each([
  ['all of an atomic map', 'spec.m', { 'f:m': {} }, { m: { a: 1 } }, {}],
  ['an entry of a map', 'spec.m.a', { 'f:m': { 'f:a': {}, 'f:b': {} } }, { m: { a: 1, b: 2 } }, { m: { b: 2 } }],
  ['the only entry of a map', 'spec.m.a', { 'f:m': {} }, { m: { a: 1 } }, { m: {} }],
  ['what is not there', 'spec.m.a', { 'f:m': {} }, { m: { b: 2 } }, { m: { b: 2 } }],
  [
    'an item of a list map',
    'spec.l[key=a]',
    { 'f:l': { 'k:{"key":"b"}': { '.': {}, 'f:key': {} } } },
    { l: list },
    { l: [{ key: 'b' }] },
  ],
] as const)('accepts a policy for %s', (_, path, owned, found, lasting) => {
  expect(check(path, owned, found, lasting)).toBe('')
})
