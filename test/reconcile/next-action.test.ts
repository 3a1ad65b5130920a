import { describe, expect, it } from 'vitest'
import { identityOf } from '../../src/object/identity.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { adoptionPatch, releasePatch } from '../../src/reconcile/finalizer.ts'
import { nextAction } from '../../src/reconcile/next-action.ts'
import { store } from '../objects.ts'

const identity = identityOf('shop')
const finalizer = 'konverge.dev/shop'
const earlier = 'konverge.dev/cleanup'
const inventory = {
  finalizer,
  replaces: 'konverge.dev/cleanup',
  labels: { 'applyset.kubernetes.io/id': 'set-1' },
  annotations: { 'applyset.kubernetes.io/tooling': 'konverge.dev/shop/v1' },
}
const { labels, annotations } = inventory
const paused = { 'konverge.dev/paused': 'true' }
const deletionTimestamp = '2026-01-01T00:00:00Z'

describe('the kind of reconcile', () => {
  it.each([
    { title: 'forgets what does not exist', object: undefined, kind: 'forget' },
    { title: 'adopts what has no finalizer', object: store({ metadata: { labels, annotations } }), kind: 'adopt' },
    {
      title: 'adopts what lost an inventory label',
      object: store({ metadata: { finalizers: [finalizer], annotations } }),
      kind: 'adopt',
    },
    {
      title: 'adopts what an older operator marked',
      object: store({
        metadata: {
          finalizers: [finalizer],
          labels,
          annotations: { 'applyset.kubernetes.io/tooling': 'konverge.dev/shop/v0' },
        },
      }),
      kind: 'adopt',
    },
    {
      title: 'runs what is marked',
      object: store({ metadata: { finalizers: ['other', finalizer], labels: { ...labels, a: 'b' }, annotations } }),
      kind: 'run',
    },
    {
      title: 'cleans what is being deleted and marked',
      object: store({ metadata: { finalizers: [finalizer], deletionTimestamp } }),
      kind: 'clean',
    },
    {
      title: 'adopts what has the finalizer of an earlier version besides',
      object: store({ metadata: { finalizers: [earlier, finalizer], labels, annotations } }),
      kind: 'adopt',
    },
    {
      title: 'cleans what is being deleted and marked by an earlier version',
      object: store({
        metadata: {
          ...{ finalizers: [earlier], deletionTimestamp },
          annotations: { 'applyset.kubernetes.io/tooling': 'konverge/v1' },
        },
      }),
      kind: 'clean',
    },
    {
      title: 'leaves what another operator cleans up, also with the finalizer of an earlier version',
      object: store({
        metadata: {
          ...{ finalizers: [earlier, 'konverge.dev/cafe'], deletionTimestamp },
          annotations: { 'applyset.kubernetes.io/tooling': 'konverge.dev/cafe/v1' },
        },
      }),
      kind: 'leave',
    },
    {
      title: 'leaves what is being deleted and was never marked',
      object: store({ metadata: { finalizers: ['other'], deletionTimestamp } }),
      kind: 'leave',
    },
    {
      title: 'pauses what is marked and paused',
      object: store({ metadata: { finalizers: [finalizer], labels, annotations: { ...annotations, ...paused } } }),
      kind: 'pause',
    },
    {
      title: 'pauses what its spec suspends',
      object: store({ metadata: { finalizers: [finalizer], labels, annotations }, spec: { suspend: true } }),
      kind: 'pause',
    },
    { title: 'does not adopt what is paused', object: store({ metadata: { annotations: paused } }), kind: 'pause' },
    {
      title: 'does not clean what is paused',
      object: store({ metadata: { finalizers: [finalizer], deletionTimestamp, annotations: paused } }),
      kind: 'pause',
    },
    {
      title: 'leaves what is paused, being deleted and was never marked',
      object: store({ metadata: { deletionTimestamp, annotations: paused } }),
      kind: 'leave',
    },
    {
      title: 'fails what cannot tell whether it is suspended',
      object: store({ metadata: { finalizers: [finalizer], labels, annotations }, spec: { suspend: 'broken' } }),
      kind: 'fail',
    },
    {
      title: 'cleans what is being deleted although it cannot tell whether it is suspended',
      object: store({ metadata: { finalizers: [finalizer], deletionTimestamp }, spec: { suspend: 'broken' } }),
      kind: 'clean',
    },
  ])('$title', ({ object, kind }) => {
    const isSuspended = ({ spec }: LiveObject) => {
      const { suspend } = spec as { suspend?: unknown } // The tests' own.
      if (suspend === 'broken') throw new Error('suspend is broken')
      return suspend === true
    }
    expect(nextAction(object, { identity, inventoryOf: () => inventory, isSuspended }).kind).toBe(kind)
  })
})

describe('the finalizer', () => {
  it('is added beside the finalizers of others, locked to the version of the decision', () => {
    const patch = adoptionPatch(store({ metadata: { finalizers: ['other'], resourceVersion: '7' } }), inventory)
    expect(patch.body).toEqual({
      metadata: { resourceVersion: '7', finalizers: ['other', finalizer], labels, annotations },
    })
  })

  it('is not added twice', () => {
    const patch = adoptionPatch(store({ metadata: { finalizers: [finalizer, 'other'] } }), inventory)
    expect(patch.body).toMatchObject({ metadata: { finalizers: [finalizer, 'other'] } })
  })

  it('replaces the finalizer of an earlier version, in the same patch', () => {
    const patch = adoptionPatch(store({ metadata: { finalizers: ['other', earlier] } }), inventory)
    expect(patch.body).toMatchObject({ metadata: { finalizers: ['other', finalizer] } })
  })

  it('is removed with that of an earlier version', () => {
    const patch = releasePatch(store({ metadata: { finalizers: [earlier, 'konverge.dev/cafe', finalizer] } }), identity)
    expect(patch.body).toMatchObject({ metadata: { finalizers: ['konverge.dev/cafe'] } })
  })

  it('is removed without the finalizers of others, locked to the version of the decision', () => {
    const patch = releasePatch(
      store({ metadata: { finalizers: ['other', finalizer], resourceVersion: '9' } }),
      identity,
    )
    expect(patch.body).toEqual({ metadata: { resourceVersion: '9', finalizers: ['other'] } })
  })
})
