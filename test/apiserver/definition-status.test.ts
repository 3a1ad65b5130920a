import { describe, expect, it } from 'vitest'
import { nextDefinitionStatus } from '../../src/apiserver/custom/definition-status.ts'
import { isJsonList, isJsonObject, type JsonObject } from '../../src/base/json.ts'

const first = '2020-01-01T00:00:00Z'
const later = '2020-01-01T00:01:00Z'
const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }

function definition(own: JsonObject, status: JsonObject = {}, group = 'example.com'): JsonObject {
  return { metadata: { name: `${String(own['plural'])}.${group}` }, spec: { group, names: own }, status }
}

function conditions(status: JsonObject): string[] {
  const list = status['conditions']
  return isJsonList(list)
    ? list.filter(isJsonObject).map((one) => `${one['type']}=${one['status']} ${one['reason']}: ${one['message']}`)
    : []
}

describe('nextDefinitionStatus', () => {
  it('accepts unused names, and establishes the CRD', () => {
    const status = nextDefinitionStatus(definition(names), [], first)
    expect(status['acceptedNames']).toEqual(names)
    expect(conditions(status)).toEqual([
      'NamesAccepted=True NoConflicts: no conflicts found',
      'Established=True InitialNamesAccepted: the initial names have been accepted',
    ])
  })

  it('returns the same status when called again', () => {
    const status = nextDefinitionStatus(definition(names), [], first)
    expect(nextDefinitionStatus(definition(names, status), [], later)).toBe(status)
  })

  it('rejects a name that another CRD of the group has, and accepts the others', () => {
    const other = definition(names, { acceptedNames: names })
    const own = {
      plural: 'gadgets',
      singular: 'gadget',
      kind: 'Widget',
      listKind: 'GadgetList',
      shortNames: ['widget', 'g'],
    }
    const status = nextDefinitionStatus(definition(own), [other], first)
    expect(status['acceptedNames']).toEqual({ plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' })
    expect(conditions(status)).toEqual([
      'NamesAccepted=False KindConflict: "Widget" is already in use',
      'Established=False NotAccepted: not all names are accepted',
    ])
  })

  it('reports a conflict of short names, and allows the same names in other groups', () => {
    const other = definition(names, { acceptedNames: { ...names, shortNames: ['g', 'h'] } })
    const own = {
      plural: 'gadgets',
      singular: 'gadget',
      kind: 'Gadget',
      listKind: 'GadgetList',
      shortNames: ['g', 'h'],
    }
    expect(conditions(nextDefinitionStatus(definition(own), [other], first))[0]).toBe(
      'NamesAccepted=False ShortNamesConflict: ["g" is already in use, "h" is already in use]',
    )
    const elsewhere = nextDefinitionStatus(definition(own, {}, 'example.org'), [other], first)
    expect(conditions(elsewhere)[0]).toContain('NamesAccepted=True')
  })

  it('establishes the CRD once the other has released its names, and updates transition times', () => {
    const other = definition(names, { acceptedNames: names })
    const own = { ...names, plural: 'gadgets', singular: 'gadget' }
    const blocked = nextDefinitionStatus(definition(own), [other], first)
    const free = nextDefinitionStatus(definition(own, blocked), [], later)
    expect(free['conditions']).toMatchObject([
      { type: 'NamesAccepted', status: 'True', lastTransitionTime: later },
      { type: 'Established', status: 'True', lastTransitionTime: later },
    ])
  })

  it('reports the API approval of a CRD in a community group', () => {
    const status = nextDefinitionStatus(definition(names, {}, 'x.k8s.io'), [], first)
    expect(conditions(status)[0]).toContain('KubernetesAPIApprovalPolicyConformant=False MissingAnnotation')
  })
})
