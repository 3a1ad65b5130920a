import { describe, expect, it } from 'vitest'
import { type WorkOrder, workOrderIn } from '../../../../src/controllers/backup/work-order.ts'
import { workAnnotation } from '../../../../src/controllers/database/restore/desired-restore-work.ts'
import {
  type OwnServer,
  requestedWork,
  restoreMethod,
  volumePlace,
} from '../../../../src/controllers/database/restore/restore-place.ts'
import type { RestoreRecord, RestoreSource } from '../../../../src/controllers/database/restore/restore-request.ts'
import type { DatabaseObject } from '../../../../src/controllers/database/server-connection.ts'
import type { LiveObject } from '../../../../src/index.ts'

const nowMs = Date.parse('2026-03-29T12:00:00Z')
const server: OwnServer = {
  isThere: false,
  claim: 'data-crm-postgres-0',
  adminSecret: 'crm-postgres-admin',
  version: '15',
}
const record: RestoreRecord = { requestID: 'bootstrap', phase: 'Pending', startedAt: '2026-03-29T11:59:00Z' }
const object = {
  metadata: { name: 'crm', namespace: 'shop', uid: 'u' },
  spec: {},
  status: { restore: record },
} as never
const keys = { s3: { bucket: 'b', region: 'r', credentialsSecretRef: { name: 'keys' } } }
const source = (target: object, method: RestoreSource['method'] = 'Physical'): RestoreSource => ({
  ...{ kind: 'source', method, target: target as RestoreSource['target'] }, // The code reads these fields only.
  source: { kind: 'backup', folder: 'shop/crm/1/2/', hashUpToBytes: 9, queries: [{ sql: 'SELECT 1', expect: '1' }] },
})
const place = { kind: 'volume', claim: server.claim, adminSecret: server.adminSecret, version: 15 } as const
const problem = { kind: 'waiting', reason: 'BackupMissing', message: 'there is no Backup b' } as const

const child = (apiVersion: string, kind: string, name: string, more: object = {}): LiveObject =>
  ({ apiVersion, kind, metadata: { name, namespace: 'shop' }, ...more }) as never // The code reads these fields only.

/** Returns the objects of a started worker. */
function started(work: string): readonly LiveObject[] {
  const annotations = { [workAnnotation]: 'restore bootstrap' }
  const job = child('batch/v1', 'Job', 'w', { metadata: { name: 'w', namespace: 'shop', annotations } })
  return [job, child('v1', 'ConfigMap', 'w', { data: { 'order.json': JSON.stringify({ format: 1, work }) } })]
}

const wished = (work: Parameters<typeof requestedWork>[1], more: Partial<Parameters<typeof requestedWork>[0]> = {}) =>
  requestedWork(
    { object: object as DatabaseObject, record, children: [], source: source(keys), place, nowMs, ...more },
    work,
  )

describe('the bootstrap source of a database', () => {
  it.each<[string, Parameters<typeof restoreMethod>[0], string | undefined]>([
    ['nothing that is known', { record, children: [], source: undefined }, undefined],
    ['nothing that is there', { record, children: [], source: problem }, undefined],
    [
      'what is recorded',
      { record: { ...record, method: 'Physical' }, children: started('restore'), source: undefined },
      'Physical',
    ],
    ['the copy that a worker was started for', { record, children: started('fill'), source: problem }, 'Physical'],
    ['the database that one was started for', { record, children: started('restore'), source: problem }, 'Logical'],
    ['what it is from', { record, children: [], source: source(keys, 'Logical') }, 'Logical'],
  ])('is %s', (_, known, expected) => {
    expect(restoreMethod(known)).toBe(expected)
  })
})

describe('the volume of a server', () => {
  const claim = child('v1', 'PersistentVolumeClaim', server.claim)

  it.each([
    ['that is not there yet', { found: undefined, children: [] }, 'volume'],
    ['that was made for this', { found: claim, children: [claim] }, 'volume'],
    ['that was there before', { found: claim, children: [] }, 'waiting'],
  ])('%s', (_, claims, expected) => {
    const found = volumePlace(server, claims)
    expect(found.kind).toBe(expected)
    if (found.kind === 'waiting') expect(found.reason).toBe('VolumeInUse')
    else expect(found).toEqual(place)
  })
})

describe('a restore worker', () => {
  it('fills the volume, with the credentials of the store and the password of the server', () => {
    const wish = wished({ kind: 'restore' })
    expect(wish).toMatchObject({
      name: expect.stringMatching(/^crm-fill-/),
      work: 'fill',
      dataClaim: server.claim,
      sealedWork: ['prove'],
    })
    const files = wish?.credentials.flatMap(({ folder, files: some }) =>
      some.map(({ secret, key }) => `${folder} ${secret} ${key}`),
    )
    expect(files).toEqual([
      'database crm-postgres-admin password',
      ...['accessKeyId', 'secretAccessKey', 'sessionToken'].map((key) => `store keys ${key}`),
    ])
    const order = workOrderIn(wish?.text ?? '', wish?.digest ?? '', ['fill']) as Extract<WorkOrder, { work: 'fill' }>
    expect(order.fill).toEqual({
      requestId: 'bootstrap',
      database: { namespace: 'shop', name: 'crm', uid: 'u', databaseName: 'crm', owner: 'crm_owner' },
      ...{ claim: server.claim, version: 15, folder: 'shop/crm/1/2/', hashUpToBytes: 9 },
      queries: [{ sql: 'SELECT 1', expect: '1' }],
    })
  })

  it('finds a store on a second volume', () => {
    const wish = wished({ kind: 'restore' }, { source: source({ pvc: { claimName: 'backups' } }) })
    expect(wish).toMatchObject({ storeClaim: 'backups', dataClaim: server.claim })
  })

  it('keeps its first job spec, whatever the spec requests since', () => {
    const wish = wished({ kind: 'restore' }, { children: started('fill'), source: problem })
    expect(wish).toMatchObject({ name: 'w', work: 'fill' })
  })

  it('clears the volume, with a new Job each hour', () => {
    const [now, later] = [nowMs, nowMs + 3_600_000].map((ms) =>
      wished({ kind: 'settle', requestID: 'bootstrap' }, { nowMs: ms }),
    )
    expect(now).toMatchObject({ work: 'clear', dataClaim: server.claim, credentials: [] })
    expect(later?.name).not.toBe(now?.name)
    expect(later?.text).toBe(now?.text)
  })

  it('is not started without a location', () => {
    expect(wished({ kind: 'restore' }, { place: problem })).toBeUndefined()
    expect(wished({ kind: 'restore' }, { source: problem })).toBeUndefined()
  })
})
