import { expect, it } from 'vitest'
import { isContributed } from '../../src/apply/contribution-rule.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { compare } from '../../src/diff/compare.ts'
import { live } from '../objects.ts'

const manager = 'konverge'
const selector = { app: 'a' }
const verdict = (spec: JsonObject, found: JsonObject, owned: JsonObject): boolean => {
  const fieldsV1 = { 'f:spec': owned }
  const entry = { manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 } as const
  const object = live({ apiVersion: 'v1', kind: 'Service', metadata: { managedFields: [entry] }, spec: found })
  const desired = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec }
  return isContributed(compare({ desired, live: object, manager }), object, manager)
}

it.each([
  ['is there, in our record', { type: 'X' }, { type: 'X' }, { 'f:type': {} }, true],
  ['is there, next to what another resource adds', { type: 'X' }, { type: 'X', a: 1 }, { 'f:a': {} }, true],
  ['has another value', { type: 'X' }, { type: 'Y', a: 1 }, { 'f:a': {} }, false],
  ['is not there', { type: 'X' }, { a: 1 }, { 'f:a': {} }, false],
  ['is there as a whole', { selector }, { selector, a: 1 }, { 'f:a': {} }, true],
  [
    'is less than a value that is ours as one',
    { selector },
    { selector: { ...selector, b: 'b' } },
    { 'f:selector': {} },
    false,
  ],
] as const)('a contribution that %s', (_, spec, found, owned, expected) => {
  expect(verdict(spec, found, owned)).toBe(expected)
})
