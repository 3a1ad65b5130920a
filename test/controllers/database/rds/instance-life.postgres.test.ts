// The runtime's protocol against moto, for an instance that is late, unmanaged, deleted, changed or broken. The crash
// runs cover the death of the operator.
import { describe, expect, it } from 'vitest'
import { rdsForSuite } from '../../../rds/on-rds.ts'
import { asChanged, asMade, identifier, pace, World } from './instance-world.ts'

const startRds = rdsForSuite()

describe('a running operator', () => {
  it('creates no second instance when the first one is invisible for longer than expected', async () => {
    const rds = await startRds()
    rds.pace = { ...pace, hidden: 6 }
    const world = new World(rds, {})
    await world.until('available', asMade)
    expect(rds.records.filter(({ action }) => action === 'CreateDBInstance').length).toBeGreaterThan(1)
    expect(rds.effective('CreateDBInstance')).toBe(1)
  })

  it('does nothing to an unmanaged instance of the name', async () => {
    const rds = await startRds()
    const theirs = new World(rds, { uid: 'theirs' })
    await theirs.until('available', asMade)
    rds.forget()
    const found = await new World(rds, {}).pass(asMade)
    expect(found.standing).toMatchObject({ state: 'notOwned', reason: 'NotOwned', end: 'stopped' })
    expect(rds.actions).toEqual(['DescribeDBInstances'])
  })

  it('reports an instance that was deleted outside, and creates no empty one in its place', async () => {
    const rds = await startRds()
    const world = new World(rds, {})
    await world.until('available', asMade)
    await new World(rds, { record: world.record }).until('gone', asMade, 'dissolve')
    rds.forget()
    await world.until('vanished', asMade)
    expect(rds.effective('CreateDBInstance')).toBe(0)
  })

  it('corrects changes by hand, or only reports them', async () => {
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

  it('reports why an instance is broken, and still removes it', async () => {
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
