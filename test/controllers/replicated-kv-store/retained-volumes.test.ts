import { describe, expect, it } from 'vitest'
import {
  admissionOf,
  holdNote,
  olderClaimsOf,
  retentionNote,
  reuseNote,
  unusedClaimsOf,
} from '../../../src/controllers/replicated-kv-store/retained-volumes.ts'
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

const statefulSet = (replicas: number) => live({ kind: 'StatefulSet', metadata: { name: 'cart' }, spec: { replicas } })
const pod = (ordinal: number, metadata: object = {}) =>
  live({ kind: 'Pod', metadata: { name: `cart-${ordinal}`, ...metadata } })
const plain = { wanted: 5, statefulSet: statefulSet(3), pods: [], claims: [], retainedClaims: [], mayReuse: false }
const deletionTimestamp = '2026-01-01T00:00:00Z'

describe('a scale-out from three to five', () => {
  const free = { admittedReplicas: 5, staleClaims: [] }
  it.each([
    { title: 'is free where nothing was left', over: { claims: claims(0, 1, 2) }, admission: free },
    {
      title: 'is held by the claims that were left',
      over: { claims: claims(4, 3, 2, 1, 0) },
      admission: { admittedReplicas: 3, staleClaims: ['data-cart-3', 'data-cart-4'] },
    },
    {
      title: 'goes as far as nothing was left',
      over: { claims: claims(0, 1, 2, 4) },
      admission: { admittedReplicas: 4, staleClaims: ['data-cart-4'] },
    },
    { title: 'is free with consent', over: { claims: claims(0, 1, 2, 3, 4), mayReuse: true }, admission: free },
    { title: 'does not mind claims beyond', over: { claims: claims(0, 1, 2, 5, 6) }, admission: free },
    {
      title: 'does not mind claims on their way out',
      over: { claims: [claim('data-cart-3', { deletionTimestamp })] },
      admission: free,
    },
    {
      title: 'does not mind claims that go with their pod',
      over: { claims: [claim('data-cart-3', { ownerReferences: [{ kind: 'Pod', name: 'cart-3' }] })] },
      admission: free,
    },
    {
      title: 'takes no replica away that is there, whatever the cache says of the StatefulSet',
      over: { claims: claims(0, 1, 2, 3, 4), pods: [pod(0), pod(1), pod(2), pod(3)] },
      admission: { admittedReplicas: 4, staleClaims: ['data-cart-4'] },
    },
    {
      title: 'does not count replicas on their way out',
      over: { claims: claims(3), pods: [pod(3, { deletionTimestamp })] },
      admission: { admittedReplicas: 3, staleClaims: ['data-cart-3'] },
    },
    {
      title: 'that was admitted before stays so, although its claims exist by now',
      over: { claims: claims(0, 1, 2, 3, 4), statefulSet: statefulSet(5) },
      admission: free,
    },
    {
      title: 'is no creation: without a StatefulSet the volumes of that name come back',
      over: { claims: claims(0, 1, 2, 3, 4), statefulSet: undefined },
      admission: free,
    },
    {
      title: 'stays held when the StatefulSet was deleted meanwhile',
      over: {
        claims: claims(0, 1, 2, 3, 4),
        statefulSet: undefined,
        retainedClaims: ['data-cart-3', 'data-cart-4'],
      },
      admission: { admittedReplicas: 3, staleClaims: ['data-cart-3', 'data-cart-4'] },
    },
  ])('$title', ({ over, admission }) => {
    expect(admissionOf({ ...plain, ...over })).toEqual(admission)
  })

  it('never admits more than desired, nor fewer than exist', () => {
    expect(admissionOf({ ...plain, wanted: 2, claims: claims(0, 1, 2) })).toEqual({
      admittedReplicas: 2,
      staleClaims: [],
    })
  })
})

describe('claims older than their store', () => {
  const store = live({ metadata: { name: 'cart', creationTimestamp: '2026-01-02T00:00:00Z' } })
  const from = (ordinal: number, creationTimestamp: string) => claim(`data-cart-${ordinal}`, { creationTimestamp })
  it('are those that were created before it, if it uses them', () => {
    const all = [
      from(0, '2026-01-01T00:00:00Z'),
      from(1, '2026-01-02T00:00:00Z'),
      from(2, '2026-01-02T00:00:01Z'),
      from(3, '2026-01-01T00:00:00Z'),
    ]
    expect(olderClaimsOf(all, store, 3)).toEqual(['data-cart-0'])
  })
})

describe('the notes of a hold and of a reuse', () => {
  it('fit an Event, whatever the number of claims and the length of their names', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `data-${'x'.repeat(52)}-${index}`)
    expect(holdNote({ admittedReplicas: 3, staleClaims: names }, 1_000).length).toBeLessThanOrEqual(1_024)
    expect(reuseNote(names).length).toBeLessThanOrEqual(1_024)
  })
})

describe('the note about retained claims', () => {
  it('names every claim, and the remedy', () => {
    expect(retentionNote(['data-cart-0', 'data-cart-1'])).toBe(
      'kept 2 volume claims with their data: data-cart-0, data-cart-1; delete them when the data is no longer needed',
    )
  })

  it('fits an Event, for any number of claims and any length of their names', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `data-${'x'.repeat(52)}-${index}`)
    const note = retentionNote(names)
    expect(note.length).toBeLessThanOrEqual(1_024)
    expect(note).toContain('and 992 more')
  })
})
