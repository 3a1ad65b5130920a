// Claims that hold the data of a server may not store backups.
import { expect, it } from 'vitest'
import { claimProblem } from '../../../src/controllers/backup/store-claim.ts'
import type { LiveObject } from '../../../src/index.ts'

function claim(metadata: Partial<LiveObject['metadata']>): LiveObject {
  return {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
    metadata: { name: 'data-crm-postgres-0', namespace: 'shop', uid: '1', ...metadata },
  } as LiveObject // The code reads these fields only.
}

const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'mysql', uid: '2' }

it.each([
  {
    title: 'of a database server',
    metadata: { labels: { 'data.konverge.dev/database': 'crm' } },
    said: /is the volume of a server/,
  },
  {
    title: 'of a store',
    metadata: { labels: { 'data.konverge.dev/replicatedkvstore': 'cart' } },
    said: /is the volume of a server/,
  },
  {
    title: 'that a controller made',
    metadata: { ownerReferences: [{ ...owner, controller: true }] },
    said: /belongs to StatefulSet mysql/,
  },
])('a store rejects a claim $title', ({ metadata, said }) => {
  expect(claimProblem(claim(metadata))).toMatchObject({
    ...{ kind: 'refused', reason: 'ClaimRefused' },
    message: expect.stringMatching(said),
  })
})

it.each([
  { title: 'for backups', metadata: { labels: { app: 'backups' } } },
  { title: 'that goes with something', metadata: { ownerReferences: [owner] } },
])('a store accepts a claim $title', ({ metadata }) => {
  expect(claimProblem(claim(metadata))).toBeUndefined()
})

it('a store waits for a missing claim', () => {
  expect(claimProblem(undefined)).toBeUndefined()
})
