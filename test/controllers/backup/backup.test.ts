// Does a Backup as a resource do what it says, whatever becomes of its workers? On a cluster in this process, with a hand for a node.
import { describe, expect, it } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import type { WorkOrder } from '../../../src/controllers/backup/work-order.ts'
import type { WorkReport } from '../../../src/controllers/backup/work-report.ts'
import { slotAnnotation } from '../../../src/controllers/backup/work-wish.ts'
import { ConfigMap, Event, Job, Namespace, Pod, valueAt } from '../../../src/index.ts'
import { BackupScene, home, target } from './backup-scene.ts'

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

/** `held`: of the first Job. */
async function podOf({ cluster }: BackupScene, image: string): Promise<void> {
  const job = (await cluster.list(Job, home))[0]
  const template = job && (valueAt(job, 'spec', 'template') as { readonly metadata?: object }) // A Job's.
  const metadata = { ...template?.metadata, name: 'held', namespace: home }
  await cluster.create(Pod, { metadata, spec: { containers: [{ name: 'worker', image }] } })
}

describe('a Backup', () => {
  it('that is made again after its slot saves nothing as of then, and says where that is', async () => {
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

  it('is made, proven and then at rest, with no worker left', async () => {
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
  ] as const)('with the mode %s is %s', async (mode, standing, verified, worked) => {
    const scene = await ready()
    await scene.create('once', { verify: { mode } })
    await scene.becomes('once', 'Ready', standing)
    expect(await scene.standing('once', 'Verified')).toBe(verified)
    expect(scene.worked).toEqual(worked)
  })

  it('says why its worker does not begin, for as long as it does not', async () => {
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

  it('says that its worker finds no node, once that has lasted', async () => {
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

  it('says that no pod of its worker can be made, until one is', async () => {
    const scene = await ready()
    scene.answer = () => 'works'
    await scene.create('once')
    await scene.until('a worker', async () => (await scene.jobs()).length > 0)
    const [job = ''] = await scene.jobs()
    // As the controller of Jobs has it whose pods are refused.
    const startTime = new Date(scene.cluster.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    await scene.patchStatus(Job, job, { startTime, ready: 0, terminating: 0 })
    await scene.pass(60_000)
    expect(await scene.standing('once', 'Ready')).toBe('False Saving')
    await scene.becomes('once', 'Ready', 'False FailedCreate')
    expect((await scene.condition('once', 'Ready'))?.message).toContain(`kubectl describe job ${job}`)
    await scene.patchStatus(Job, job, { active: 1 })
    await scene.becomes('once', 'Ready', 'False Saving')
  })

  it('of a whole server is a copy of it, which is started where its worker is', async () => {
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
  ] as const)('with the options %j is ordered with %j', async (options, ordered) => {
    const scene = await ready()
    const orders: WorkOrder[] = []
    scene.answer = (order) => {
      orders.push(order)
      return scene.done(order)
    }
    await scene.create('once', { options: { ...options, jobs: 3 } as never }) // Of its kind.
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    const [make, verify] = orders
    expect(make).toMatchObject({ backup: ordered })
    const told = Object.keys(make?.work === 'backup' ? make.backup : {}).filter((key) =>
      /^(compress|exclude)/.test(key),
    )
    expect(told).toEqual(Object.keys(ordered))
    expect(verify).toMatchObject({ verification: { jobs: 3 } })
  })

  it('of a server that others have a part in is refused', async () => {
    const scene = await ready()
    await scene.create('once', { method: 'Physical' })
    await scene.becomes('once', 'Ready', 'False InvalidMethod')
    expect((await scene.condition('once', 'Ready'))?.message).toMatch(/has none of its own .* use the method Logical/)
    expect(scene.worked).toEqual([])
  })

  it('waits for its database, and leaves a worker to its work when the database goes', async () => {
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

  it('that could not be made says why, and does not try again for ever', async () => {
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

  it('whose workers all die is a failed one', async () => {
    const scene = await ready()
    scene.answer = () => 'dies'
    await scene.create('once')
    await scene.becomes('once', 'Stalled', 'True BackoffLimitExceeded')
  })

  it('that does not restore is made and not proven', async () => {
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

  it('is proven later where its server or store was away, and says when', async () => {
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

  it('is not proven for ever where its store never comes back', async () => {
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

  it('is proven once more for each token that asks for it, whatever it was before', async () => {
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

  it('is made once more where nobody can say any more what was made', async () => {
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

  it('goes on where it was when another process takes over', async () => {
    const scene = await ready()
    await scene.create('once')
    for (let turn = 0; turn < 12; turn += 1) {
      await scene.restart()
      await scene.pass(2_000)
    }
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    expect(scene.worked).toEqual(['backup once', 'verify once'])
  })

  it('that is suspended begins nothing, and goes on later', async () => {
    const scene = await ready()
    await scene.create('once', { suspend: true })
    await scene.becomes('once', 'Ready', 'False Suspended')
    await scene.pass(60_000)
    expect(scene.worked).toEqual([])
    await scene.patch('once', { spec: { suspend: false } })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
  })

  it('tells nobody the password of the server', async () => {
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
  it('leaves its artifact, by the policy Retain', async () => {
    const scene = await ready()
    await scene.create('once')
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    await scene.delete('once')
    await scene.goes('once')
    expect(scene.stored.size).toBe(1)
    expect(scene.worked).not.toContain('discard once')
  })

  it('goes after its artifact, by the policy Delete', async () => {
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

  it('has its worker ended before what that has stored is removed', async () => {
    const scene = await ready()
    scene.answer = () => 'works'
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.until('a worker', async () => (await scene.jobs()).length === 1)
    const [job = ''] = await scene.jobs()
    const found = await scene.cluster.find(Job, `${home}/${job}`)
    // Its pod takes a while to end, as its label says whose it is.
    const { metadata } = (found as unknown as { spec: { template: { metadata: object } } }).spec.template // A Job's.
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

  it('has what a killed worker left tidied up, by any policy', async () => {
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
    // What is in the store is the other one's.
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
  ] as const)('says what is left where the worker %s that tidies up, and goes', async (_, answer, why) => {
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

  it('goes after its artifact also where the operator died before it could say where that is', async () => {
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

  it('is proven and removed where it was stored, when its Database was made again meanwhile', async () => {
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
      // The worker of before is ended and does not get there.
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

  it('says what keeps its artifact, tries again, and goes without when told to', async () => {
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

  it('goes at once if nothing was begun', async () => {
    const scene = await BackupScene.start()
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.becomes('once', 'Ready', 'False DatabaseMissing')
    await scene.delete('once')
    await scene.goes('once')
    expect(scene.worked).toEqual([])
  })

  it('does not keep its namespace, in which nobody can remove anything any more', async () => {
    const scene = await ready()
    await scene.create('once', { artifactPolicy: 'Delete' })
    await scene.becomes('once', 'Ready', 'True RestoreVerified')
    await scene.cluster.delete(Namespace, home)
    await scene.until('the namespace to be gone', async () => (await scene.cluster.find(Namespace, home)) === undefined)
  })

  it('survives the death of the operator between any two of its steps', async () => {
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
