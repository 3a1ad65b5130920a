import { ApiObject, type Chart } from 'cdk8s'
import * as kplus from 'cdk8s-plus-27'
import { Construct } from 'constructs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/base/json.ts'
import { initialOnly, recreateOnChange, retain, shared } from '../../src/synth/field-policies.ts'
import { applySetId } from '../../src/synth/membership.ts'
import { overlay } from '../../src/synth/overlay.ts'
import { synthesize } from '../../src/synth/synth.ts'
import { clusterParent, deepFreeze, inputOf, namesOf, object, parent, synth } from './fixture.ts'

describe('synthesize', () => {
  it('stamps labels, apply order, namespace and owner on a child', () => {
    const [only] = synth((chart) => object(chart, 'settings', { data: { a: '1' } })).objects
    expect(only).toEqual({
      lasting: only?.object,
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'settings',
          namespace: 'team',
          labels: {
            'applyset.kubernetes.io/part-of': applySetId(parent),
            'konverge.dev/managed-by': 'konverge',
            'konverge.dev/owned-by': 'replicatedkvstores.data.konverge.dev',
          },
          annotations: { 'konverge.dev/apply-order': '0' },
          ownerReferences: [
            {
              apiVersion: 'data.konverge.dev/v1alpha1',
              kind: 'ReplicatedKVStore',
              name: 'store',
              uid: 'uid-1',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        data: { a: '1' },
      },
      wave: 0,
      dependsOn: [],
      policies: {
        shared: [],
        initialOnly: [],
        recreateOnChange: undefined,
        contribute: false,
        isSelf: false,
        coOwn: false,
        hold: undefined,
        readyWhen: [],
        retain: false,
      },
      constructPath: 'settings',
    })
  })

  it('returns an empty set for no constructs', () => {
    expect(synth(() => {}).objects).toEqual([])
  })

  it('freezes its whole result', () => {
    const set = synth((chart) => {
      const first = object(chart, 'a', { data: { list: '1' } })
      object(chart, 'b').addDependency(first)
    })
    const isDeeplyFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen))
    expect(set.objects.every(({ object: made, dependsOn }) => isDeeplyFrozen(made) && isDeeplyFrozen(dependsOn))).toBe(
      true,
    )
    expect(Object.isFrozen(set.objects)).toBe(true)
  })

  it('keeps declared labels except those of the runtime', () => {
    const labels = { app: 'kv', 'konverge.dev/owned-by': 'someone-else', 'konverge.dev/managed-by': 'another' }
    const [only] = synth((chart) => object(chart, 'a', { metadata: { name: 'a', labels } })).objects
    expect(only?.object.metadata.labels).toMatchObject({
      app: 'kv',
      'konverge.dev/managed-by': 'konverge',
      'konverge.dev/owned-by': 'replicatedkvstores.data.konverge.dev',
    })
  })

  it('leaves the labels of pod templates unchanged', () => {
    const template = { metadata: { labels: { app: 'kv' } } }
    const [only] = synth((chart) =>
      object(chart, 'a', { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template } }),
    ).objects
    expect(only?.object.spec).toEqual({ template })
  })

  describe('namespace and owner', () => {
    it.each([
      { child: 'in its own namespace', kind: 'Service', namespace: undefined, stamped: 'team', owned: true },
      { child: 'in another namespace', kind: 'Service', namespace: 'other', stamped: 'other', owned: false },
      {
        child: 'of a cluster-scoped kind',
        kind: 'ClusterRole',
        namespace: undefined,
        stamped: undefined,
        owned: false,
      },
    ])('are set for a namespaced parent’s child $child', ({ kind, namespace, stamped, owned }) => {
      const [only] = synth((chart) => object(chart, 'a', { kind, metadata: { name: 'a', namespace } })).objects
      expect(only?.object.metadata.namespace).toBe(stamped)
      expect(only?.object.metadata.ownerReferences !== undefined).toBe(owned)
    })

    it.each([
      { child: 'in a namespace', kind: 'Service', namespace: 'other', stamped: 'other' },
      { child: 'of a cluster-scoped kind', kind: 'ClusterRole', namespace: undefined, stamped: undefined },
    ])('are set for a cluster-scoped parent’s child $child', ({ kind, namespace, stamped }) => {
      const build = (chart: Chart) => object(chart, 'a', { kind, metadata: { name: 'a', namespace } })
      const [only] = synth(build, { parent: clusterParent }).objects
      expect(only?.object.metadata.namespace).toBe(stamped)
      expect(only?.object.metadata.ownerReferences?.[0]?.uid).toBe('uid-2')
    })

    it('gives a retained object no owner, which would delete it, and marks it against pruning', () => {
      const [only] = synth((chart) => retain(object(chart, 'a'))).objects
      expect(only?.object.metadata.ownerReferences).toBeUndefined()
      expect(only?.object.metadata.annotations?.['konverge.dev/prune']).toBe('disabled')
    })

    it('lets constructs see the namespace', () => {
      let seen: string | undefined
      synth((chart) => {
        seen = chart.namespace
      })
      expect(seen).toBe('team')
    })
  })

  describe('names', () => {
    it('names an unnamed object after the parent and its kind, wherever the construct is', () => {
      const unnamed = (scope: Construct, id: string) => new ApiObject(scope, id, { apiVersion: 'v1', kind: 'Service' })
      const shallow = synth((chart) => unnamed(chart, 'svc'))
      const deep = synth((chart) => unnamed(new Construct(new Construct(chart, 'x'), 'y'), 'z'))
      expect(namesOf(shallow)).toEqual(['store-service'])
      expect(canonicalJson(deep.objects[0]?.object as never)).toBe(canonicalJson(shallow.objects[0]?.object as never))
      expect(deep.hash).toBe(shallow.hash)
    })

    it('gives resources of one name and different kinds different cdk8s-plus selectors', () => {
      const build = (chart: Chart) => new kplus.Deployment(chart, 'web', { containers: [{ image: 'i' }] })
      const selectorOf = (kind: string) => synth(build, { parent: { ...parent, kind } }).objects[0]?.object.spec
      expect(selectorOf('Database')).toHaveProperty('selector.matchLabels')
      expect(JSON.stringify(selectorOf('Database'))).not.toBe(JSON.stringify(selectorOf('Migration')))
    })
  })

  it('orders objects by wave, then by group kind, namespace and name, not by id', () => {
    const set = synth((chart) => {
      const last = object(chart, '1', { kind: 'Service', metadata: { name: 'last' } })
      object(chart, 'z', { kind: 'Secret', metadata: { name: 'b' } })
      object(chart, '2', { kind: 'ConfigMap', metadata: { name: 'z' } })
      object(chart, '10', { kind: 'ConfigMap', metadata: { name: 'a', namespace: 'zone' } })
      object(chart, 'a', { kind: 'Secret', metadata: { name: 'a' } })
      last.addDependency(chart.node.findChild('z'))
    })
    expect(namesOf(set)).toEqual(['z', 'a', 'a', 'b', 'last'])
    expect(set.objects.map(({ wave }) => wave)).toEqual([0, 0, 0, 0, 1])
    expect(set.objects[4]?.dependsOn).toEqual([{ on: [3], waitsForReady: false }])
    expect(set.objects[4]?.object.metadata.annotations?.['konverge.dev/apply-order']).toBe('1')
  })

  it('puts a namespace before its objects', () => {
    const set = synth(
      (chart) => {
        object(chart, 'a', { metadata: { name: 'a', namespace: 'acme' } })
        object(chart, 'ns', { kind: 'Namespace', metadata: { name: 'acme' } })
      },
      { parent: clusterParent },
    )
    expect(set.objects.map(({ object: made, wave }) => [made.kind, wave])).toEqual([
      ['Namespace', 0],
      ['ConfigMap', 1],
    ])
  })

  it('removes shared fields and carries the other policies', () => {
    const [only] = synth((chart) => {
      const scope = new Construct(chart, 'web')
      const made = object(scope, 'a', {
        kind: 'Deployment',
        apiVersion: 'apps/v1',
        spec: { replicas: 2, paused: true },
      })
      shared(scope, 'spec.replicas')
      initialOnly(made, 'spec.paused')
      recreateOnChange(made)
    }).objects
    expect(only?.object.spec).toEqual({ paused: true })
    expect(only?.policies).toMatchObject({
      shared: [{ text: 'spec.replicas' }],
      initialOnly: [{ text: 'spec.paused' }],
      recreateOnChange: 'delete',
      retain: false,
    })
  })

  it('applies overlays of the user of a construct last', () => {
    const [only] = synth((chart) => {
      const scope = new Construct(chart, 'web')
      const made = object(scope, 'Resource', { metadata: { name: 'web' }, data: { by: 'construct' } })
      overlay(scope, { type: 'merge', body: { data: { by: 'user', first: 'user' } } })
      overlay(scope, { type: 'json', body: [{ op: 'test', path: '/data/inner', value: 'yes' }] })
      overlay(made, { type: 'merge', body: { data: { by: 'author', inner: 'yes' } } })
    }).objects
    expect(only?.object['data']).toEqual({ by: 'user', first: 'user', inner: 'yes' })
  })

  it('accepts a namesake of the parent in another namespace', () => {
    const { apiVersion, kind } = parent
    const metadata = { name: 'store', namespace: 'other' }
    expect(namesOf(synth((chart) => object(chart, 'a', { apiVersion, kind, metadata })))).toEqual(['store'])
  })

  it('applies overlays to the wire JSON of generated constructs, where addJsonPatch loses fields', () => {
    const [only] = synth((chart) => {
      const service = new kplus.Service(chart, 'svc', { ports: [{ port: 80 }], metadata: { name: 'svc' } })
      overlay(service, { type: 'merge', body: { spec: { trafficDistribution: 'PreferClose' } } })
    }).objects
    expect(only?.object.spec).toMatchObject({ trafficDistribution: 'PreferClose', ports: [{ port: 80 }] })
  })

  it('never changes the parent and gives the same bytes again', () => {
    // cdk8s rejects or loses these keys.
    const isCarried = (value: unknown) => !/"(__proto__|constructor)":/.test(JSON.stringify(value))
    const value = fc.jsonValue({ depthSize: 'small' }).filter(isCarried)
    const spec = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), value, { maxKeys: 5, noNullPrototype: true })
    const specs = fc.array(spec, { maxLength: 6 })
    fc.assert(
      fc.property(specs, (contents) => {
        const frozen = deepFreeze({ ...parent, spec: { contents } })
        const build = (chart: Chart) => {
          for (const [index, content] of frozen.spec.contents.entries()) object(chart, `c${index}`, { spec: content })
        }
        const run = () => synthesize(inputOf(build, { parent: frozen as never }))
        expect(JSON.stringify(run())).toBe(JSON.stringify(run()))
      }),
    )
  })
})
