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
  it('sets defaults for names, conversion and stored versions', () => {
    const { spec, status } = definition()
    expect(spec).toMatchObject({
      names: { singular: 'widget', listKind: 'WidgetList' },
      conversion: { strategy: 'None' },
    })
    expect(status).toEqual({ storedVersions: ['v1'] })
  })

  it('accepts a simple CRD and counts its generations', () => {
    const created = definitionRules.prepareForCreate(definition(), context)
    expect(created['metadata']).toMatchObject({ generation: 1 })
    expect(definitionRules.validateCreate(created)).toEqual([])
    const changed = definitionRules.prepareForUpdate(definition({ scope: 'Cluster' }), created, context)
    expect(changed['metadata']).toMatchObject({ generation: 2 })
  })

  it('records each version in which objects were stored', () => {
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

  it('reports that conversion webhooks are not supported', () => {
    const unserved = definition({ conversion: { strategy: 'Webhook' } })
    expect(() => definitionRules.validateCreate(unserved)).toThrow(StatusError)
    expect(() => definitionRules.validateCreate(unserved)).toThrow(/is not served by this API server/)
  })

  it('rejects a rule that does not compile', () => {
    const rules = (rule: string): JsonObject => ({ type: 'object', 'x-kubernetes-validations': [{ rule }] })
    const errorsOf = (rule: string) =>
      definitionRules.validateCreate(definitionRules.prepareForCreate(definition({}, rules(rule)), context))
    expect(errorsOf('true')).toEqual([])
    expect(errorsOf('self.nothing')).toMatchObject([
      { field: 'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule' },
    ])
  })

  it('warns of unknown formats', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', format: 'odd' } } }
    expect(definitionRules.warningsOnCreate(definition({}, schema))).toEqual(['unrecognized format "odd"'])
    expect(definitionRules.warningsOnUpdate(definition({}, schema), definition({}, schema))).toEqual([])
  })

  it('keeps a terminating CRD until its objects are deleted', () => {
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
