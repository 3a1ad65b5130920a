// What does an operator make of an instance that is late, somebody else's, deleted, changed or broken? Told by the runtime's own protocol against
// moto. Where the operator dies is told by the crash runs.
import { describe, expect, it } from 'vitest'
import { rdsForSuite } from '../../../rds/on-rds.ts'
import { asChanged, asMade, identifier, pace, World } from './instance-world.ts'

const startRds = rdsForSuite()

describe('an operator that lives', () => {
  it('makes no second instance when the first is not to be seen for longer than was thought', async () => {
    const rds = await startRds()
    rds.pace = { ...pace, hidden: 6 }
    const world = new World(rds, {})
    await world.until('available', asMade)
    expect(rds.records.filter(({ action }) => action === 'CreateDBInstance').length).toBeGreaterThan(1)
    expect(rds.effective('CreateDBInstance')).toBe(1)
  })

  it('does nothing to an instance of this name that is somebody else’s', async () => {
    const rds = await startRds()
    const theirs = new World(rds, { uid: 'theirs' })
    await theirs.until('available', asMade)
    rds.forget()
    const found = await new World(rds, {}).pass(asMade)
    expect(found.standing).toMatchObject({ state: 'notOwned', reason: 'NotOwned', end: 'stopped' })
    expect(rds.actions).toEqual(['DescribeDBInstances'])
  })

  it('tells of an instance that somebody has deleted, and makes no empty one in its place', async () => {
    const rds = await startRds()
    const world = new World(rds, {})
    await world.until('available', asMade)
    await new World(rds, { record: world.record }).until('gone', asMade, 'dissolve')
    rds.forget()
    await world.until('vanished', asMade)
    expect(rds.effective('CreateDBInstance')).toBe(0)
  })

  it('puts right what somebody has changed, or only says so', async () => {
    const rds = await startRds()
    const world = new World(rds, {})
    await world.until('available', asMade)
    await new World(rds, { record: world.record }).until('available', asChanged)
    const reported = await world.pass(asMade, { driftPolicy: 'Report' })
    expect(reported.drift.map(({ reason }) => reason)).toEqual(['InstanceClassChanged', 'MultiAZChanged'])
    const corrected = await world.pass(asMade)
    expect(corrected.corrected.map(({ reason }) => reason)).toEqual(['InstanceClassChanged', 'MultiAZChanged'])
    expect(corrected.standing).toMatchObject({ state: 'available', reason: 'AsDesired' })
  })

  it('tells what keeps a broken instance, and removes it all the same', async () => {
    const rds = await startRds()
    const world = new World(rds, {})
    await world.until('available', asMade)
    rds.setWord(identifier, 'failed')
    const { standing } = await world.pass(asMade)
    expect(standing).toMatchObject({ state: 'broken', reason: 'Failed', end: 'stopped' })
    await world.until('gone', asMade, 'dissolve')
    expect(rds.effective('DeleteDBInstance')).toBe(1)
  })
})
