// Status of a Database while the volume of its server grows or cannot grow. Invariant: the database's own conditions
// stay.
import { describe, expect, it } from 'vitest'
import type { DatabaseReport } from '../../../src/controllers/database/database-conditions.ts'
import type { DatabaseFacts } from '../../../src/controllers/database/database-facts.ts'
import { databaseStatus } from '../../../src/controllers/database/database-status.ts'
import { type ServerVolume, whyNotReached, whyNotServing } from '../../../src/controllers/database/server-volume.ts'
import { withVolume } from '../../../src/controllers/database/volume-status.ts'
import type { Child, Outcome } from '../../../src/index.ts'
import { live } from '../../objects.ts'
import { access, databaseObject, inCluster, observed, providerID } from './databases.ts'

const volume: ServerVolume = {
  ...{ volumeSize: '2Gi', claimsToGrow: [], hasStatefulSet: true, pods: { replicas: 1, readyReplicas: 1 } },
  ...{ isOnLocalNode: false, lacksClass: false },
}
const smaller = ['data-shop-db-postgres-0']
const growing = { ...volume, expansion: { size: '2Gi', smaller, fileSystemPending: [] } }
const refused = { ...volume, growthRefusal: 'the class does not allow it' }

const settled: Outcome = { kind: 'settled' }
const waiting: Outcome = { kind: 'waiting', on: 'StatefulSet shop-db-postgres', afterMs: 1_000 }
const retry: Outcome = { kind: 'retry', reason: 'ServerUnreachable', message: 'refused' }
const available: DatabaseReport = {
  ...{ name: 'database', state: 'available', reason: 'AsDesired', message: '"shop_db" is as desired' },
  ...{ providerID, observed: observed(), drift: [], corrected: [], seenAtMs: 0 },
}
const blocked: DatabaseReport = {
  ...{ name: 'database', state: 'blocked', reason: 'Creating', message: 'the server is not ready' },
  ...{ drift: [], corrected: [] },
}
const leaving = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } as object

interface Told {
  readonly report?: DatabaseReport
  readonly outcome?: Outcome
  readonly object?: ReturnType<typeof databaseObject>
}

function statusOf(serverVolume: ServerVolume, told: Told = {}) {
  const { report = available, outcome = settled, object = databaseObject({ provider: inCluster }) } = told
  const facts: DatabaseFacts = { connection: { kind: 'known', access }, users: [], serverVolume }
  const context = { object, facts, outcome, children: [], externals: [], sagas: [] }
  return withVolume(databaseStatus(context, report), context)
}

function conditionsOf(serverVolume: ServerVolume, told: Told = {}): Record<string, string> {
  const { conditions } = statusOf(serverVolume, told)
  expect(new Set(conditions.map(({ type }) => type)).size, 'one claim for a type').toBe(conditions.length)
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))
}

const sound = {
  Provisioned: 'True Available',
  Connected: 'True Connected',
  Configured: 'True Configured',
  Drifted: 'False InSync',
}

describe('a Database whose volume', () => {
  it('is as declared does not report it', () => {
    expect(conditionsOf(volume)).toEqual({ Ready: 'True InSync', ...sound })
    expect(statusOf(volume).fields.phase).toBe('Ready')
  })

  it.each([
    ['after everything is done', settled],
    ['while its StatefulSet is made anew', waiting],
  ])('grows reports it, and that the database stays available, %s', (_, outcome) => {
    const growth = { Ready: 'False VolumePending', Progressing: 'True VolumeExpanding' }
    expect(conditionsOf(growing, { outcome })).toEqual({ ...growth, ...sound })
    // DatabaseUsers continue in this phase.
    expect(statusOf(growing, { outcome }).fields.phase).toBe('Configuring')
    expect(statusOf(growing).events).toEqual([])
    const ready = statusOf(growing, { outcome }).conditions.find(({ type }) => type === 'Ready')
    expect(ready?.message).toBe('volumes grow to 2Gi: waiting for data-shop-db-postgres-0')
  })

  it('cannot grow waits for a change by a user, and reports it once', () => {
    const reason = 'VolumeExpansionRefused'
    const conditions = conditionsOf(refused)
    expect(conditions).toEqual({
      Ready: 'False VolumePending',
      Degraded: `True ${reason}`,
      Progressing: `False ${reason}`,
      Stalled: `True ${reason}`,
      ...sound,
    })
    expect(statusOf(refused).fields.phase).toBe('Configuring')
    expect(statusOf(refused).events).toEqual([
      { type: 'Warning', reason, action: 'Expand', note: 'the class does not allow it' },
    ])
    const told = statusOf(refused).conditions
    const object = databaseObject({ provider: inCluster }, { status: { conditions: told } })
    expect(statusOf(refused, { object }).events).toEqual([])
  })

  it('cannot grow is not stalled while another change is in progress', () => {
    const conditions = conditionsOf(refused, { outcome: waiting })
    expect(conditions).toEqual({ Ready: 'False VolumePending', Degraded: 'True VolumeExpansionRefused', ...sound })
  })

  it('grows reports first what makes the database unavailable', () => {
    const told = conditionsOf(growing, { report: blocked, outcome: waiting })
    expect(told).toMatchObject({ Ready: 'False Creating', Progressing: 'True VolumeExpanding' })
    expect(conditionsOf(growing, { outcome: retry })).not.toHaveProperty('Progressing')
  })

  it('grows no longer reports it when it is being deleted', () => {
    const object = databaseObject({ provider: inCluster }, leaving)
    expect(JSON.stringify(statusOf(growing, { object }))).not.toContain('Volume')
  })
})

describe('a server in the cluster', () => {
  const child = (kind: 'ready' | 'progressing', replicas: number): Child =>
    ({
      object: live({
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'shop-postgres', namespace: 'shop' },
        status: { replicas },
      }),
      readiness: { kind, message: '0 of 1 replicas are ready' },
    }) as unknown as Child // The code reads these fields only.

  it.each([
    { title: 'serves when its StatefulSet is ready', children: [child('ready', 1)], why: undefined },
    { title: 'serves while its StatefulSet is new and has not counted the pod', children: [child('progressing', 0)] },
    { title: 'serves while its StatefulSet is gone', children: [] },
    {
      title: 'does not serve when the StatefulSet that counts its pod does not say so',
      children: [child('progressing', 1)],
      why: 'the server is not ready: 0 of 1 replicas are ready',
    },
    {
      title: 'does not serve without a pod that does',
      children: [],
      pods: { replicas: 1, readyReplicas: 0 },
      why: 'the server is not ready',
    },
  ])('$title', ({ children, why, pods = volume.pods }) => {
    const told = why === undefined ? undefined : { reason: 'Creating', message: why }
    expect(whyNotServing({ object: databaseObject(), children }, 'shop-postgres', { ...volume, pods })).toEqual(told)
  })

  const dialled = { ...access, dial: { host: '127.51.0.1', port: 5432 } }
  it.each([
    { title: 'is reached by its name once its pod serves' },
    { title: 'is not reached before', readyReplicas: 0, why: 'the server is not ready' },
    {
      title: 'on a local node is not reached before that has told its address',
      isOnLocalNode: true,
      why: 'the node has not told the address of the server yet',
    },
    { title: 'on a local node is reached from then on', isOnLocalNode: true, access: dialled },
  ])('$title', ({ readyReplicas = 1, isOnLocalNode = false, access: known = access, why }) => {
    const pods = { replicas: 1, readyReplicas }
    const told = whyNotReached({ ...volume, pods, isOnLocalNode }, { kind: 'known', access: known })
    expect(told?.message).toBe(why)
  })
})
