import { describe, expect, it } from 'vitest'
import { definitionRules } from '../../src/apiserver/custom/definition-strategy.ts'
import { StatusError } from '../../src/apiserver/status-error.ts'
import type { JsonObject } from '../../src/base/json.ts'

const context = { timestamp: '2020-01-01T00:00:00Z' }

function definition(spec: JsonObject = {}, schema: JsonObject = { type: 'object' }): JsonObject {
  return definitionRules.setDefaults({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', resourceVersion: '1' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      ...spec,
    },
  })
}

describe('definitionRules', () => {
  it('fills in the names, the conversion and the stored versions', () => {
    const { spec, status } = definition()
    expect(spec).toMatchObject({
      names: { singular: 'widget', listKind: 'WidgetList' },
      conversion: { strategy: 'None' },
    })
    expect(status).toEqual({ storedVersions: ['v1'] })
  })

  it('takes a plain definition and counts its generations', () => {
    const created = definitionRules.prepareForCreate(definition(), context)
    expect(created['metadata']).toMatchObject({ generation: 1 })
    expect(definitionRules.validateCreate(created)).toEqual([])
    const changed = definitionRules.prepareForUpdate(definition({ scope: 'Cluster' }), created, context)
    expect(changed['metadata']).toMatchObject({ generation: 2 })
  })

  it('remembers each version in which objects were kept', () => {
    const created = definitionRules.prepareForCreate(definition(), context)
    const schema = { openAPIV3Schema: { type: 'object' } }
    const versions = [
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ]
    const changed = definitionRules.prepareForUpdate(definition({ versions }), created, context)
    expect(changed['status']).toEqual({ storedVersions: ['v1', 'v2'] })
    expect(definitionRules.validateUpdate(changed, created)).toEqual([])
  })

  it('says that it does not serve a conversion webhook', () => {
    const unserved = definition({ conversion: { strategy: 'Webhook' } })
    expect(() => definitionRules.validateCreate(unserved)).toThrow(StatusError)
    expect(() => definitionRules.validateCreate(unserved)).toThrow(/is not served by this API server/)
  })

  it('refuses a rule that cannot be compiled', () => {
    const rules = (rule: string): JsonObject => ({ type: 'object', 'x-kubernetes-validations': [{ rule }] })
    const errorsOf = (rule: string) =>
      definitionRules.validateCreate(definitionRules.prepareForCreate(definition({}, rules(rule)), context))
    expect(errorsOf('true')).toEqual([])
    expect(errorsOf('self.nothing')).toMatchObject([
      { field: 'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule' },
    ])
  })

  it('warns of formats that nobody checks', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', format: 'odd' } } }
    expect(definitionRules.warningsOnCreate(definition({}, schema))).toEqual(['unrecognized format "odd"'])
    expect(definitionRules.warningsOnUpdate(definition({}, schema), definition({}, schema))).toEqual([])
  })

  it('keeps a definition that is being deleted until its objects are gone', () => {
    const marked = definitionRules.markForDeletion?.(definition(), context)
    expect(marked?.['metadata']).toMatchObject({
      deletionTimestamp: context.timestamp,
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    })
    expect(marked?.['status']).toMatchObject({
      conditions: [{ type: 'Terminating', reason: 'InstanceDeletionPending' }],
    })
  })
})
