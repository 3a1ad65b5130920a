import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Secret, Service, StatefulSet, StorageClass } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyFor } from '../../src/object/ref.ts'
import { defineResource } from '../../src/object/resource.ts'
import { type ChildKind, triggersOfChild, triggersOfParent, triggersOfWatched } from '../../src/reconcile/triggers.ts'
import { applySetId, partOfLabel, tokenAnnotation } from '../../src/synth/membership.ts'
import { childOf, live, store } from '../objects.ts'

const kind = defineResource({
  group: 'data.konverge.dev',
  version: 'v1alpha1',
  kind: 'ReplicatedKVStore',
  plural: 'replicatedkvstores',
  scope: 'Namespaced',
})
const updated = (previous: ReturnType<typeof live>, object: ReturnType<typeof live>) =>
  ({ kind: 'updated', previous, object, isInitial: false }) as const
const added = (object: ReturnType<typeof live>, isInitial = false) => ({ kind: 'added', object, isInitial }) as const

describe('an event of the parent', () => {
  const before = store({ metadata: { resourceVersion: '1' }, status: { replicas: 1 } })

  it.each([
    {
      title: 'its own status write wakes nobody',
      after: store({ metadata: { resourceVersion: '2' }, status: { replicas: 3 } }),
      keys: [],
    },
    {
      title: 'a new generation wakes it',
      after: store({ metadata: { resourceVersion: '2', generation: 2 } }),
      keys: ['default/store'],
    },
    {
      title: 'an annotation wakes it',
      after: store({ metadata: { resourceVersion: '2', annotations: { a: 'b' } } }),
      keys: ['default/store'],
    },
    {
      title: 'a lost finalizer wakes it',
      after: store({ metadata: { resourceVersion: '2', finalizers: [] } }),
      keys: ['default/store'],
    },
    {
      title: 'deletion wakes it',
      after: store({ metadata: { resourceVersion: '2', deletionTimestamp: 'now' } }),
      keys: ['default/store'],
    },
    {
      title: 'a namesake wakes it',
      after: store({ metadata: { resourceVersion: '2', uid: 'another' } }),
      keys: ['default/store'],
    },
  ])('$title', ({ after, keys }) => {
    expect(triggersOfParent(updated(before, after)).map(({ key }) => key)).toEqual(keys)
  })

  it('is urgent for a change by a user, and not in the first list', () => {
    expect(triggersOfParent(added(before))[0]).toMatchObject({
      priority: 'user',
      cause: { kind: 'self', detail: 'added' },
    })
    expect(triggersOfParent(added(before, true))[0]).toMatchObject({ priority: 'resync', cause: { kind: 'initial' } })
  })

  it.each([
    ['a new spec', { generation: 2 }, true],
    ['a new token of reconcile-now', { annotations: { 'konverge.dev/reconcile-now': 'x' } }, true],
    ['its deletion', { deletionTimestamp: 'now' }, true],
    ['a namesake', { uid: 'another' }, true],
    ['another annotation', { annotations: { a: 'b' } }, false],
    ['a label', { labels: { a: 'b' } }, false],
    ['a lost finalizer', { finalizers: [] }, false],
  ])('by %s overtakes a Retry-After: %j is %s', (_, metadata, overtakes) => {
    const after = store({ metadata: { resourceVersion: '2', ...metadata } })
    for (const isInitial of [false, true]) {
      const event = { ...updated(before, after), isInitial }
      expect(triggersOfParent(event).map((trigger) => trigger.overtakesNotBefore === true)).toEqual([overtakes])
    }
  })

  it('in the first list overtakes no Retry-After', () => {
    expect(triggersOfParent(added(before, true))[0]).not.toHaveProperty('overtakesNotBefore')
  })

  it('names the changed fields, without values', () => {
    const after = store({ metadata: { generation: 2, resourceVersion: '2', labels: { a: 'secret' } } })
    expect(triggersOfParent(updated(before, after))[0]?.cause).toEqual({
      kind: 'self',
      detail: 'updated: spec, metadata.labels',
    })
  })

  it('about its deletion triggers a last reconcile, which forgets it', () => {
    expect(triggersOfParent({ kind: 'deleted', object: before, isInitial: false })).toHaveLength(1)
  })
})

describe('an event of a child', () => {
  const parent = store()
  const child = (fields: Record<string, unknown>, metadata = {}) =>
    childOf(parent, { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'store', ...metadata }, ...fields })
  const tokenDigest = createHash('sha256').update('t').digest('base64url')
  const inventory = [{ kind: 'ConfigMap', namespace: 'elsewhere', name: 'far', tokenDigest }]
  const recording: LiveObject = { ...parent, status: { inventory } }
  const whole = { resource: StatefulSet, statusMatters: true, hasStatus: true, dropStatus: [], optional: false }
  const blind = { resource: Service, statusMatters: false, hasStatus: true, dropStatus: [], optional: false }
  const of = (owned: typeof whole): ChildKind => ({
    parent: kind,
    ownedBy: 'replicatedkvstores.data.konverge.dev',
    owned,
    parentsOfSet: (set) => (set === applySetId(parent) ? [recording] : []),
    parentAt: () => undefined,
  })

  it('triggers the controlling parent', () => {
    expect(triggersOfChild(of(whole), added(child({})))).toEqual([
      { key: 'default/store', priority: 'child', cause: { kind: 'child', detail: 'StatefulSet default/store added' } },
    ])
  })

  it('triggers the parent by its inventory without an owner reference', () => {
    const far = ({ set = applySetId(parent), token = 't', name = 'far' }) =>
      live({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name,
          namespace: 'elsewhere',
          labels: { [partOfLabel]: set },
          annotations: { [tokenAnnotation]: token },
          managedFields: [{ manager: 'konverge', operation: 'Apply', apiVersion: 'v1' }],
        },
      })
    expect(triggersOfChild(of(whole), added(far({}))).map(({ key }) => key)).toEqual(['default/store'])
    for (const forged of [far({ set: 'another' }), far({ token: 'guessed' }), far({ name: 'planted' })])
      expect(triggersOfChild(of(whole), added(forged))).toEqual([])
  })

  it.each([
    {
      title: 'its status wakes where the status function looks at it',
      owned: whole,
      after: child({ status: { replicas: 2 } }),
      count: 1,
    },
    {
      title: 'its status wakes nobody where it does not',
      owned: blind,
      after: child({ status: { replicas: 2 } }),
      count: 0,
    },
    {
      title: 'becoming ready wakes all the same',
      owned: blind,
      after: child({
        status: {
          replicas: 1,
          observedGeneration: 0,
          conditions: [{ type: 'Stalled', status: 'True', reason: 'R', message: 'm' }],
        },
      }),
      count: 1,
    },
    { title: 'its spec wakes', owned: blind, after: child({ status: { replicas: 1 }, spec: { a: 1 } }), count: 1 },
    {
      title: 'a label wakes',
      owned: blind,
      after: child({ status: { replicas: 1 } }, { labels: { a: 'b' } }),
      count: 1,
    },
    {
      title: 'a new resourceVersion alone wakes nobody',
      owned: whole,
      after: child({ status: { replicas: 1 } }, { resourceVersion: '9' }),
      count: 0,
    },
    {
      title: 'new managedFields alone wake nobody',
      owned: whole,
      after: child({ status: { replicas: 1 } }, { managedFields: [] }),
      count: 0,
    },
  ])('$title', ({ owned, after, count }) => {
    expect(triggersOfChild(of(owned), updated(child({ status: { replicas: 1 } }), after))).toHaveLength(count)
  })

  it('names the changed fields of the child, without values', () => {
    const was = child({ spec: { replicas: 1 }, status: { replicas: 1, phase: 'a' }, data: { key: 'secret' } })
    const is = child({ spec: { replicas: 2 }, status: { replicas: 2, phase: 'a' }, data: { key: 'another' } })
    expect(triggersOfChild(of(whole), updated(was, is))[0]?.cause.detail).toBe(
      'StatefulSet default/store updated: spec, status.replicas, data',
    )
    const ready = child({ status: { conditions: [{ type: 'Stalled', status: 'True', reason: 'R', message: 'm' }] } })
    expect(triggersOfChild(of(blind), updated(child({ status: {} }), ready))[0]?.cause.detail).toBe(
      'StatefulSet default/store updated: readiness',
    )
  })

  it('that lost its owner triggers its former parent', () => {
    const orphan = live({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'store' } })
    expect(triggersOfChild(of(whole), updated(child({}), orphan)).map(({ key }) => key)).toEqual(['default/store'])
  })

  it('with an owner of another kind triggers nothing', () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'store', uid: 'x', controller: true }]
    expect(triggersOfChild(of(whole), added(child({}, { ownerReferences })))).toEqual([])
  })

  it('in the first list triggers nothing: the first list of parents does', () => {
    expect(triggersOfChild(of(whole), added(child({}), true))).toEqual([])
  })
})

describe('an event of a watched kind', () => {
  const watch = {
    resource: StorageClass,
    keysFor: (
      object: { metadata: { name: string } },
      lookup: (index: string, value: string) => readonly ReturnType<typeof keyFor>[],
    ) => lookup('storageClassName', object.metadata.name),
    digest: (object: Record<string, unknown>) => String(object['provisioner']),
  }
  const lookup = (index: string, value: string) =>
    index === 'storageClassName' && value === 'fast' ? [keyFor('default', 'a'), keyFor('default', 'b')] : []
  const storageClass = (provisioner: string, volumeBindingMode = 'Immediate') =>
    live({ kind: 'StorageClass', metadata: { name: 'fast' }, provisioner, volumeBindingMode })

  it('triggers every resource that the index names', () => {
    expect(triggersOfWatched(watch, lookup, added(storageClass('p'))).map(({ key }) => key)).toEqual([
      'default/a',
      'default/b',
    ])
  })

  it('with a metadata watch is a change with every new version, unless the declaration has a digest', () => {
    const metadataOnly = { resource: Secret, metadataOnly: true, keysFor: () => [keyFor('default', 'a')] }
    const secret = (resourceVersion: string) => live({ kind: 'Secret', metadata: { name: 's', resourceVersion } })
    const change = updated(secret('7'), secret('8'))
    expect(triggersOfWatched(metadataOnly, lookup, change)).toEqual([
      { key: 'default/a', priority: 'child', cause: { kind: 'watched', detail: 'Secret default/s updated' } },
    ])
    expect(triggersOfWatched(metadataOnly, lookup, updated(secret('7'), secret('7')))).toEqual([])
    const ofLabels = { ...metadataOnly, digest: ({ metadata }: LiveObject) => metadata.labels ?? {} }
    expect(triggersOfWatched(ofLabels, lookup, change)).toEqual([])
    expect(triggersOfWatched({ ...metadataOnly, metadataOnly: false }, lookup, change), 'of a whole one').toEqual([])
  })

  it('triggers nothing when the digest is the same', () => {
    expect(
      triggersOfWatched(watch, lookup, updated(storageClass('p'), storageClass('p', 'WaitForFirstConsumer'))),
    ).toEqual([])
    expect(triggersOfWatched(watch, lookup, updated(storageClass('p'), storageClass('q')))).toHaveLength(2)
  })
})
