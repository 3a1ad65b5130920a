import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsToHandOver, repairedManagedFields } from '../../src/apply/field-ownership.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { declaredFields } from '../../src/diff/declared-fields.ts'
import { renderPath } from '../../src/diff/field-path.ts'
import { fieldSetOf } from '../../src/diff/field-set.ts'
import { asJson, type KubeObject, type LiveObject, type ManagedFieldsEntry } from '../../src/object/object.ts'
import type { DesiredObject } from '../../src/synth/desired.ts'
import { parseFieldSelector } from '../../src/synth/field-selector.ts'
import { live } from '../objects.ts'

const manager = 'shop/sites.example.dev'
const entry = (name: string, fieldsV1: JsonObject, operation: 'Apply' | 'Update' = 'Update'): ManagedFieldsEntry => ({
  manager: name,
  operation,
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
})
const seed = {
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:metadata': { 'f:labels': { 'f:konverge.dev/owned-by': {} } } },
}

function desired(fields: JsonObject, policies: Partial<DesiredObject['policies']> = {}): DesiredObject {
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...fields }
  const none = {
    shared: [],
    initialOnly: [],
    recreateOnChange: undefined,
    contribute: false,
    isSelf: false,
    coOwn: false,
    hold: undefined,
    readyWhen: [],
  }
  const all = { ...none, retain: false, ...policies }
  return { object, lasting: object, wave: 0, dependsOn: [], policies: all, constructPath: 'a' }
}
const recorded = (managedFields: readonly ManagedFieldsEntry[], fields: JsonObject = {}): LiveObject =>
  live({ metadata: { managedFields }, ...fields })

describe('an object that we have never applied', () => {
  it.each([
    {
      title: 'loses exactly what we declare to us',
      declared: { data: { a: '1' } },
      fields: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } },
      left: { 'f:data': { 'f:b': {} } },
    },
    {
      title: 'keeps a record of which we declare nothing',
      declared: { data: { a: '1' } },
      fields: { 'f:data': { 'f:b': {} } },
      left: { 'f:data': { 'f:b': {} } },
    },
    {
      title: 'loses a record that is all ours',
      declared: { data: { a: '1' } },
      fields: { 'f:data': { '.': {}, 'f:a': {} } },
    },
    {
      title: 'tells list items apart by their keys, also where a key is left to its default',
      declared: {
        list: [
          { port: 53, name: 'dns' },
          { port: 80, protocol: 'TCP' },
        ],
      },
      fields: {
        'f:list': {
          'k:{"port":53,"protocol":"UDP"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:theirs': {} },
          'k:{"port":81,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
        },
      },
      left: {
        'f:list': {
          'k:{"port":53,"protocol":"UDP"}': { 'f:theirs': {} },
          'k:{"port":81,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
        },
      },
    },
    {
      title: 'tells members of a set apart',
      declared: { metadata: { name: 'a', finalizers: ['ours'] } },
      fields: { 'f:metadata': { 'f:finalizers': { 'v:"ours"': {}, 'v:"theirs"': {} } } },
      left: { 'f:metadata': { 'f:finalizers': { 'v:"theirs"': {} } } },
    },
    {
      title: 'takes null for not declared',
      declared: { data: { a: null } },
      fields: { 'f:data': { 'f:a': {} } },
      left: { 'f:data': { 'f:a': {} } },
    },
  ])('$title', ({ declared, fields, left }) => {
    const repaired = repairedManagedFields(desired(declared), recorded([entry('kubectl', fields)]), manager)
    expect(repaired).toEqual([...(left === undefined ? [] : [entry('kubectl', left)]), seed])
  })

  it('gets a new entry if it has none', () => {
    expect(repairedManagedFields(desired({}), recorded([]), manager)).toEqual([seed])
  })

  it('stays unchanged if the manager only contributes to it', () => {
    const contributed = desired({ data: { a: '1' } }, { contribute: true })
    expect(
      repairedManagedFields(contributed, recorded([entry('maker', { 'f:data': { 'f:a': {} } })]), manager),
    ).toBeUndefined()
  })
})

describe('an object that the manager has applied', () => {
  const ours = (fieldsV1: JsonObject) => entry(manager, fieldsV1, 'Apply')
  const spec = { replicas: 3, containers: [{ name: 'app', image: 'a', cpu: '1' }] }
  const record = {
    'f:spec': { 'f:replicas': {}, 'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:image': {}, 'f:cpu': {} } } },
  }

  it('needs nothing if no field is to be handed over, whoever else has an entry', () => {
    const all = recorded([entry('other', record, 'Apply'), ours(record)], { spec })
    expect(repairedManagedFields(desired({ spec }), all, manager)).toBeUndefined()
  })

  it.each([
    ['shared', 'spec.replicas', ['spec.replicas']],
    ['initialOnly', 'spec.replicas', ['spec.replicas']],
    ['shared', 'spec.containers[name=app].cpu', ['spec.containers[name="app"].cpu']],
    ['shared', 'spec.containers[image=a].cpu', ['spec.containers[name="app"].cpu']],
    ['shared', 'spec.containers[*].cpu', ['spec.containers[name="app"].cpu']],
    ['shared', 'spec.containers[name=side].cpu', []],
    ['shared', 'spec.none', []],
  ] as const)('hands over a field that is %s: %s', (policy, path, expected) => {
    const policies = { [policy]: [parseFieldSelector(path)] }
    const handedOver = fieldsToHandOver(desired({ spec: {} }, policies), recorded([ours(record)], { spec }), manager)
    expect(handedOver.paths().map(renderPath)).toEqual(expected)
  })

  it('loses only that field from its entry, and other entries stay', () => {
    const other = entry('other', { 'f:spec': { 'f:replicas': {} } }, 'Apply')
    const item = desired({ spec: { containers: spec.containers } }, { shared: [parseFieldSelector('spec.replicas')] })
    expect(repairedManagedFields(item, recorded([other, ours(record)], { spec }), manager)).toEqual([
      other,
      ours({ 'f:spec': { 'f:containers': record['f:spec']['f:containers'] } }),
    ])
  })

  it('hands over a field that it no longer contributes', () => {
    const contributed = desired({ spec: { replicas: 3 } }, { contribute: true })
    const handedOver = fieldsToHandOver(contributed, recorded([ours(record)], { spec }), manager)
    expect(
      handedOver.has([
        { kind: 'field', name: 'spec' },
        { kind: 'field', name: 'replicas' },
      ]),
    ).toBe(false)
    expect(handedOver.paths().map(renderPath)).toContain('spec.containers[name="app"].image')
  })
})

describe('an object that an earlier version applied', () => {
  const record = { 'f:data': { 'f:a': {}, 'f:dropped': {} } }
  const earlier = entry('konverge', record, 'Apply')
  const other = entry('other', { 'f:data': { 'f:a': {} } }, 'Apply')
  const owned = (managedFields: readonly ManagedFieldsEntry[]): LiveObject =>
    live({ metadata: { managedFields, labels: { 'konverge.dev/owned-by': 'sites.example.dev' } } })
  const item = desired({ data: { a: '1' } })
  const contributed = desired({ data: { a: '1' } }, { contribute: true })

  it('gets the entry under the new name, dropped fields included, and no other entry changes', () => {
    expect(repairedManagedFields(item, owned([other, earlier]), manager)).toEqual([
      other,
      entry(manager, record, 'Apply'),
    ])
  })

  it('has one entry if the manager applied it too', () => {
    const ours = entry(manager, { 'f:data': { 'f:b': {} } }, 'Apply')
    expect(repairedManagedFields(item, owned([earlier, ours]), manager)).toEqual([
      entry(manager, { 'f:data': { 'f:b': {}, 'f:a': {}, 'f:dropped': {} } }, 'Apply'),
    ])
  })

  it('loses shared fields from the entry', () => {
    const shared = desired({ data: { a: '1' } }, { shared: [parseFieldSelector('data.dropped')] })
    const found = { ...owned([earlier]), data: { a: '1', dropped: '1' } }
    expect(repairedManagedFields(shared, found, manager)).toEqual([
      entry(manager, { 'f:data': { 'f:a': {} } }, 'Apply'),
    ])
  })

  it('keeps the rest of the entry for its owner if the manager contributes', () => {
    expect(repairedManagedFields(contributed, owned([earlier]), manager)).toEqual([
      entry('konverge', { 'f:data': { 'f:dropped': {} } }, 'Apply'),
    ])
    const theirs = entry('konverge', { 'f:data': { 'f:dropped': {} } }, 'Apply')
    expect(repairedManagedFields(contributed, owned([theirs]), manager)).toBeUndefined()
  })

  it('loses the entry if the manager contributes and no controller owns it', () => {
    expect(repairedManagedFields(contributed, recorded([earlier, other]), manager)).toEqual([other])
  })
})

describe('declared fields', () => {
  const scalar = fc.oneof(fc.integer(), fc.string(), fc.boolean())
  const tree: fc.Memo<JsonObject> = fc.memo((depth) =>
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), depth <= 1 ? scalar : fc.oneof(scalar, tree(depth - 1))),
  )
  const fieldsOf = (value: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        `f:${name}`,
        typeof inner === 'object' && inner !== null ? { '.': {}, ...fieldsOf(inner as JsonObject) } : {},
      ]),
    )

  it('are all of an object’s own entry, and split any entry in two', () => {
    fc.assert(
      fc.property(tree(3), tree(3), (mine, theirs) => {
        const own = fieldSetOf(fieldsOf(mine))
        expect(declaredFields(own, mine).equals(own)).toBe(true)
        const record = fieldSetOf(fieldsOf(theirs))
        const taken = declaredFields(record, mine)
        const left = record.difference(taken)
        expect(taken.union(left).equals(record)).toBe(true)
        expect(taken.intersection(left).isEmpty).toBe(true)
        // Removing them once is enough.
        expect(declaredFields(left, mine).paths()).toEqual([])
      }),
    )
  })

  it('do not depend on other fields of the object', () => {
    const declared = asJson(desired({ data: { a: '1' } }).object)
    expect(declaredFields(fieldSetOf({ 'f:status': { 'f:phase': {} } }), declared).isEmpty).toBe(true)
  })
})
