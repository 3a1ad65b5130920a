import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { describeChanges } from '../../src/diff/describe.ts'
import { objectChanges } from '../../src/diff/object-changes.ts'
import type { KubeObject } from '../../src/object/object.ts'

const object = (spec: Json, metadata: object = {}, status: Json = {}) =>
  ({ apiVersion: 'example.com/v1', kind: 'Site', metadata: { name: 'a', ...metadata }, spec, status }) as KubeObject
const lines = (before: KubeObject, after: KubeObject) =>
  describeChanges(after, objectChanges(before, after), { limit: 100 })

describe('the changes between two states of an object', () => {
  it.each<[string, Json, Json, readonly string[]]>([
    ['equal ones', { a: 1, list: [{ name: 'x' }] }, { list: [{ name: 'x' }], a: 1 }, []],
    ['a scalar', { a: 1 }, { a: 2 }, ['spec.a: 1 → 2']],
    ['a field more', { a: 1 }, { a: 1, b: { c: true } }, ['spec.b: added {"c":true}']],
    ['a field less', { a: 1, b: 2 }, { a: 1 }, ['spec.b: 2 → removed']],
    ['another type', { a: { b: 1 } }, { a: 'x' }, ['spec.a: {"b":1} → "x"']],
    [
      'named items',
      { list: [{ name: 'x', v: 1 }, { name: 'y' }] },
      { list: [{ name: 'z' }, { name: 'x', v: 2 }] },
      [
        'spec.list[name="z"]: added {"name":"z"}',
        'spec.list[name="x"].v: 1 → 2',
        'spec.list[name="y"]: {"name":"y"} → removed',
      ],
    ],
    [
      'the order of named items',
      { list: [{ name: 'x' }, { name: 'y' }] },
      { list: [{ name: 'y' }, { name: 'x' }] },
      ['spec.list: order ["x","y"] → ["y","x"]'],
    ],
    [
      'items without names',
      { list: [{ port: 1 }, { port: 2 }] },
      { list: [{ port: 1 }, { port: 3 }, { port: 4 }] },
      ['spec.list[1].port: 2 → 3', 'spec.list[2]: added {"port":4}'],
    ],
    [
      'items of one name',
      { list: [{ name: 'x' }, { name: 'x', v: 1 }] },
      { list: [{ name: 'x' }] },
      ['spec.list[1]: {"name":"x","v":1} → removed'],
    ],
    ['scalars in a list', { list: ['a', 'b'] }, { list: ['a'] }, ['spec.list: ["a","b"] → ["a"]']],
    [
      'a name that every object has',
      { constructor: 1 },
      { toString: 2 },
      ['spec.toString: added 2', 'spec.constructor: 1 → removed'],
    ],
  ])('name %s', (_, before, after, expected) => {
    expect(lines(object(before), object(after))).toEqual(expected)
  })

  it('omit bookkeeping of servers and appliers', () => {
    const before = object({}, { resourceVersion: '1', generation: 1, managedFields: [], uid: 'u' }, { ready: false })
    const annotations = { 'konverge.dev/applied-hash': 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
    const after = object({}, { resourceVersion: '2', generation: 2, annotations }, { ready: true })
    expect(objectChanges(before, after)).toEqual([])
    expect(lines(before, object({}, { annotations: { ...annotations, team: 'a' } }))).toEqual([
      'metadata.annotations: added {"team":"a"}',
    ])
  })

  it('show no value of a Secret', () => {
    const secret = (password: string) =>
      ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { password } }) as KubeObject
    expect(lines(secret('aHVudGVyMg=='), secret('c3dvcmRmaXNo'))).toEqual(['data.password: (secret) changed'])
  })
})
