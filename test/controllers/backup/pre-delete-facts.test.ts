// Facts for the pre-delete of a Backup. Invariant: the operator removes only artifacts that this Backup has made.
import { describe, expect, it } from 'vitest'
import { type BackupObject, slotAnnotation } from '../../../src/controllers/backup/desired-work.ts'
import { preDeleteFacts } from '../../../src/controllers/backup/pre-delete-facts.ts'

const slot = '2026-03-10T11:00:00Z'
const nowMs = Date.parse('2026-03-12T00:00:00Z')
const inTime = '2026-03-10T11:30:00Z'
const longAfter = '2026-03-11T11:00:00Z'
const folder = 'shop/crm/d/20260310T110000Z-former/'
const artifact = { uri: `pvc://backups/${folder}`, bytes: 1, format: 'pg_dump/custom' }
const begun = { folder, phase: 'Running' }

function parting(own: {
  status: object
  createdAt: string
  artifactPolicy?: string
  isOfSlot?: boolean
  annotations?: object
}) {
  const { status, createdAt, artifactPolicy = 'Delete', isOfSlot = true, annotations = {} } = own
  const object = {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup' },
    metadata: {
      ...{ name: 'nightly-1', namespace: 'shop', uid: 'b', creationTimestamp: createdAt },
      deletionTimestamp: '2026-03-12T00:00:00Z',
      annotations: { ...annotations, ...(isOfSlot ? { [slotAnnotation]: slot } : {}) },
    },
    spec: {
      ...{
        databaseRef: { name: 'crm' },
        method: 'Logical',
        target: { pvc: { claimName: 'backups' } },
      },
      ...{
        verify: { mode: 'Restore', every: 1 },
        deadline: '1h',
        startingDeadlineSeconds: 3_600,
        options: {},
        artifactPolicy,
      },
    },
    status,
  } as unknown as BackupObject // The test reads these fields only.
  return preDeleteFacts({ object, place: undefined, children: [], pods: [], isPodOf: () => false, nowMs })
}

describe('a Backup that is being deleted', () => {
  it('leaves its artifact and reports the location when it is abandoned', () => {
    const annotations = { 'konverge.dev/abandon-external': 'true' }
    expect(parting({ status: { ...begun, artifact }, createdAt: inTime, annotations })).toEqual({
      kind: 'parting',
      abandoned: expect.stringMatching(`^the artifact stays in folder ${folder} of volume backups, .*abandon-external`),
    })
  })

  it.each([
    ['was made in time', { status: begun, createdAt: inTime }],
    ['is of no slot', { status: begun, createdAt: longAfter, isOfSlot: false }],
    ['came back with its artifact', { status: { ...begun, artifact }, createdAt: longAfter }],
  ])('removes what is in its folder when it %s', (_, own) => {
    expect(parting(own).discard?.wish).toMatchObject({ work: 'discard', text: expect.stringContaining(folder) })
  })

  it.each(['Delete', 'Retain'])(
    'leaves the artifact of an earlier Backup when it was recreated after its scheduled time: %s',
    (artifactPolicy) => {
      expect(parting({ status: begun, createdAt: longAfter, artifactPolicy })).toEqual({ kind: 'parting' })
    },
  )

  it('removes what its own worker may have left when its artifact stays', () => {
    const { discard, tidy } = parting({ status: begun, createdAt: inTime, artifactPolicy: 'Retain' })
    expect(discard).toBeUndefined()
    expect(tidy?.wish).toMatchObject({ work: 'tidy', text: expect.stringContaining(folder) })
  })
})
