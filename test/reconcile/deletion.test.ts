import { describe, expect, it } from 'vitest'
import type { LiveObject, ObjectMeta } from '../../src/object/object.ts'
import { nextDeletion } from '../../src/reconcile/deletion.ts'
import { childOf, live, store } from '../objects.ts'

const parent = store()
const inWave = (order: number, name: string, metadata: Partial<ObjectMeta> = {}) =>
  childOf(parent, {
    kind: 'StatefulSet',
    apiVersion: 'apps/v1',
    metadata: { name, annotations: { 'konverge.dev/apply-order': String(order) }, ...metadata },
  })
const owners = childOf(parent, {}).metadata.ownerReferences ?? []
const other = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p-1' }
/** managedFields entry of an apply by a controller built on konverge that declared the annotation. */
const appliedAnnotation = (name: string) => ({
  ...{
    manager: 'shop/stores.example.com',
    operation: 'Apply' as const,
    apiVersion: 'v1',
    fieldsType: 'FieldsV1' as const,
  },
  fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${name}`]: {} } } },
})
const nowMs = Date.parse('2026-01-01T00:00:30Z')
const next = (children: readonly LiveObject[]) => nextDeletion({ parent, children, nowMs })
const namesOf = (step: ReturnType<typeof nextDeletion>) =>
  step.kind === 'delete' ? step.objects.map(({ metadata }) => metadata.name) : []

describe('the next deletion', () => {
  it('deletes the highest wave only', () => {
    const step = next([inWave(0, 'service'), inWave(1, 'store'), inWave(2, 'late-a'), inWave(2, 'late-b')])
    expect(namesOf(step)).toEqual(['late-a', 'late-b'])
  })

  it('waits for a wave that is being deleted, and names its finalizers', () => {
    const leaving = inWave(1, 'store', {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['foregroundDeletion'],
    })
    expect(next([inWave(0, 'service'), leaving])).toEqual({
      kind: 'wait',
      on: 'waiting for StatefulSet default/store: finalizer foregroundDeletion',
    })
  })

  it('does not delete twice', () => {
    const leaving = inWave(1, 'a', { deletionTimestamp: '2026-01-01T00:00:00Z' })
    expect(namesOf(next([leaving, inWave(1, 'b')]))).toEqual(['b'])
  })

  it('leaves the first wave to the garbage collector', () => {
    expect(next([inWave(0, 'service'), inWave(0, 'account')])).toEqual({ kind: 'done' })
  })

  it('deletes in the first wave objects that the garbage collector cannot: other namespaces and cluster-scoped objects', () => {
    const elsewhere = live({
      metadata: { name: 'elsewhere', namespace: 'other', annotations: { 'konverge.dev/apply-order': '0' } },
    })
    expect(namesOf(next([inWave(0, 'service'), elsewhere]))).toEqual(['elsewhere'])
  })

  it.each(['', 'x', '-1', '1.5', 'NaN'])('deletes a child with the stored order %j last', (order) => {
    const odd = inWave(0, 'odd', { annotations: { 'konverge.dev/apply-order': order }, namespace: 'other' })
    expect(namesOf(next([odd, inWave(1, 'store')]))).toEqual(['store'])
    expect(namesOf(next([odd]))).toEqual(['odd'])
  })

  it('is done when nothing is left', () => {
    expect(next([])).toEqual({ kind: 'done' })
  })

  it.each([
    { age: 59_000, said: '' },
    { age: 60_000, said: ': 1 m' },
    { age: 299_000, said: ': 4 m' },
    { age: 29 * 60_000, said: ': 20 m' },
    { age: 61 * 60_000, said: ': 1 h' },
    { age: 50 * 3_600_000, said: ': 2 d' },
    { age: -90_000, said: '' },
  ])('after $age ms of a deletion reports "$said", so that the text rarely changes', ({ age, said }) => {
    const leaving = inWave(1, 'store', { deletionTimestamp: new Date(nowMs - age).toISOString() })
    expect(next([leaving])).toEqual({ kind: 'wait', on: `waiting for StatefulSet default/store${said}` })
  })

  it.each([
    {
      title: 'a child with another owner besides',
      child: inWave(1, 'shared', { ownerReferences: [...owners, other] }),
    },
    {
      title: 'a claim',
      child: live({ kind: 'PersistentVolumeClaim', metadata: { namespace: 'other' } }),
    },
    {
      title: 'what is to be retained',
      child: live({ metadata: { annotations: { 'konverge.dev/prune': 'disabled' } } }),
    },
    {
      title: 'what is to be retained elsewhere and was recorded by an earlier version',
      child: live({
        metadata: {
          namespace: 'other',
          annotations: { 'konverge.dev/prune': 'disabled' },
          managedFields: [appliedAnnotation('konverge.dev/prune')],
        },
      }),
    },
  ])('neither deletes nor waits for $title', ({ child }) => {
    expect(next([child])).toEqual({ kind: 'done' })
  })
})
