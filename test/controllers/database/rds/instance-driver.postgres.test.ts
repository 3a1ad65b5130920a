// The RDS driver against moto, behind a proxy that delays instances and breaks connections.
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../../../src/base/instrument.ts'
import { seededRandom } from '../../../../src/base/random.ts'
import type { DesiredInstance, ObservedInstance } from '../../../../src/controllers/database/rds/instance.ts'
import { InstanceDriver } from '../../../../src/controllers/database/rds/instance-driver.ts'
import type { RdsClientLoaderOptions } from '../../../../src/controllers/database/rds/rds-client-loader.ts'
import type { Endpoint, ExternalCall, ExternalTools, Observation } from '../../../../src/index.ts'
import { SimClock } from '../../../../src/testing/sim-clock.ts'
import { startPostgres } from '../../../postgres/on-each-postgres.ts'
import { rdsForSuite } from '../../../rds/on-rds.ts'
import { desiredInstance, token } from './instances.ts'

const identifier = 'konverge-shop-crm-1b4e28ba'
const startRds = rdsForSuite()

describe('an instance of RDS', () => {
  it('is created once although it is invisible at first, and leads to a PostgreSQL with the master password', async () => {
    const [rds, postgres] = await Promise.all([startRds(), startPostgres()])
    rds.pace = { hidden: 2, creating: 3, deleting: 0, snapshot: 0 }
    rds.databaseAt = { host: '127.0.0.1', port: postgres.port }
    const driver = driverOf(rds)
    await driver.create(callOf())
    await expect(driver.create(callOf())).rejects.toMatchObject({ code: 'AlreadyExists' })
    const seen = await looks(driver, 6)
    expect(seen.map(({ kind }) => kind)).toEqual(['absent', 'absent', 'pending', 'pending', 'pending', 'available'])
    expect(seen[0]).toEqual({ kind: 'absent', proof: 'hint' })
    expect(seen[2]).toMatchObject({ detail: 'RDS says creating', owner: token })
    const observed = observedIn(seen.at(-1))
    expect(driver.differences(desiredInstance(), observed)).toEqual([])
    expect(rds.effective('CreateDBInstance')).toBe(1)

    const { username, password } = desiredInstance().admin
    await postgres.byHand(`ALTER ROLE ${username} PASSWORD '${password}'`)
    const client = new Client({ ...observed.endpoint, user: username, password, database: 'postgres' })
    onTestFinished(() => client.end())
    await client.connect()
  })

  it('is requested with all fields of the spec, encrypted and not public', async () => {
    const rds = await startRds()
    await driverOf(rds).create(callOf({ subnetGroupName: undefined }))
    expect(Object.fromEntries(rds.records[0]?.parameters ?? [])).toMatchObject({
      DBInstanceIdentifier: identifier,
      Engine: 'postgres',
      EngineVersion: '15',
      DBInstanceClass: 'db.t4g.micro',
      AllocatedStorage: '20',
      StorageEncrypted: 'true',
      PubliclyAccessible: 'false',
      DeletionProtection: 'true',
      'VpcSecurityGroupIds.VpcSecurityGroupId.1': 'sg-0a',
    })
  })

  it('is changed by one modification, and is then as desired', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    await driver.create(callOf())
    const desired = {
      instanceClass: 'db.m5.large',
      allocatedStorageGiB: 50,
      multiAZ: true,
      securityGroupIDs: ['sg-0c'],
    }
    const call = callOf(desired)
    const before = observedIn(await driver.observe(call))
    const changes = driver.differences(call.desired, before)
    expect(changes).toHaveLength(4)
    rds.forget()
    await driver.update(call, before, changes)
    expect(rds.actions).toEqual(['ModifyDBInstance'])
    expect(driver.differences(call.desired, observedIn(await driver.observe(call)))).toEqual([])
  })

  it('gets the password of the Secret when that differs, and is marked with it afterwards', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    await driver.create(callOf())
    const call = callOf({ admin: { username: 'postgres', password: 'MasterPassword2', passwordID: 'p-2' } })
    const before = observedIn(await driver.observe(call))
    const changes = driver.differences(call.desired, before)
    expect(changes.map(({ reason }) => reason)).toEqual(['PasswordOutdated'])
    rds.forget()
    await driver.update(call, before, changes)
    expect(rds.actions).toEqual(['ModifyDBInstance', 'AddTagsToResource'])
    expect(rds.records[0]?.parameters.get('MasterUserPassword')).toBe('MasterPassword2')
    const after = await driver.observe(call)
    expect(after).toMatchObject({ owner: token })
    expect(driver.differences(call.desired, observedIn(after))).toEqual([])
  })

  it('is left alone while it is being modified', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    await driver.create(callOf())
    rds.setWord(identifier, 'modifying')
    const call = callOf({ multiAZ: true })
    const before = observedIn(await driver.observe(call))
    rds.forget()
    await expect(driver.update(call, before, driver.differences(call.desired, before))).rejects.toMatchObject({
      code: 'InstanceBusy',
      remedy: 'retry',
      message: `${identifier} is modifying; it is changed when that is over`,
    })
    expect(rds.actions).toEqual([])
    await expect(driver.delete(callOf({ deletionProtection: false }))).rejects.toMatchObject({ code: 'InstanceBusy' })
    expect(rds.effective('DeleteDBInstance')).toBe(0)
  })

  it('is not upgraded', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    await driver.create(callOf({ version: '14' }))
    const before = observedIn(await driver.observe(callOf()))
    await expect(driver.update(callOf(), before, driver.differences(desiredInstance(), before))).rejects.toMatchObject({
      code: 'VersionTooOld',
      remedy: 'stop',
    })
  })

  it('is recognized as another owner’s, and is marked when it is adopted', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    const theirs = { ...callOf(), token: { uid: 'theirs', generation: 3 } }
    await driver.create(theirs)
    const found = await driver.observe(callOf())
    expect(found).toMatchObject({ owner: theirs.token })
    await driver.update(callOf(), observedIn(found), [])
    expect(await driver.observe(callOf())).toMatchObject({ owner: token })
  })
})

describe('the deletion of an instance of RDS', () => {
  it('is rejected while the instance is protected by the spec', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    await driver.create(callOf())
    await expect(driver.delete(callOf())).rejects.toMatchObject({ code: 'RequestRefused', remedy: 'stop' })
    expect(await driver.observe(callOf())).toMatchObject({ observed: { deletionProtection: true } })
  })

  it('removes a protection that the spec does not set', async () => {
    const rds = await startRds()
    rds.pace = { hidden: 0, creating: 0, deleting: 2, snapshot: 0 }
    const driver = driverOf(rds)
    await driver.create(callOf())
    const call = callOf({ deletionProtection: false })
    await driver.delete(call)
    expect((await looks(driver, 3, call)).map(({ kind }) => kind)).toEqual(['deleting', 'deleting', 'absent'])
    expect(rds.effective('DescribeDBSnapshots')).toBe(0)
    rds.forget()
    await driver.delete(call)
    expect(rds.effective('DeleteDBInstance')).toBe(0)
  })

  it('waits for its final snapshot', async () => {
    const rds = await startRds()
    rds.pace = { hidden: 0, creating: 0, deleting: 1, snapshot: 2 }
    const driver = driverOf(rds)
    await driver.create(callOf({ deletionProtection: false }))
    const call = { ...callOf({ deletionProtection: false, finalSnapshot: 'final-1b4e28ba' }), providerID: 'arn' }
    await driver.delete(call)
    expect(await looks(driver, 4, call)).toMatchObject([
      { kind: 'deleting', detail: 'RDS says deleting' },
      { kind: 'deleting', detail: 'its snapshot final-1b4e28ba is creating, 0 %' },
      { kind: 'deleting' },
      { kind: 'absent' },
    ])
  })

  it('is reported as an error when the instance is gone without its final snapshot', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    const desired = { deletionProtection: false, finalSnapshot: 'final-1b4e28ba' }
    expect(await driver.observe(callOf(desired))).toMatchObject({ kind: 'absent' })
    await expect(driver.observe({ ...callOf(desired), providerID: 'arn' })).rejects.toMatchObject({
      code: 'SnapshotMissing',
      remedy: 'retry',
    })
  })

  it('is not requested with a snapshot that RDS cannot take', async () => {
    const rds = await startRds()
    const driver = driverOf(rds)
    await driver.create(callOf({ deletionProtection: false }))
    rds.setWord(identifier, 'failed')
    const call = callOf({ deletionProtection: false, finalSnapshot: 'final-1b4e28ba' })
    await expect(driver.delete(call)).rejects.toMatchObject({ code: 'SnapshotImpossible', remedy: 'stop' })
    await driver.delete(callOf({ deletionProtection: false }))
    expect(rds.effective('DeleteDBInstance')).toBe(1)
  })
})

describe('a failing connection to RDS', () => {
  it.each([
    ['cutBefore' as const, 'ProviderUnreachable', 'retry', 0],
    ['cutAfter' as const, 'ProviderUnreachable', 'retry', 1],
    [{ code: 'Throttling', status: 400 }, 'Throttled', 'retry', 0],
    [{ code: 'InstanceQuotaExceeded', status: 400 }, 'InstanceQuotaExceeded', 'stop', 0],
    [{ code: 'AccessDenied', status: 403 }, 'AccessDenied', 'stop', 0],
    [{ code: 'ServiceUnavailable', status: 503 }, 'ProviderUnavailable', 'retry', 0],
  ])('(%o) is reported as %s: %s, after one attempt', async (verdict, code, remedy, made) => {
    const rds = await startRds()
    rds.judge = () => verdict
    await expect(driverOf(rds).create(callOf())).rejects.toMatchObject({ code, remedy })
    expect(rds.records).toHaveLength(1)
    expect(rds.effective('CreateDBInstance')).toBe(made)
    await expect(driverOf(rds).observe(callOf())).rejects.toMatchObject({ code, remedy })
  })

  it('never counts as absence, also when the connection is refused', async () => {
    const driver = driverOf({ url: 'http://127.0.0.1:9' })
    await expect(driver.observe(callOf())).rejects.toMatchObject({ code: 'ProviderUnreachable' })
  })

  it('is abandoned when the reconcile ends', async () => {
    const rds = await startRds()
    const turn = new AbortController()
    rds.judge = () => {
      turn.abort(new Error('the turn has ended'))
      return 'pass'
    }
    await expect(driverOf(rds).observe({ ...callOf(), signal: turn.signal })).rejects.toThrow('the turn has ended')
  })

  it('is reported with the remedy when the SDK is missing', async () => {
    const loadSdk = () => Promise.reject(new Error('Cannot find package @aws-sdk/client-rds'))
    await expect(driverOf({ url: 'http://127.0.0.1:9' }, { loadSdk }).observe(callOf())).rejects.toMatchObject({
      code: 'SdkMissing',
      remedy: 'stop',
      message: expect.stringContaining('npm install @aws-sdk/client-rds'),
    })
  })
})

function driverOf({ url }: { readonly url: string }, options: RdsClientLoaderOptions = {}): InstanceDriver {
  const closes: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closes) await close()
  })
  const tools: ExternalTools = {
    ...silentInstruments,
    clock: new SimClock(),
    random: seededRandom(1),
    endpoint: directly,
    atStop: (close) => void closes.push(close),
  }
  return new InstanceDriver(tools, { endpoint: url, ...options })
}

function directly(name: string): Endpoint {
  return { name, isOpen: false, call: (_, run, signal) => run(signal) }
}

function callOf(own: Partial<DesiredInstance> = {}): ExternalCall<DesiredInstance> {
  const signal = new AbortController().signal
  const desired = desiredInstance(own)
  return { desired, externalName: identifier, namespace: 'shop', token, providerID: undefined, adopts: false, signal }
}

async function looks(driver: InstanceDriver, count: number, call = callOf()): Promise<Observation<ObservedInstance>[]> {
  const seen: Observation<ObservedInstance>[] = []
  for (let look = 0; look < count; look++) seen.push(await driver.observe(call))
  return seen
}

function observedIn(observation: Observation<ObservedInstance> | undefined): ObservedInstance {
  if (observation?.kind !== 'available')
    throw new Error(`The instance is not available: ${JSON.stringify(observation)}`)
  return observation.observed
}
