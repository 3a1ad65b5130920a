import { describe, expect, it } from 'vitest'
import { applyConfiguration, recordUpdate } from '../../../src/apiserver/merge/field-manager.ts'
import { managedFieldsOf } from '../../../src/apiserver/merge/managed-fields.ts'
import { ManagedKind } from '../../../src/apiserver/merge/managed-kind.ts'
import { compileSchema } from '../../../src/apiserver/schema/schema.ts'
import type { JsonObject } from '../../../src/base/json.ts'

const items = { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } }
const spec = {
  type: 'object',
  properties: {
    color: { type: 'string' },
    parts: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items },
  },
}
const of = new ManagedKind({
  apiVersion: 'test.dev/v1',
  kind: 'Thing',
  schema: compileSchema({ type: 'object', properties: { spec } }),
  resetFields: [],
  subresource: '',
})

function thing(spec: JsonObject): JsonObject {
  return { apiVersion: 'test.dev/v1', kind: 'Thing', metadata: { name: 'it' }, spec }
}

function apply(live: JsonObject | undefined, manager: string, spec: JsonObject, force = false): JsonObject {
  return applyConfiguration({ of, live, applied: thing(spec), manager, force, timestamp: '2024-01-01T00:00:00Z' })
}

function owners(object: JsonObject): unknown {
  return (managedFieldsOf(object) ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1])
}

describe('applyConfiguration', () => {
  it('returns the live object when nothing changes', () => {
    const live = apply(undefined, 'one', { color: 'red', parts: [{ name: 'a', size: 1 }] })
    expect(apply(live, 'one', { color: 'red', parts: [{ name: 'a', size: 1 }] })).toBe(live)
  })

  it('shares equal fields of two managers, and removes them when both omit them', () => {
    const first = apply(undefined, 'one', { color: 'red', parts: [{ name: 'a', size: 1 }] })
    const both = apply(first, 'two', { color: 'red' })
    expect(owners(both)).toContainEqual(['two', { 'f:spec': { 'f:color': {} } }])
    const left = apply(both, 'one', { parts: [{ name: 'a', size: 1 }] })
    expect(left['spec']).toEqual({ color: 'red', parts: [{ name: 'a', size: 1 }] })
    expect(apply(left, 'two', {})['spec']).toEqual({ parts: [{ name: 'a', size: 1 }] })
  })

  it('reports a conflict with another manager, and takes the field when forced', () => {
    const live = apply(undefined, 'one', { parts: [{ name: 'a', size: 1 }] })
    const change = { parts: [{ name: 'a', size: 2 }] }
    const message = 'Apply failed with 1 conflict: conflict with "one": .spec.parts[name="a"].size'
    expect(() => apply(live, 'two', change)).toThrow(message)
    expect(owners(apply(live, 'two', change, true))).toEqual([
      ['one', { 'f:spec': { 'f:parts': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } } }],
      ['two', { 'f:spec': { 'f:parts': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:size': {} } } } }],
    ])
  })

  it('rejects undeclared fields and duplicate items', () => {
    const head = 'failed to create typed patch object (/it; test.dev/v1, Kind=Thing): '
    expect(() => apply(undefined, 'one', { colour: 'red' })).toThrow(
      `${head}.spec.colour: field not declared in schema`,
    )
    expect(() => apply(undefined, 'one', { parts: [{ name: 'a' }, { name: 'a' }] })).toThrow(
      `${head}.spec.parts: duplicate entries for key [name="a"]`,
    )
  })

  it('attributes untracked fields to before-first-apply', () => {
    const untracked = { ...thing({ color: 'red' }), metadata: { name: 'it', uid: 'u' } }
    expect(owners(apply(untracked, 'one', { parts: [] }))).toContainEqual([
      'before-first-apply',
      { 'f:spec': { '.': {}, 'f:color': {} } },
    ])
  })
})

describe('recordUpdate', () => {
  const write = (live: JsonObject | undefined, updated: JsonObject, second: number): JsonObject =>
    recordUpdate({ of, live, updated, manager: `m${second}`, timestamp: `2024-01-01T00:00:${10 + second}Z` })

  it('keeps ten managers, and merges older ones', () => {
    let live = write(undefined, thing({ parts: [] }), 0)
    for (let second = 1; second < 14; second++) {
      const parts = Array.from({ length: second }, (_, index) => ({ name: `p${index}` }))
      live = write(live, { ...live, spec: { parts } }, second)
    }
    const managers = (managedFieldsOf(live) ?? []).map(({ manager }) => manager)
    expect(managers).toHaveLength(10)
    expect(managers).toContain('ancient-changes')
  })

  it('drops all managers on a reset, and then stops tracking', () => {
    const live = { ...write(undefined, thing({ color: 'red' }), 0) }
    const stored = { ...live, metadata: { ...Object(live['metadata']), uid: 'u' } }
    const cleared = write(stored, { ...stored, metadata: { name: 'it', uid: 'u', managedFields: [{}] } }, 1)
    expect(managedFieldsOf(cleared)).toBeUndefined()
    expect(managedFieldsOf(write(cleared, { ...cleared, spec: { color: 'blue' } }, 2))).toBeUndefined()
  })
})
