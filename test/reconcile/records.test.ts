// Locks of journal entries of external effects, and the check that they were stored.
import { describe, expect, it } from 'vitest'
import type { ExternalRecord } from '../../src/external/external.ts'
import { assertKept, lockedVersion, recordsOf, StaleRecordsError, withRecord } from '../../src/reconcile/records.ts'
import type { SagaRecord } from '../../src/saga/saga.ts'
import { live } from '../objects.ts'

const record: ExternalRecord = {
  name: 'box',
  phase: 'Pending',
  externalName: 'a-box',
  token: { uid: 'u', generation: 1 },
  requestedAt: '2026-01-01T00:00:00Z',
}
const lid: ExternalRecord = { ...record, name: 'lid', externalName: 'a-lid' }
const metadata = { name: 'a', uid: 'u', generation: 1, resourceVersion: '7' }
const saga: SagaRecord = {
  name: 'move',
  id: 'north',
  state: 'Running',
  generation: 1,
  input: {},
  startedAt: '2026-01-01T00:00:00Z',
  steps: [{ name: 'Load', state: 'Running' }],
}
const object = live({ metadata, status: { external: [record], sagas: [saga] } })
const stored = recordsOf(object)

describe('a lock', () => {
  it('is the newest version, whatever else this reconcile has written', () => {
    const newest = live({
      metadata: { ...metadata, resourceVersion: '9', labels: { mark: 'ours' } },
      status: { external: [record], sagas: [saga] },
    })
    expect(lockedVersion({ object, newest, stored })).toBe('9')
  })

  it.each([
    { what: 'is gone', newest: undefined },
    {
      what: 'is another of the name',
      newest: { metadata: { ...metadata, uid: 'v' } },
    },
    {
      what: 'has another spec',
      newest: { metadata: { ...metadata, generation: 2 } },
    },
    {
      what: 'is being deleted',
      newest: {
        metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
    },
    {
      what: 'was paused',
      newest: {
        metadata: {
          ...metadata,
          annotations: { 'konverge.dev/paused': 'true' },
        },
      },
    },
    {
      what: 'has other records',
      newest: {
        metadata,
        status: { external: [{ ...record, phase: 'Available' }], sagas: [saga] },
      },
    },
    {
      what: 'has a saga that went on',
      newest: { metadata, status: { external: [record], sagas: [{ ...saga, state: 'Compensating' }] } },
    },
    { what: 'has no records any more', newest: { metadata, status: {} } },
  ])('is rejected for a resource that $what', ({ newest }) => {
    const known = newest === undefined ? undefined : live({ status: object.status, ...newest })
    expect(() => lockedVersion({ object, newest: known, stored })).toThrow(StaleRecordsError)
  })
})

describe('journal entries', () => {
  it('keep their order, and leave those of others unchanged', () => {
    const changed: ExternalRecord = { ...record, phase: 'Available' }
    expect(withRecord([record, lid], 'box', changed)).toEqual([changed, lid])
    expect(withRecord([lid], 'box', record)).toEqual([lid, record])
    expect(withRecord([record, lid], 'box', undefined)).toEqual([lid])
  })

  it('that were not stored as sent are reported', () => {
    expect(recordsOf(live({}))).toEqual({ external: [], sagas: [] })
    expect(() => assertKept('boxes.example.dev', stored, object)).not.toThrow()
    const pruned = live({
      metadata,
      status: { external: [{ ...record, token: {} }], sagas: [saga] },
    })
    expect(() => assertKept('boxes.example.dev', stored, pruned)).toThrow(
      /the CRD of boxes\.example\.dev does not keep status\.external/,
    )
    const unknown = live({ metadata, status: { external: [record] } })
    expect(() => assertKept('boxes.example.dev', stored, unknown)).toThrow(
      /the CRD of boxes\.example\.dev does not keep status\.sagas/,
    )
  })
})
