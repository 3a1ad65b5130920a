import { expect, it } from 'vitest'
import { withoutFields } from '../../src/apply/without-fields.ts'

const containers = [
  { name: 'a', image: 'x', port: 1 },
  { name: 'b', image: 'x', port: 1 },
]
const object = {
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { 'a.b/c': 'd', 'a.b': 'e' } } },
  spec: { containers, items: [{ x: 1 }, { x: 1 }], matrix: [[{ x: 1 }]], deep: { x: 1, y: 2 } },
}

it.each([
  ['spec.deep.x', { spec: { ...object.spec, deep: { y: 2 } } }],
  [
    'spec.containers[name="b"].port',
    { spec: { ...object.spec, containers: [containers[0], { name: 'b', image: 'x' }] } },
  ],
  [
    'spec.containers[name="b",protocol="TCP"].port',
    { spec: { ...object.spec, containers: [containers[0], { name: 'b', image: 'x' }] } },
  ],
  ['spec.items[1].x', { spec: { ...object.spec, items: [{ x: 1 }, {}] } }],
  ['spec.matrix[0][0].x', { spec: { ...object.spec, matrix: [[{}]] } }],
  ['metadata.labels.a.b/c', { metadata: { name: 'p', labels: { 'a.b': 'e' } } }],
  ['spec', { spec: undefined }],
  ['spec.other.x', {}],
  ['spec.items[7].x', {}],
])('leaves %s out', (path, over) => {
  expect(withoutFields(object, [path])).toEqual({ ...object, ...over })
})
