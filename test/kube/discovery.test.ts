import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import {
  discoveryPath,
  findKind,
  findResource,
  parseAggregated,
  parseGroupList,
  parseResourceList,
  type ResourceIndex,
  rememberUnknown,
} from '../../src/kube/discovery.ts'
import { ConfigMap, Deployment, Namespace } from '../../src/object/built-in.ts'
import { defineResource } from '../../src/object/resource.ts'

const store = (version: string) =>
  defineResource({
    group: 'data.konverge.dev',
    version,
    kind: 'ReplicatedKVStore',
    plural: 'replicatedkvstores',
    scope: 'Namespaced',
  })

const document: JsonObject = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items: [
    {
      metadata: { name: 'apps' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'deployments',
              responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
              scope: 'Namespaced',
              subresources: [{ subresource: 'status' }],
            },
            { resource: 'only-subresources', scope: 'Namespaced', subresources: [{ subresource: 'x' }] },
          ],
        },
      ],
    },
    { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] },
  ],
}

describe('parseAggregated', () => {
  it('reads resources, and marks as unknown what the aggregator could not read', () => {
    expect(parseAggregated(document)).toEqual([
      { apiVersion: 'apps/v1', state: 'served', resources: [Deployment] },
      { apiVersion: 'metrics.k8s.io/v1beta1', state: 'unknown', resources: [] },
    ])
  })

  it('reads the core group, which has no name', () => {
    const resources = [{ resource: 'namespaces', responseKind: { kind: 'Namespace' }, scope: 'Cluster' }]
    const core = { kind: 'APIGroupDiscoveryList', items: [{ metadata: {}, versions: [{ version: 'v1', resources }] }] }
    expect(parseAggregated(core)).toEqual([{ apiVersion: 'v1', state: 'served', resources: [Namespace] }])
  })

  it.each([{ kind: 'APIGroupList', groups: [] }, { kind: 'Status' }, {}])('leaves %j to the older form', (other) => {
    expect(parseAggregated(other)).toBeUndefined()
  })
})

describe('the older form', () => {
  it('puts the preferred version of a group first', () => {
    const groups = [
      {
        name: 'a',
        versions: [{ groupVersion: 'a/v1beta1' }, { groupVersion: 'a/v1' }],
        preferredVersion: { groupVersion: 'a/v1' },
      },
      { name: 'b', versions: [{ groupVersion: 'b/v2' }] },
    ]
    expect(parseGroupList({ kind: 'APIGroupList', groups })).toEqual(['a/v1', 'a/v1beta1', 'b/v2'])
    expect(parseGroupList({ kind: 'APIVersions', versions: ['v1'] })).toEqual(['v1'])
    expect(['a/v1', 'v1'].map(discoveryPath)).toEqual(['/apis/a/v1', '/api/v1'])
  })

  it('reads resources without their subresources', () => {
    const resources = [
      { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
      { name: 'namespaces', kind: 'Namespace', namespaced: false },
      { name: 'namespaces/status', kind: 'Namespace', namespaced: false },
    ]
    expect(parseResourceList('v1', { resources })).toEqual([ConfigMap, Namespace])
  })
})

describe('findKind', () => {
  const index: ResourceIndex = [
    { apiVersion: 'v1', state: 'served', resources: [ConfigMap, Namespace] },
    { apiVersion: 'data.konverge.dev/v1', state: 'served', resources: [store('v1')] },
    { apiVersion: 'data.konverge.dev/v1alpha1', state: 'served', resources: [store('v1alpha1')] },
    { apiVersion: 'apps/v1', state: 'unknown', resources: [Deployment] },
    { apiVersion: 'metrics.k8s.io/v1beta1', state: 'unknown', resources: [] },
  ]
  const served = (resource: object) => ({ kind: 'served', resource })
  it.each([
    ['a core kind', { group: '', kind: 'ConfigMap' }, served(ConfigMap)],
    ['the preferred version', { group: 'data.konverge.dev', kind: 'ReplicatedKVStore' }, served(store('v1'))],
    [
      'the version asked for',
      { group: 'data.konverge.dev', kind: 'ReplicatedKVStore', version: 'v1alpha1' },
      served(store('v1alpha1')),
    ],
    ['what is remembered of a stale version', { group: 'apps', kind: 'Deployment' }, served(Deployment)],
    ['a kind that is not there', { group: '', kind: 'Deployment' }, { kind: 'absent' }],
    ['a group that is not there', { group: 'acme', kind: 'ConfigMap' }, { kind: 'absent' }],
    ['a version that is not there', { group: '', kind: 'ConfigMap', version: 'v2' }, { kind: 'absent' }],
    [
      'a kind that a stale version may hold',
      { group: 'metrics.k8s.io', kind: 'PodMetrics' },
      { kind: 'unknown', apiVersion: 'metrics.k8s.io/v1beta1' },
    ],
  ])('finds %s', (_what, query, finding) => {
    expect(findKind(index, query)).toEqual(finding)
  })

  it.each([
    ['a served one', store('v1alpha1'), served(store('v1alpha1'))],
    ['one of a version that is gone', store('v2'), { kind: 'absent' }],
    ['one with another plural', { ...ConfigMap, plural: 'maps' }, { kind: 'absent' }],
    ['a remembered one', Deployment, served(Deployment)],
    [
      'one of a stale version of which nothing is known',
      defineResource({ group: 'metrics.k8s.io', version: 'v1beta1', kind: 'X', plural: 'x', scope: 'Cluster' }),
      { kind: 'unknown', apiVersion: 'metrics.k8s.io/v1beta1' },
    ],
  ])('reports for %s whether it is served', (_what, resource, finding) => {
    expect(findResource(index, resource)).toEqual(finding)
  })
})

describe('rememberUnknown', () => {
  it('keeps the known resources of versions that cannot be read now, and drops removed ones', () => {
    const previous: ResourceIndex = [
      { apiVersion: 'apps/v1', state: 'served', resources: [Deployment] },
      { apiVersion: 'gone/v1', state: 'served', resources: [ConfigMap] },
      { apiVersion: 'v1', state: 'served', resources: [ConfigMap, Namespace] },
    ]
    const latest: ResourceIndex = [
      { apiVersion: 'v1', state: 'served', resources: [ConfigMap] },
      { apiVersion: 'apps/v1', state: 'unknown', resources: [] },
      { apiVersion: 'new/v1', state: 'unknown', resources: [] },
    ]
    expect(rememberUnknown(previous, latest)).toEqual([
      { apiVersion: 'v1', state: 'served', resources: [ConfigMap] },
      { apiVersion: 'apps/v1', state: 'unknown', resources: [Deployment] },
      { apiVersion: 'new/v1', state: 'unknown', resources: [] },
    ])
  })
})
