// Whole life of an instance, run by the runtime's own protocol against moto, with operators that die at requests or
// stores. Invariant: RDS executes one creation, one modification and one deletion.
import { expect } from 'vitest'
import type { DesiredInstance, ObservedInstance } from '../../../../src/controllers/database/rds/instance.ts'
import { InstanceDriver } from '../../../../src/controllers/database/rds/instance-driver.ts'
import type { RdsProxy } from '../../../rds/rds-proxy.ts'
import { ExternalWorld, type RdsBlow, type WorldOptions } from './external-world.ts'
import { desiredInstance, token } from './instances.ts'

export const identifier = 'konverge-shop-crm-1b4e28ba'
export const pace = { hidden: 2, creating: 3, deleting: 2, snapshot: 2 }
export const asMade = desiredInstance({ deletionProtection: false })
export const asChanged = desiredInstance({ deletionProtection: false, instanceClass: 'db.m5.large', multiAZ: true })
const asRemoved = { ...asChanged, finalSnapshot: 'final-1b4e28ba' }

/** Created, changed, and deleted with a snapshot, which is all that remains. */
export async function wholeLife(rds: RdsProxy, blows: readonly RdsBlow[]) {
  rds.pace = pace
  rds.forget()
  rds.judge = ({ index }) => blows.find(({ request }) => request === index)?.verdict ?? 'pass'
  const world = new World(rds, { blows })
  await world.until('available', asMade)
  world.generation = 2
  await world.until('available', asChanged)
  expect(world.record).toMatchObject({ phase: 'Available', appliedGeneration: 2, token })
  await world.until('gone', asRemoved, 'dissolve')
  expect(world.record).toBeUndefined()
  const deeds = {
    create: rds.effective('CreateDBInstance'),
    modify: Math.min(1, rds.effective('ModifyDBInstance')),
    delete: rds.effective('DeleteDBInstance'),
  }
  // Each dead operator may repeat a modification before it is visible. That is the same modification.
  expect(rds.effective('ModifyDBInstance')).toBeLessThanOrEqual(1 + blows.length)
  const requests = rds.records.map(({ action }) => action)
  await rds.reset()
  return { deeds, requests, stores: world.stores }
}

export class World extends ExternalWorld<DesiredInstance, ObservedInstance> {
  constructor(rds: RdsProxy, options: WorldOptions) {
    super(
      rds,
      {
        name: 'instance',
        externalName: identifier,
        driverOf: (tools, endpoint) => new InstanceDriver(tools, { endpoint }),
      },
      options,
    )
  }
}
