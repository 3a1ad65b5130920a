import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readinessOf } from '../../src/apply/readiness.ts'
import type { ReadyPredicate } from '../../src/synth/field-policies.ts'
import { live } from '../objects.ts'
import { check, condition } from './readiness-table.ts'

check('example.com/v1', 'Widget', [
  {
    when: 'Ready is True',
    object: { status: { conditions: [condition('Ready', 'True')] } },
    kind: 'ready',
    reason: 'ReadyReason',
    says: /Ready message/,
  },
  {
    when: 'Ready is False',
    object: { status: { conditions: [condition('Ready', 'False', 'WaitingForReplicas')] } },
    kind: 'progressing',
    reason: 'WaitingForReplicas',
  },
  {
    when: 'Ready is Unknown',
    object: { status: { conditions: [condition('Ready', 'Unknown')] } },
    kind: 'progressing',
  },
  {
    when: 'Ready says nothing but its status',
    object: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    kind: 'progressing',
    reason: 'ReadyFalse',
    says: /Ready is False/,
  },
  {
    when: 'it has Available and no Ready',
    object: { status: { conditions: [condition('Available', 'True')] } },
    kind: 'ready',
  },
  {
    when: 'Ready is True of an older generation (kstatus: Current)',
    object: { status: { conditions: [{ ...condition('Ready', 'True'), observedGeneration: 1 }] } },
    kind: 'progressing',
    reason: 'NotObserved',
  },
  {
    when: 'the whole status is of an older generation',
    object: { status: { observedGeneration: 1, conditions: [condition('Ready', 'True')] } },
    kind: 'progressing',
    reason: 'NotObserved',
  },
  {
    when: 'it is Stalled, even if Ready',
    object: { status: { conditions: [condition('Ready', 'True'), condition('Stalled', 'True', 'InvalidSpec')] } },
    kind: 'failed',
    reason: 'InvalidSpec',
  },
  {
    when: 'it is Reconciling, even if Ready',
    object: { status: { conditions: [condition('Ready', 'True'), condition('Reconciling', 'True')] } },
    kind: 'progressing',
    reason: 'ReconcilingReason',
  },
  {
    when: 'it was Stalled before the last change',
    object: {
      status: {
        conditions: [
          condition('Ready', 'True'),
          { ...condition('Stalled', 'True', 'InvalidSpec'), observedGeneration: 1 },
        ],
      },
    },
    kind: 'progressing',
    reason: 'NotObserved',
  },
  {
    when: 'Stalled and Reconciling are False',
    object: {
      status: {
        conditions: [condition('Ready', 'True'), condition('Reconciling', 'False'), condition('Stalled', 'False')],
      },
    },
    kind: 'ready',
  },
  { when: 'it has no status (kstatus: Current)', object: {}, kind: 'unknown', reason: 'NoStatus' },
  {
    when: 'its status has no conditions (kstatus: Current)',
    object: { status: { phase: 'Running' } },
    kind: 'unknown',
    reason: 'NoConditions',
  },
  {
    when: 'its conditions are others (kstatus: Current)',
    object: { status: { conditions: [condition('Synced', 'True')] } },
    kind: 'unknown',
    reason: 'NoReadyCondition',
  },
  { when: 'its kind has no status at all', object: {}, options: { hasStatus: false }, kind: 'ready', reason: 'Exists' },
  {
    when: 'it is being deleted, even if Ready',
    object: {
      metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] },
      status: { conditions: [condition('Ready', 'True')] },
    },
    kind: 'terminating',
    says: /waits for a\/b/,
  },
])

describe('an object with its own predicates', () => {
  const ready = live({ metadata: { generation: 2 }, status: { observedGeneration: 2 } })
  const said = (...predicates: readonly ReadyPredicate[]) => {
    const { kind, message } = readinessOf(ready, { predicates })
    return [kind, message]
  }

  it.each<readonly [string, readonly ReadyPredicate[], readonly [string, RegExp]]>([
    ['says yes', [() => true], ['ready', /ready/]],
    ['says no', [() => false], ['progressing', /own predicate/]],
    ['says why not', [() => ({ ready: false, message: '2 of 3 shards' })], ['progressing', /^2 of 3 shards$/]],
    ['is one of two, and the other says no', [() => true, () => false], ['progressing', /own predicate/]],
    ['promises', [(() => Promise.resolve(true)) as unknown as ReadyPredicate], ['progressing', /own predicate/]],
    ['says nothing', [(() => undefined) as unknown as ReadyPredicate], ['progressing', /threw/]],
  ])('has the verdict of its predicate, which %s', (_, predicates, [kind, message]) => {
    expect(said(...predicates)).toEqual([kind, expect.stringMatching(message)])
  })

  it('is not ready when the predicate throws, and has the error in the message', () => {
    const thrower = () => {
      throw new TypeError('no such field')
    }
    expect(said(thrower)).toEqual(['progressing', expect.stringContaining('no such field')])
  })

  it('is not ready while it is deleted or with an older status, whatever the predicate returns', () => {
    const older = live({ metadata: { generation: 3 }, status: { observedGeneration: 2 } })
    expect(readinessOf(older, { predicates: [() => true] }).kind).toBe('progressing')
    const going = live({ metadata: { deletionTimestamp: 'now' } })
    expect(readinessOf(going, { predicates: [() => true] }).kind).toBe('terminating')
  })
})

describe('readinessOf', () => {
  it('returns a verdict with a reason and a message for any status', () => {
    const kinds = fc.constantFrom(
      ['apps/v1', 'Deployment'],
      ['apps/v1', 'StatefulSet'],
      ['v1', 'Pod'],
      ['v1', 'Service'],
      ['batch/v1', 'Job'],
      ['example.com/v1', 'Widget'],
    )
    const words = fc.constantFrom(
      'phase',
      'conditions',
      'replicas',
      'containerStatuses',
      'loadBalancer',
      'observedGeneration',
    )
    const part = fc.dictionary(words, fc.jsonValue(), { noNullPrototype: true })
    fc.assert(
      fc.property(kinds, part, part, ([apiVersion = '', kind = ''], spec, status) => {
        const { reason, message } = readinessOf({ ...live({ apiVersion, kind, spec, status }) })
        expect([reason, message]).not.toContain('')
      }),
    )
  })
})
