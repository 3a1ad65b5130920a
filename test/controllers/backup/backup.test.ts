// Backups as resources, on an in-process cluster where the test plays the node. Invariant: a Backup reports its true
// state whatever happens to its workers.
import { describe, expect, it } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { slotAnnotation } from '../../../src/controllers/backup/desired-work.ts'
import type { WorkOrder } from '../../../src/controllers/backup/work-order.ts'
import type { WorkReport } from '../../../src/controllers/backup/work-report.ts'
import { ConfigMap, Event, Job, Namespace, Pod, valueAt } from '../../../src/index.ts'
import { BackupScene, home, target } from './backup-fixture.ts'

const stopped = (reason: string): WorkReport => ({ outcome: 'Stopped', reason, message: `it is ${reason}` })
const only =
  (work: WorkOrder['work'], report: WorkReport | 'works' | 'dies' | 'late') =>
  (scene: BackupScene): BackupScene['answer'] =>
  (order) =>
    order.work === work ? report : scene.done(order)

async function ready(): Promise<BackupScene> {
  const scene = await BackupScene.start()
  await scene.database()
  return scene
}

/** Creates pod `held` of the first Job. */
async function podOf({ cluster }: BackupScene, image: string): Promise<void> {
  const job = (await cluster.list(Job, home))[0]
  const template = job && (valueAt(job, 'spec', 'template') as { readonly metadata?: object }) // A Job has this template.
  const metadata = { ...template?.metadata, name: 'held', namespace: home }
  await cluster.create(Pod, { metadata, spec: { containers: [{ name: 'worker', image }] } })
}

describe('a Backup', () => {
  it('that is recreated after its scheduled time backs up nothing for that time, and reports where that backup is', async () => {
    const scene = await ready()
    const metadata = { name: 'nightly-29400000', namespace: home }
    const annotations = { [slotAnnotation]: '2025-12-01T02:30:00Z' }
    const spec = { databaseRef: { name: 'crm' }, target }
    await scene.cluster.create(Backup, { metadata: { ...metadata, annotations }, spec })
    await scene.becomes('nightly-29400000', 'Stalled', 'True SlotPassed')
    await scene.pass(60_000)
    expect([await scene.jobs(), scene.worked]).toEqual([[], []])
    const { message } = (await scene.condition('nightly-29400000', 'Stalled')) ?? {}
    expect(message).toMatch(/restore that by its location.*clock is behind/)
  })

  it('is made and verified, and is then in sync without a worker', async () => {
    const scene = await ready()
    await scene.create('once')
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    expect(scene.worked).toEqual(['backup once', 'verify once'])
    expect(await scene.standing('once', 'Completed')).toBe('True Completed')
    expect(await scene.standing('once', 'Verified')).toBe('True RestoreVerified')
    expect(await scene.status('once')).toMatchObject({
      phase: 'Completed',
      artifact: { bytes: 1_000, uri: expect.stringMatching(/^pvc:\/\/backups\/shop\/crm\//) },
      source: { tables: 3, rows: 1_600 },
      verifiedAt: expect.stringMatching(/^2026-01-01T00:0/),
    })
    await scene.pass(60_000)
    expect(await scene.jobs()).toEqual([])
    await scene.pass(7_200_000, 60_000)
    expect(scene.worked).toHaveLength(2)
  })

  it.each([
    ['None', 'True NotRequested', 'False NotRequested', ['backup once']],
    ['Checksum', 'True ChecksumVerified', 'False ChecksumVerified', ['backup once', 'verify once']],
  ] as const)('with the verification mode %s is %s', async (mode, standing, verified, worked) => {
    const scene = await ready()
    await scene.create('once', { verify: { mode } })
    await scene.becomes('once', 'Ready', standing)
    expect(await scene.standing('once', 'Verified')).toBe(verified)
    expect(scene.worked).toEqual(worked)
  })

  it('reports why its worker does not start, as long as that lasts', async () => {
    const scene = await ready()
    scene.answer = () => 'works'
    await scene.create('once')
    await scene.until('a worker', async () => (await scene.jobs()).length > 0)
    await podOf(scene, 'konverge:none')
    const container = { name: 'worker', ready: false, restartCount: 0, image: 'konverge:none', imageID: '' }
    const told = (state: object) =>
      scene.patchStatus(Pod, 'held', { phase: 'Pending', containerStatuses: [{ ...container, state }] })
    await told({ waiting: { reason: 'ImagePullBackOff', message: 'not found' } })
    await scene.becomes('once', 'Ready', 'False ImagePullFailed')
    expect(await scene.condition('once', 'Ready')).toMatchObject({
      message: 'pod held cannot get image konverge:none: not found',
    })
    await told({ waiting: null, running: { startedAt: '2026-01-01T00:00:00Z' } })
    await scene.becomes('once', 'Ready', 'False Saving')
  })

  it('reports that its worker finds no node, after a delay', async () => {
    const scene = await ready()
    scene.answer = () => 'works'
    await scene.create('once')
    await scene.until('a worker', async () => (await scene.jobs()).length > 0)
    await podOf(scene, 'konverge:test')
    await scene.pass(60_000)
    expect(await scene.standing('once', 'Ready')).toBe('False Saving')
    await scene.becomes('once', 'Ready', 'False Unschedulable')
    expect((await scene.condition('once', 'Ready'))?.message).toContain('no nodes available')
  })

  it('reports that the pod of its worker cannot be created, until one is', async () => {
    const scene = await ready()
    scene.answer = () => 'works'
    await scene.create('once')
    await scene.until('a worker', async () => (await scene.jobs()).length > 0)
    const [job = ''] = await scene.jobs()
    // This is the status of a Job whose pods are rejected.
    const startTime = new Date(scene.cluster.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    await scene.patchStatus(Job, job, { startTime, ready: 0, terminating: 0 })
    await scene.pass(60_000)
    expect(await scene.standing('once', 'Ready')).toBe('False Saving')
    await scene.becomes('once', 'Ready', 'False FailedCreate')
    expect((await scene.condition('once', 'Ready'))?.message).toContain(`kubectl describe job ${job}`)
    await scene.patchStatus(Job, job, { active: 1 })
    await scene.becomes('once', 'Ready', 'False Saving')
  })

  it('with the method Physical is a copy of the server, which the worker starts for verification', async () => {
    const scene = await BackupScene.start()
    await scene.ownServer()
    const orders: WorkOrder[] = []
    scene.answer = (order) => {
      orders.push(order)
      return scene.done(order)
    }
    await scene.create('once', { method: 'Physical', options: { compress: { method: 'zstd', level: 3 } } })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    expect(orders).toMatchObject([
      { work: 'backup', backup: { method: 'Physical', packing: { method: 'zstd', level: 3 } } },
      { work: 'verify', copy: 'started' },
    ])
    expect(orders[1]).not.toHaveProperty('restoresOn')
    expect(await scene.condition('once', 'Completed')).toMatchObject({ message: 'the whole server in 1000 bytes' })
    expect((await scene.condition('once', 'Verified'))?.message).toContain('a server has recovered from them')
    expect((await scene.status('once')).source).not.toHaveProperty('rows')
  })

  it.each([
    [{}, { compression: 1 }],
    [{ compress: { method: 'gzip' } }, { compression: 1 }],
    [{ compress: { method: 'gzip', level: 4 } }, { compression: 4 }],
    [{ compress: { method: 'none' } }, { compression: 0 }],
    [{ excludeTables: ['a.b'] }, { compression: 1, excludeTables: ['a.b'] }],
  ] as const)('with the options %j becomes a job spec with %j', async (options, ordered) => {
    const scene = await ready()
    const orders: WorkOrder[] = []
    scene.answer = (order) => {
      orders.push(order)
      return scene.done(order)
    }
    await scene.create('once', { options: { ...options, jobs: 3 } as never }) // The CRD has this field.
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    const [make, verify] = orders
    expect(make).toMatchObject({ backup: ordered })
    const told = Object.keys(make?.work === 'backup' ? make.backup : {}).filter((key) =>
      /^(compress|exclude)/.test(key),
    )
    expect(told).toEqual(Object.keys(ordered))
    expect(verify).toMatchObject({ verification: { jobs: 3 } })
  })

  it('is rejected when it is physical and the server is shared with others', async () => {
    const scene = await ready()
    await scene.create('once', { method: 'Physical' })
    await scene.becomes('once', 'Ready', 'False InvalidMethod')
    expect((await scene.condition('once', 'Ready'))?.message).toMatch(/has none of its own .* use the method Logical/)
    expect(scene.worked).toEqual([])
  })

  it('waits for its database, and leaves a running worker alone when the database is deleted', async () => {
    const scene = await BackupScene.start()
    await scene.create('once')
    await scene.becomes('once', 'Ready', 'False DatabaseMissing')
    await scene.database()
    scene.answer = () => 'works'
    await scene.until('a worker', async () => (await scene.jobs()).length === 1)
    await scene.cluster.delete(Database, `${home}/crm`)
    await scene.pass(60_000)
    expect(await scene.jobs()).toHaveLength(1)
    expect(await scene.standing('once', 'Ready')).toBe('False DatabaseMissing')
    await scene.database()
    scene.answer = (order) => scene.done(order)
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
  })

  it('reports why it could not be made, and does not retry indefinitely', async () => {
    const scene = await ready()
    scene.answer = only('backup', stopped('VersionMismatch'))(scene)
    await scene.create('once')
    await scene.becomes('once', 'Stalled', 'True VersionMismatch')
    expect(await scene.standing('once', 'Completed')).toBe('False VersionMismatch')
    expect(await scene.status('once')).toMatchObject({ phase: 'Failed', error: 'it is VersionMismatch' })
    scene.answer = (order) => scene.done(order)
    const [name = ''] = await scene.jobs()
    await scene.cluster.delete(Job, `${home}/${name}`)
    await scene.pass(600_000, 10_000)
    expect(await scene.standing('once', 'Ready')).toBe('False VersionMismatch')
    expect(scene.worked).toEqual([])
  })

  it('fails when all its workers die', async () => {
    const scene = await ready()
    scene.answer = () => 'dies'
    await scene.create('once')
    await scene.becomes('once', 'Stalled', 'True BackoffLimitExceeded')
  })

  it('is made and not verified when its restore fails', async () => {
    const scene = await ready()
    scene.answer = only('verify', stopped('ManifestMismatch'))(scene)
    await scene.create('once')
    await scene.becomes('once', 'Verified', 'False ManifestMismatch')
    expect(await scene.standing('once', 'Completed')).toBe('True Completed')
    expect(await scene.standing('once', 'Ready')).toBe('False ManifestMismatch')
    expect((await scene.status('once')).phase).toBe('Failed')
    await scene.cluster.delete(Job, `${home}/${(await scene.jobs()).find((name) => name.includes('verify'))}`)
    await scene.pass(600_000, 10_000)
    expect(await scene.standing('once', 'Verified')).toBe('False ManifestMismatch')
  })

  it('is verified later when its server or store was unavailable, and reports when', async () => {
    const scene = await ready()
    let tries = 0
    const away: WorkReport = { outcome: 'Interrupted', reason: 'ServerUnreachable', message: 'nobody answers' }
    scene.answer = (order) => {
      if (order.work !== 'verify') return scene.done(order)
      tries += 1
      return tries < 3 ? away : scene.done(order)
    }
    await scene.create('once')
    await scene.becomes('once', 'Ready', 'False ServerUnreachable')
    const { message } = (await scene.condition('once', 'Ready')) ?? {}
    expect(message).toMatch(/^nobody answers; it is tried again at 2026-01-01T00:01:/)
    expect(await scene.standing('once', 'Verified')).toBe('Unknown ServerUnreachable')
    expect(await scene.standing('once', 'Stalled')).toBeUndefined()
    await scene.restart()
    await scene.until(
      'it to be proven',
      async () => (await scene.standing('once', 'Verified')) === 'True RestoreVerified',
      600_000,
    )
    expect(tries).toBe(3)
    expect(scene.worked).toEqual(['backup once', 'verify once'])
    await scene.pass(60_000)
    expect(await scene.jobs()).toEqual([])
  })

  it('stays unverified when its store never comes back', async () => {
    const scene = await ready()
    let tries = 0
    scene.answer = (order) => {
      if (order.work !== 'verify') return scene.done(order)
      tries += 1
      return { outcome: 'Interrupted', reason: 'StoreUnavailable', message: 'nobody answers' }
    }
    await scene.create('once')
    await scene.until(
      'it to be given up',
      async () => (await scene.standing('once', 'Stalled')) !== undefined,
      3_600_000,
    )
    expect(await scene.standing('once', 'Verified')).toBe('False StoreUnavailable')
    await scene.pass(7_200_000, 60_000)
    expect(tries).toBe(6)
  })

  it('is verified once more for each new verify-again token, whatever its last result was', async () => {
    const scene = await ready()
    await scene.create('once')
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    const { verifiedAt } = await scene.status('once')
    const ask = (token: string) =>
      scene.patch('once', { metadata: { annotations: { 'data.konverge.dev/verify-again': token } } })
    const answered = (token: string) =>
      scene.until(`${token} to be answered`, async () => (await scene.status('once')).lastHandledVerify === token)

    await scene.pass(60_000)
    await ask('monday')
    await answered('monday')
    expect(await scene.standing('once', 'Verified')).toBe('True RestoreVerified')
    expect((await scene.status('once')).verifiedAt).not.toBe(verifiedAt)
    scene.answer = only('verify', stopped('ChecksumMismatch'))(scene)
    await ask('tuesday')
    await answered('tuesday')
    expect(await scene.standing('once', 'Verified')).toBe('False ChecksumMismatch')
    expect(await scene.status('once')).toMatchObject({ phase: 'Failed' })
    expect((await scene.status('once')).verifiedAt).toBeUndefined()
    await scene.restart()
    await scene.pass(60_000)
    expect(await scene.standing('once', 'Verified')).toBe('False ChecksumMismatch')
    scene.answer = (order) => scene.done(order)
    await ask('wednesday')
    await answered('wednesday')
    expect(await scene.standing('once', 'Verified')).toBe('True RestoreVerified')
    await scene.pass(60_000)
    expect(scene.worked).toEqual(['backup once', 'verify once', 'verify once', 'verify once'])
    expect(await scene.jobs()).toEqual([])
  })

  it('is made once more when its result is lost', async () => {
    const scene = await ready()
    await scene.create('once')
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    await scene.pass(60_000)
    await scene.patchStatus(Backup, 'once', {
      phase: null,
      artifact: null,
      source: null,
      verifiedAt: null,
      folder: null,
    })
    await scene.restart()
    await scene.until('it to be proven again', async () => (await scene.status('once')).verifiedAt !== undefined)
    expect(scene.worked).toEqual(['backup once', 'verify once', 'backup once', 'verify once'])
    expect(scene.stored.size).toBe(1)
  })

  it('continues when another process takes over', async () => {
    const scene = await ready()
    await scene.create('once')
    for (let turn = 0; turn < 12; turn += 1) {
      await scene.restart()
      await scene.pass(2_000)
    }
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    expect(scene.worked).toEqual(['backup once', 'verify once'])
  })

  it('starts nothing while it is suspended, and continues on resume', async () => {
    const scene = await ready()
    await scene.create('once', { suspend: true })
    await scene.becomes('once', 'Ready', 'False Suspended')
    await scene.pass(60_000)
    expect(scene.worked).toEqual([])
    await scene.patch('once', { spec: { suspend: false } })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
  })

  it('shows the password of the server to no other object', async () => {
    const scene = await ready()
    await scene.create('once')
    await scene.becomes('once', 'Completed', 'True Completed')
    const objects = await Promise.all(
      [Job, ConfigMap, Pod, Backup, Event].map((kind) => scene.cluster.list(kind, home)),
    )
    expect(objects[0]?.length).toBeGreaterThan(0)
    expect(JSON.stringify(objects)).not.toMatch(/"pw"|cHc=/)
  })
})

describe('a Backup that is deleted', () => {
  it('leaves its artifact when the policy is Retain', async () => {
    const scene = await ready()
    await scene.create('once')
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    await scene.delete('once')
    await scene.goes('once')
    expect(scene.stored.size).toBe(1)
    expect(scene.worked).not.toContain('discard once')
  })

  it('removes its artifact when the policy is Delete', async () => {
    const scene = await ready()
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    scene.answer = only('discard', 'works')(scene)
    await scene.delete('once')
    await scene.pass(120_000)
    expect(await scene.find('once')).toBeDefined()
    scene.answer = (order) => scene.done(order)
    await scene.goes('once')
    expect(scene.stored.size).toBe(0)
    await scene.pass(60_000)
    expect(await scene.jobs()).toEqual([])
    expect(scene.worked.filter((work) => work.startsWith('discard'))).toEqual(['discard once'])
  })

  it('stops its worker before the artifact is removed', async () => {
    const scene = await ready()
    scene.answer = () => 'works'
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.until('a worker', async () => (await scene.jobs()).length === 1)
    const [job = ''] = await scene.jobs()
    const found = await scene.cluster.find(Job, `${home}/${job}`)
    // The pod takes a while to terminate. Its labels name its Job.
    const { metadata } = (found as unknown as { spec: { template: { metadata: object } } }).spec.template // A Job has this template.
    await scene.cluster.create(Pod, {
      metadata: { ...metadata, name: 'at-work', namespace: home },
      spec: { containers: [{ name: 'worker', image: 'i' }] },
    })
    await scene.patchStatus(Pod, 'at-work', { phase: 'Running' })
    scene.answer = (order) => (/discard|tidy/.test(order.work) ? scene.done(order) : 'works')
    await scene.delete('once')
    await scene.pass(60_000)
    expect(scene.worked).toEqual([])
    expect((await scene.jobs()).filter((name) => !/discard|tidy/.test(name))).toEqual([])
    expect(await scene.condition('once', 'Ready')).toMatchObject({
      ...{ status: 'False', reason: 'WorkerEnding', message: expect.stringContaining('at-work') },
    })
    await scene.patchStatus(Pod, 'at-work', { phase: 'Failed' })
    await scene.goes('once')
    expect(scene.worked.toSorted()).toEqual(['discard once', 'tidy once'])
  })

  it('removes what a killed worker left, with either policy', async () => {
    const scene = await ready()
    const orders: WorkOrder[] = []
    const answer = (at: WorkOrder['work']): BackupScene['answer'] => {
      return (order) => {
        orders.push(order)
        return order.work === at ? 'works' : scene.done(order)
      }
    }
    const last = () => orders.findLast(({ work }) => work === 'tidy')

    scene.answer = answer('backup')
    await scene.create('making')
    await scene.until('a worker', async () => (await scene.jobs()).length === 1)
    const { folder } = await scene.status('making')
    await scene.delete('making')
    await scene.goes('making')
    expect(last()).toMatchObject({ tidy: { folder }, restoresOn: { name: 'shop/crm' } })

    scene.answer = answer('verify')
    await scene.create('proving', { artifactPolicy: 'Delete' })
    await scene.becomes('proving', 'Ready', 'False Verifying')
    await scene.delete('proving')
    await scene.goes('proving')
    // The store holds the artifact of the other Backup.
    expect(last()).toHaveProperty('tidy', { backup: expect.objectContaining({ name: 'proving' }) })
    expect(last()).toMatchObject({ restoresOn: { name: 'shop/crm' } })
    expect(scene.stored.size).toBe(0)

    await scene.create('orphaned')
    await scene.becomes('orphaned', 'Ready', 'False Verifying')
    await scene.cluster.delete(Database, `${home}/crm`)
    await scene.delete('orphaned')
    await scene.goes('orphaned')
    expect(last()).toMatchObject({ name: 'shop/orphaned', tidy: { folder: expect.any(String) } })
    expect(last()).not.toHaveProperty('restoresOn')
    expect(scene.stored.size).toBe(1)
    await scene.pass(60_000)
    expect(await scene.jobs()).toEqual([])
  })

  it.each([
    ['never does it', 'works', 'no worker has done it within 5 minutes'],
    ['takes too long', 'late', 'it took longer than 2 minutes'],
    ['cannot do it', stopped('NameTaken'), 'it is NameTaken'],
  ] as const)('reports what is left when the tidying worker %s, and is removed', async (_, answer, why) => {
    const scene = await ready()
    scene.answer = only('backup', 'works')(scene)
    await scene.create('once')
    await scene.until('a worker', async () => (await scene.jobs()).length === 1)
    scene.answer = only('tidy', answer)(scene)
    await scene.delete('once')
    await scene.until('it to be gone', async () => (await scene.find('once')) === undefined, 400_000)
    const told = (await scene.cluster.list(Event, home)).find((event) => valueAt(event, 'reason') === 'LeftBehind')
    expect(told).toMatchObject({ type: 'Warning', note: expect.stringMatching(why) })
    expect(String(told && valueAt(told, 'note'))).toMatch(/drop the database and the role _verify_[0-9a-f]{32} by hand/)
  })

  it('removes its artifact also when the operator died before it recorded the location', async () => {
    const scene = await ready()
    scene.answer = only('backup', 'works')(scene)
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.until('a worker', async () => (await scene.jobs()).length === 1)
    await scene.sleep()
    await scene.patchStatus(Backup, 'once', { folder: null })
    await scene.delete('once')
    await scene.restart()
    await scene.goes('once')
    expect(scene.worked).toContain('discard once')
  })

  it('is verified and removed at its own location when its Database was recreated meanwhile', async () => {
    const scene = await ready()
    scene.answer = () => 'works'
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.until('a worker', async () => (await scene.jobs()).length === 1)
    await scene.cluster.delete(Database, `${home}/crm`)
    await scene.becomes('once', 'Ready', 'False DatabaseMissing')
    await scene.database()
    const again = await scene.cluster.find(Database, `${home}/crm`)
    let proven: string | undefined
    scene.answer = (order) => {
      if (order.work === 'verify') proven = order.verification.folder
      // The worker for the earlier Database is stopped and does not finish.
      const isLate = order.work === 'backup' && order.backup.database.uid !== again?.metadata.uid
      return isLate ? 'works' : scene.done(order)
    }
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    const { folder } = await scene.status('once')
    expect([...scene.stored]).toEqual([folder])
    expect(proven).toBe(folder)
    await scene.delete('once')
    await scene.goes('once')
    expect(scene.stored.size).toBe(0)
  })

  it('reports why its artifact cannot be removed, retries, and is removed without it when it is abandoned', async () => {
    const scene = await ready()
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    let tries = 0
    scene.answer = (order) => {
      tries += 1
      return order.work === 'discard' ? stopped('Locked') : scene.done(order)
    }
    await scene.delete('once')
    await scene.becomes('once', 'Stalled', 'True Locked')
    expect((await scene.status('once')).error).toContain('spec.artifactPolicy to Retain')
    const before = tries
    await scene.pass(4_000_000, 60_000)
    expect(tries).toBeGreaterThan(before)
    await scene.patch('once', { spec: { artifactPolicy: 'Retain' } })
    await scene.goes('once')
    expect(scene.stored.size).toBe(1)
  })

  it('is removed immediately when no work was started', async () => {
    const scene = await BackupScene.start()
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.becomes('once', 'Ready', 'False DatabaseMissing')
    await scene.delete('once')
    await scene.goes('once')
    expect(scene.worked).toEqual([])
  })

  it('does not block its namespace, in which no worker can be created any more', async () => {
    const scene = await ready()
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    await scene.cluster.delete(Namespace, home)
    await scene.until('the namespace to be gone', async () => (await scene.cluster.find(Namespace, home)) === undefined)
  })

  it('is completed when the operator dies between any two steps', async () => {
    const scene = await ready()
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    await scene.delete('once')
    for (let turn = 0; turn < 12 && (await scene.find('once')) !== undefined; turn += 1) {
      await scene.restart()
      await scene.pass(1_000)
    }
    await scene.goes('once')
    expect(scene.stored.size).toBe(0)
  })
})
