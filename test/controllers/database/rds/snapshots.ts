// Snapshots for tests: a desired one, and its whole life, run by the runtime's own protocol against moto. Invariant:
// RDS executes one creation and one deletion, and nothing remains.
import { RDS } from '@aws-sdk/client-rds'
import { expect } from 'vitest'
import type { DesiredSnapshot, ObservedSnapshot } from '../../../../src/controllers/database/rds/snapshot.ts'
import { SnapshotDriver } from '../../../../src/controllers/database/rds/snapshot-driver.ts'
import type { RdsProxy } from '../../../rds/rds-proxy.ts'
import { ExternalWorld, type RdsBlow, type WorldOptions } from './external-world.ts'
import { desiredInstance, token } from './instances.ts'

export const instance = 'konverge-shop-crm-1b4e28ba'
export const snapshotName = 'konverge-shop-once-1b4e28ba-2fa1-11d2-883f-0016d3cca427'

export const source = {
  ...{ instance, database: 'shop/crm', databaseUID: '2c4e28ba-2fa1-11d2-883f-0016d3cca427', databaseName: 'crm' },
  systemIdentifier: '7',
}

export function desiredSnapshot(own: Partial<DesiredSnapshot> = {}): DesiredSnapshot {
  return { access: desiredInstance().access, source, label: 'shop/once', ...own }
}

/** Created and deleted. */
export async function wholeSnapshotLife(rds: RdsProxy, blows: readonly RdsBlow[]) {
  await withInstance(rds)
  rds.pace = { hidden: 1, creating: 0, deleting: 1, snapshot: 2 }
  rds.forget()
  rds.judge = ({ index }) => blows.find(({ request }) => request === index)?.verdict ?? 'pass'
  const world = new SnapshotWorld(rds, { blows })
  await world.until('available', desiredSnapshot())
  expect(world.record).toMatchObject({ phase: 'Available', token })
  await world.until('gone', desiredSnapshot(), 'dissolve')
  expect(world.record).toBeUndefined()
  const deeds = { create: rds.effective('CreateDBSnapshot'), delete: rds.effective('DeleteDBSnapshot') }
  const requests = rds.records.map(({ action }) => action)
  await rds.reset()
  return { deeds, requests, stores: world.stores }
}

export class SnapshotWorld extends ExternalWorld<DesiredSnapshot, ObservedSnapshot> {
  constructor(rds: RdsProxy, options: WorldOptions = {}) {
    const driverOf = (tools: ConstructorParameters<typeof SnapshotDriver>[0], endpoint: string) =>
      new SnapshotDriver(tools, { endpoint })
    super(rds, { name: 'snapshot', externalName: snapshotName, driverOf }, options)
  }
}

/** Creates the instance directly, behind the proxy. */
export async function withInstance(rds: RdsProxy): Promise<void> {
  const aws = awsByHand(rds)
  try {
    await aws.createDBInstance({
      ...{ DBInstanceIdentifier: instance, Engine: 'postgres', EngineVersion: '15.18' },
      ...{ DBInstanceClass: 'db.t4g.micro', AllocatedStorage: 20, CopyTagsToSnapshot: true },
      ...{ MasterUsername: 'postgres', MasterUserPassword: 'MasterPassword1' },
      Tags: [{ Key: 'konverge.dev/uid', Value: source.databaseUID }],
    })
  } finally {
    aws.destroy()
  }
}

/** The caller destroys it. */
export function awsByHand(rds: RdsProxy): RDS {
  const credentials = { accessKeyId: 'by', secretAccessKey: 'hand' }
  return new RDS({ region: 'eu-central-1', endpoint: rds.moto, credentials })
}
