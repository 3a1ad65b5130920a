import { describe, expect, it } from 'vitest'
import { Deployment, defineController, defineResource } from '../../src/index.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keepOfChild } from '../../src/reconcile/kept-child.ts'

const Run = defineResource({
  ...{ group: 'example.com', version: 'v1', kind: 'Run', plural: 'runs', scope: 'Namespaced' as const },
})
const run = (status: unknown, managedFields: NonNullable<LiveObject['metadata']['managedFields']> = []) =>
  ({
    apiVersion: 'example.com/v1',
    kind: 'Run',
    metadata: { namespace: 'default', name: 'a', uid: 'u', resourceVersion: '1', managedFields },
    spec: { nodes: ['spec stays'] },
    status,
  }) as LiveObject

describe('the cached part of a child', () => {
  const keep = keepOfChild({ resource: Run, dropStatus: ['nodes', 'none'] })

  it('is the whole child without dropStatus', () => {
    expect(keepOfChild({ resource: Run })).toBeUndefined()
    expect(keepOfChild({ resource: Deployment, dropStatus: [] })).toBeUndefined()
  })

  it('lacks only the named fields of the status', () => {
    const object = run({ nodes: { a: 1 }, phase: 'Running', conditions: [] })
    expect(keep?.(object)).toEqual({ ...object, status: { phase: 'Running', conditions: [] } })
  })

  it.each([
    ['no status', undefined],
    ['a status that is no object', 'text'],
  ])('is the whole child with %s', (_, status) => {
    const object = run(status)
    expect(keep?.(object)).toBe(object)
  })

  it('contains a status that the operator declares, because it is compared', () => {
    const entry = { manager: 'shop/runs', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' } as const
    const declared = run({ nodes: 1 }, [{ ...entry, fieldsV1: { 'f:status': { 'f:nodes': {} } } }])
    expect(keep?.(declared)).toBe(declared)
    const reported = [{ ...entry, subresource: 'status', fieldsV1: { 'f:status': { 'f:nodes': {} } } }]
    expect(keep?.(run({ nodes: 1 }, reported))?.status).toEqual({})
  })

  it.each([
    [{ resource: Deployment, dropStatus: ['conditions'] }, /Deployment is a built-in kind/],
    [{ resource: Run, dropStatus: ['nodes', 'observedGeneration'] }, /names observedGeneration, which readiness reads/],
  ])('is rejected for %j', (owned, message) => {
    expect(() => defineController(Run, { owns: [owned], desired: () => {} })).toThrow(message)
  })
})
