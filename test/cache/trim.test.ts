import { describe, expect, it } from 'vitest'
import { FieldSetPool } from '../../src/cache/field-set-pool.ts'
import { trim } from '../../src/cache/trim.ts'
import { isChildManager } from '../../src/object/identity.ts'
import type { ManagedFieldsEntry } from '../../src/object/object.ts'
import { configMap } from './objects.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const entry = (more: Partial<ManagedFieldsEntry>): ManagedFieldsEntry => ({
  manager: 'shop/sites.example.dev',
  operation: 'Apply',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:key': {} } },
  ...more,
})
const options = () => ({ keepsFieldsOf: isChildManager, fieldSets: new FieldSetPool() })

describe('trim', () => {
  it('keeps the entries of controllers, each with its own manager, and of their status, without the time', () => {
    const status = { manager: 'shop-status', operation: 'Update', subresource: 'status' } as const
    const managedFields = [
      entry({ manager: 'kubectl' }),
      entry({ operation: 'Update' }),
      entry({ subresource: 'status' }),
      entry({}),
      entry({ manager: 'shop/banners.example.dev' }),
      entry({ ...status, manager: 'kubectl' }),
      entry(status),
    ]
    const { metadata } = trim(configMap('a', { version: 1, managedFields }), options())
    const { time: _, ...kept } = entry({})
    expect(metadata.managedFields).toEqual([
      { ...kept, operation: 'Update' },
      kept,
      { ...kept, manager: 'shop/banners.example.dev' },
      { ...kept, ...status },
    ])
  })

  it('keeps no managedFields without own ones', () => {
    const { metadata } = trim(configMap('a', { version: 1, managedFields: [entry({ manager: 'other' })] }), options())
    expect(metadata).not.toHaveProperty('managedFields')
  })

  it('keeps no managedFields without accepted managers', () => {
    const { metadata } = trim(configMap('a', { version: 1, managedFields: [entry({})] }), {
      ...options(),
      keepsFieldsOf: undefined,
    })
    expect(metadata).not.toHaveProperty('managedFields')
  })

  it('shares equal field sets between objects', () => {
    const shared = options()
    const [left, right] = ['a', 'b'].map(
      (name) =>
        trim(configMap(name, { version: 1, managedFields: [entry({})] }), shared).metadata.managedFields?.[0]?.fieldsV1,
    )
    const other = entry({ fieldsV1: { 'f:data': {} } })
    const third = trim(configMap('c', { version: 1, managedFields: [other] }), shared).metadata.managedFields?.[0]
      ?.fieldsV1
    expect(left).toBeDefined()
    expect(left).toBe(right)
    expect(left).not.toBe(third)
  })

  it("drops kubectl's copy of the object, and nothing else of the annotations", () => {
    const annotated = configMap('a', { version: 1, annotations: { [lastApplied]: '{}', kept: 'yes' } })
    expect(trim(annotated, options()).metadata.annotations).toEqual({ kept: 'yes' })
    const only = configMap('a', { version: 1, annotations: { [lastApplied]: '{}' } })
    expect(trim(only, options()).metadata).not.toHaveProperty('annotations')
  })

  it('keeps everything else, unknown fields included, and changes nothing in place', () => {
    const object = {
      ...configMap('a', { version: 1, data: { key: 'value' }, finalizers: ['f'] }),
      unknown: { deep: [1] },
    }
    const before = structuredClone(object)
    expect(trim(object, options())).toEqual(object)
    expect(object).toEqual(before)
  })
})

describe('FieldSetPool', () => {
  it('deeply freezes shared sets', () => {
    const set = new FieldSetPool().intern({ 'f:spec': { 'f:replicas': {} } })
    expect(Object.isFrozen(set)).toBe(true)
    expect(Object.isFrozen(set['f:spec'])).toBe(true)
  })

  it('drops the least recently used set when it is full', () => {
    const pool = new FieldSetPool(2)
    const set = (name: string) => pool.intern({ [name]: {} })
    const [a, b] = [set('a'), set('b')]
    expect(set('a')).toBe(a)
    set('c')
    expect(pool.size).toBe(2)
    expect(set('a')).toBe(a)
    expect(set('b')).not.toBe(b)
  })
})
