// Comparison of two namespaces: it ignores values that differ between runs, and nothing else.
import { expect, it } from 'vitest'
import { applySetId } from '../../src/synth/membership.ts'
import { type AnyObject, endStateOf } from './end-state.ts'

/** Returns a store and its StatefulSet as a run leaves them. */
function objectsOf(namespace: string, run: number, over: object = {}): readonly AnyObject[] {
  const id = (index: number) => `0000000${run}-0000-0000-0000-00000000000${index}`
  const parent = {
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'ReplicatedKVStore',
    metadata: { name: 'cart', namespace },
  }
  return [
    { ...parent, metadata: { ...parent.metadata, uid: id(1), resourceVersion: `${run}1` } },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: {
        name: 'cart',
        namespace,
        uid: id(2),
        resourceVersion: `${run}2`,
        creationTimestamp: `2026-01-0${run}T00:00:00Z`,
        generation: 1,
        labels: { 'applyset.kubernetes.io/part-of': applySetId(parent) },
        ownerReferences: [{ kind: 'ReplicatedKVStore', name: 'cart', uid: id(1) }],
        managedFields: [
          { manager: run === 1 ? 'konverge' : 'konverge-status', time: '2026-01-01T00:00:00Z' },
          { manager: run === 1 ? 'konverge-status' : 'konverge', time: '2026-01-02T00:00:00Z' },
          { manager: `controller-${run}`, time: '2026-01-02T00:00:00Z' },
        ],
      },
      spec: { replicas: 2, clusterIP: `10.96.0.${run}` },
      ...over,
    },
    {
      apiVersion: 'v1',
      kind: 'EndpointSlice',
      metadata: { name: `cart-5242${run}`, generateName: 'cart-', namespace, uid: id(3), resourceVersion: `${run}3` },
    },
  ]
}

const first = endStateOf('shop-1', objectsOf('shop-1', 1))

it('is equal for two runs', () => {
  expect(endStateOf('shop-2', objectsOf('shop-2', 2))).toEqual(first)
  expect(Object.keys(first)).toEqual(['EndpointSlice cart-…', 'ReplicatedKVStore cart', 'StatefulSet cart'])
})

it.each([
  ['a spec', { spec: { replicas: 3, clusterIP: '10.96.0.2' } }],
  ['a status', { status: {} }],
  ['a label', { metadata: { ...objectsOf('shop-2', 2)[1]?.metadata, labels: {} } }],
  ['a generation', { metadata: { ...objectsOf('shop-2', 2)[1]?.metadata, generation: 2 } }],
  ['an owner', { metadata: { ...objectsOf('shop-2', 2)[1]?.metadata, ownerReferences: [] } }],
  ['what we own', { metadata: { ...objectsOf('shop-2', 2)[1]?.metadata, managedFields: [] } }],
])('differs by %s', (_, over) => {
  expect(endStateOf('shop-2', objectsOf('shop-2', 2, over))).not.toEqual(first)
})
