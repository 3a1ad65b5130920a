import { describe, expect, it } from 'vitest'
import { customResources } from '../../src/apiserver/custom/custom-strategy.ts'
import type { ServedResource } from '../../src/apiserver/strategy.ts'
import type { JsonObject } from '../../src/base/json.ts'

const version = (name: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  ...more,
})

const definition: JsonObject = {
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      version(
        'v1',
        { size: { type: 'integer', default: 1 } },
        { storage: true, selectableFields: [{ jsonPath: '.spec.size' }] },
      ),
      version('v1beta1', { size: { type: 'integer' }, color: { type: 'string', default: 'red' } }),
      version('v1alpha1', {}, { served: false }),
    ],
  },
}

function resourceOf(name: string): ServedResource {
  const found = customResources(definition).find(({ version }) => version === name)
  if (found === undefined) throw new Error(`${name} is not served`)
  return found
}

describe('customResources', () => {
  it('returns one resource for each served version, all with one storage key prefix', () => {
    const resources = customResources(definition)
    expect(resources.map(({ version, shelf, storageVersion }) => [version, shelf, storageVersion])).toEqual([
      ['v1', 'widgets.example.com', 'v1'],
      ['v1beta1', 'widgets.example.com', 'v1'],
    ])
  })

  it('stores an object in the storage version, by its schema, and serves it in each version', () => {
    const beta = resourceOf('v1beta1')
    const object = {
      apiVersion: 'example.com/v1beta1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { size: 2, color: 'blue' },
    }
    const stored = beta.toStored?.(object) ?? object
    expect(stored).toEqual({ ...object, apiVersion: 'example.com/v1', spec: { size: 2 } })
    expect(beta.fromStored?.(stored)).toEqual({ ...object, spec: { size: 2, color: 'red' } })
  })

  it('sets current defaults on objects stored earlier, and keeps the reference of others', () => {
    const { fromStored } = resourceOf('v1')
    const old = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: {} }
    expect(fromStored?.(old)).toEqual({ ...old, spec: { size: 1 } })
    const current = { ...old, spec: { size: 3 } }
    expect(fromStored?.(current)).toBe(current)
  })

  it('allows field selectors on the selectable fields of the version', () => {
    const { strategy } = resourceOf('v1')
    expect(strategy.selectableFields({ spec: { size: 5 } })).toEqual({ 'spec.size': '5' })
    expect(strategy.selectableFields({})).toEqual({ 'spec.size': '' })
  })

  it('completes the schema for server-side apply with the metadata of every object', () => {
    const { schema } = resourceOf('v1').strategy
    expect([...(schema?.properties.keys() ?? [])]).toEqual(['spec', 'apiVersion', 'kind', 'metadata'])
    expect(schema?.properties.get('metadata')?.properties.get('finalizers')?.listType).toBe('set')
  })
})
