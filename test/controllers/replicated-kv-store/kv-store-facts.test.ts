import { describe, expect, it } from 'vitest'
import { retentionNote, unusedClaimsOf } from '../../../src/controllers/replicated-kv-store/kv-store-facts.ts'
import { live } from '../../objects.ts'

const claim = (name: string, metadata: object = {}) =>
  live({ kind: 'PersistentVolumeClaim', metadata: { name, ...metadata } })
const claims = (...ordinals: readonly number[]) => ordinals.map((ordinal) => claim(`data-cart-${ordinal}`))

describe('the claims that no replica uses', () => {
  it.each([
    { title: 'none while every claim has its replica', given: claims(0, 1, 2), replicas: 3, names: [] },
    {
      title: 'those from the number of replicas on',
      given: claims(0, 1, 2),
      replicas: 1,
      names: ['data-cart-1', 'data-cart-2'],
    },
    {
      title: 'all when there are to be no replicas',
      given: claims(0, 1),
      replicas: 0,
      names: ['data-cart-0', 'data-cart-1'],
    },
    {
      title: 'in the order of numbers, not of letters',
      given: claims(10, 9),
      replicas: 2,
      names: ['data-cart-9', 'data-cart-10'],
    },
    {
      title: 'none of those without an ordinal',
      given: [claim('backup'), claim('data-cart-x')],
      replicas: 0,
      names: [],
    },
    {
      title: 'none of those on their way out',
      given: [claim('data-cart-4', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      replicas: 1,
      names: [],
    },
  ])('are $title', ({ given, replicas, names }) => {
    expect(unusedClaimsOf(given, replicas)).toEqual(names)
  })
})

describe('the note about what is kept', () => {
  it('names every claim, and what to do with them', () => {
    expect(retentionNote(['data-cart-0', 'data-cart-1'])).toBe(
      'kept 2 volume claims with their data: data-cart-0, data-cart-1; delete them when the data is no longer needed',
    )
  })

  it('fits an Event, whatever their number and the length of their names', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `data-${'x'.repeat(52)}-${index}`)
    const note = retentionNote(names)
    expect(note.length).toBeLessThanOrEqual(1_024)
    expect(note).toContain('and 992 more')
  })
})
