// The runtime's protocol against moto, for a snapshot that is late, unmanaged, removed or failed. The crash runs cover
// the death of the operator.
import { describe, expect, it, onTestFinished } from 'vitest'
import { rdsForSuite } from '../../../rds/on-rds.ts'
import type { RdsProxy } from '../../../rds/rds-proxy.ts'
import { token } from './instances.ts'
import { awsByHand, desiredSnapshot, instance, SnapshotWorld, snapshotName, source, withInstance } from './snapshots.ts'

const startRds = rdsForSuite()

describe('a snapshot of an instance', () => {
  it('is created once, however long it is invisible, and reports its contents', async () => {
    const rds = await begin()
    rds.pace = { hidden: 6, creating: 0, deleting: 0, snapshot: 3 }
    const world = new SnapshotWorld(rds)
    await world.until('available', desiredSnapshot())
    expect(rds.effective('CreateDBSnapshot')).toBe(1)
    expect(rds.records.filter(({ action }) => action === 'CreateDBSnapshot').length).toBeGreaterThan(1)
    const { observation } = await world.pass(desiredSnapshot())
    expect(observation).toMatchObject({
      kind: 'available',
      owner: token,
      observed: { source, engineVersion: '15.18', sizeBytes: 20 * 2 ** 30, takenAt: expect.stringMatching(/^20..-/) },
    })
  })

  it('is reported as in progress while RDS takes it', async () => {
    const rds = await begin()
    rds.pace = { hidden: 0, creating: 0, deleting: 0, snapshot: 3 }
    const { standing } = await new SnapshotWorld(rds).pass(desiredSnapshot())
    expect(standing).toMatchObject({
      state: 'pending',
      end: 'waiting',
      message: expect.stringContaining('RDS says creating'),
    })
  })

  it('waits until a busy instance accepts the request', async () => {
    const rds = await begin()
    rds.setWord(instance, 'modifying')
    const world = new SnapshotWorld(rds)
    const { standing } = await world.pass(desiredSnapshot())
    expect(standing).toMatchObject({ state: 'failed', reason: 'InstanceBusy', end: 'retry' })
    rds.setWord(instance, undefined)
    await world.until('available', desiredSnapshot())
    expect(rds.effective('CreateDBSnapshot')).toBe(1)
  })

  it('leaves an unmanaged snapshot of its name alone', async () => {
    const rds = await begin()
    const theirs = new SnapshotWorld(rds, { uid: 'theirs' })
    await theirs.until('available', desiredSnapshot())
    const ours = new SnapshotWorld(rds)
    const { standing } = await ours.pass(desiredSnapshot())
    expect(standing).toMatchObject({ state: 'notOwned', reason: 'NotOwned' })
    await new SnapshotWorld(rds, { record: theirs.record }).until('kept', desiredSnapshot(), 'dissolve')
    expect(rds.effective('DeleteDBSnapshot')).toBe(0)
  })

  it('is removed once RDS has completed it', async () => {
    const rds = await begin()
    rds.pace = { hidden: 0, creating: 0, deleting: 0, snapshot: 3 }
    const world = new SnapshotWorld(rds)
    await world.pass(desiredSnapshot())
    await world.until('gone', desiredSnapshot(), 'dissolve')
    expect(rds.effective('DeleteDBSnapshot')).toBe(1)
    expect(rds.records.filter(({ action }) => action === 'DeleteDBSnapshot').length).toBeGreaterThan(1)
  })

  it('is reported when it was removed outside, and is not recreated', async () => {
    const rds = await begin()
    const world = new SnapshotWorld(rds)
    await world.until('available', desiredSnapshot())
    const aws = awsByHand(rds)
    onTestFinished(() => aws.destroy())
    await aws.deleteDBSnapshot({ DBSnapshotIdentifier: snapshotName })
    await world.until('vanished', desiredSnapshot())
    expect(rds.effective('CreateDBSnapshot')).toBe(1)
  })

  it('that failed is reported, and can be removed', async () => {
    const rds = await begin()
    const world = new SnapshotWorld(rds)
    await world.until('available', desiredSnapshot())
    rds.setSnapshotWord(snapshotName, 'failed')
    const { standing } = await world.pass(desiredSnapshot())
    expect(standing).toMatchObject({ state: 'broken', reason: 'SnapshotFailed', end: 'stopped' })
    await world.until('gone', desiredSnapshot(), 'dissolve')
  })

  it('is marked again when its tags were removed', async () => {
    const rds = await begin()
    const world = new SnapshotWorld(rds)
    await world.until('available', desiredSnapshot())
    const aws = awsByHand(rds)
    onTestFinished(() => aws.destroy())
    const { DBSnapshots: [found] = [] } = await aws.describeDBSnapshots({ DBSnapshotIdentifier: snapshotName })
    const TagKeys = (found?.TagList ?? []).flatMap(({ Key }) => Key ?? [])
    await aws.removeTagsFromResource({ ResourceName: found?.DBSnapshotArn, TagKeys })
    const { standing, observation } = await world.pass(desiredSnapshot())
    expect(standing).toMatchObject({ state: 'available', reason: 'AsDesired' })
    expect(observation).toMatchObject({ owner: token, observed: { source } })
  })
})

async function begin(): Promise<RdsProxy> {
  const rds = await startRds()
  await withInstance(rds)
  return rds
}
