import { describe, expect, it } from 'vitest'
import type { ObjectMeta } from '../../src/object/object.ts'
import { nextDeletion } from '../../src/reconcile/deletion.ts'
import { childOf, live, store } from '../objects.ts'

const parent = store()
const inWave = (order: number, name: string, metadata: Partial<ObjectMeta> = {}) =>
  childOf(parent, {
    kind: 'StatefulSet',
    apiVersion: 'apps/v1',
    metadata: { name, annotations: { 'konverge.dev/apply-order': String(order) }, ...metadata },
  })
const namesOf = (step: ReturnType<typeof nextDeletion>) =>
  step.kind === 'delete' ? step.objects.map(({ metadata }) => metadata.name) : []

describe('the next deletion', () => {
  it('takes the highest wave only', () => {
    const step = nextDeletion(parent, [
      inWave(0, 'service'),
      inWave(1, 'store'),
      inWave(2, 'late-a'),
      inWave(2, 'late-b'),
    ])
    expect(namesOf(step)).toEqual(['late-a', 'late-b'])
  })

  it('waits for a wave that is on its way out, and says what holds it', () => {
    const leaving = inWave(1, 'store', {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['foregroundDeletion'],
    })
    expect(nextDeletion(parent, [inWave(0, 'service'), leaving])).toEqual({
      kind: 'wait',
      on: 'waiting for StatefulSet default/store (finalizer foregroundDeletion) to be gone',
    })
  })

  it('does not ask twice for what is on its way out', () => {
    const leaving = inWave(1, 'a', { deletionTimestamp: '2026-01-01T00:00:00Z' })
    expect(namesOf(nextDeletion(parent, [leaving, inWave(1, 'b')]))).toEqual(['b'])
  })

  it('leaves the first wave to the garbage collector', () => {
    expect(nextDeletion(parent, [inWave(0, 'service'), inWave(0, 'account')])).toEqual({ kind: 'done' })
  })

  it('deletes in the first wave what the garbage collector cannot: other namespaces and cluster-scoped objects', () => {
    const elsewhere = live({
      metadata: { name: 'elsewhere', namespace: 'other', annotations: { 'konverge.dev/apply-order': '0' } },
    })
    expect(namesOf(nextDeletion(parent, [inWave(0, 'service'), elsewhere]))).toEqual(['elsewhere'])
  })

  it.each(['', 'x', '-1', '1.5', 'NaN'])('lets a child whose stored order is %j go last', (order) => {
    const odd = inWave(0, 'odd', { annotations: { 'konverge.dev/apply-order': order }, namespace: 'other' })
    expect(namesOf(nextDeletion(parent, [odd, inWave(1, 'store')]))).toEqual(['store'])
    expect(namesOf(nextDeletion(parent, [odd]))).toEqual(['odd'])
  })

  it('is done when nothing is left', () => {
    expect(nextDeletion(parent, [])).toEqual({ kind: 'done' })
  })
})
