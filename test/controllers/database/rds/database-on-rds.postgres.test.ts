// A Database on Amazon RDS, with an in-process cluster. moto stands in for RDS, and its instances lead to a real
// PostgreSQL.
// That server has the certificate and accepts the master password that the operator has set.
import { RDS } from '@aws-sdk/client-rds'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DatabaseSpecInput } from '../../../../imports/wire/database.ts'
import { secretText } from '../../../../src/controllers/database/secret-text.ts'
import { Secret } from '../../../../src/index.ts'
import { startPostgres } from '../../../postgres/on-each-postgres.ts'
import { rdsForSuite } from '../../../rds/on-rds.ts'
import { Evidence } from '../../database-user/evidence.ts'
import { home } from '../../postgres-stage.ts'
import { DatabaseStage } from '../database-stage.ts'

const startRds = rdsForSuite()
const hourMs = 3_600_000

describe('a Database on RDS', () => {
  it('is created in order: its password, the instance, and the database on it over a verified connection', async () => {
    const { rds, stage, password, sql } = await start()
    const stored: Promise<string | undefined>[] = []
    rds.judge = ({ action }) => {
      if (action === 'CreateDBInstance') stored.push(masterPassword(stage))
      return 'pass'
    }
    await stage.create('crm', rdsSpec())
    expect(await stage.becomes('crm', 'Provisioned', 'False NotYetVisible')).toContain('not to be seen yet')
    expect(await stage.becomes('crm', 'Provisioned', 'False Creating')).toContain('RDS says creating')
    expect(await stage.status('crm')).toMatchObject({
      phase: 'Provisioning',
      provider: 'RDS',
      provisioning: { lastObservedState: 'creating' },
    })
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    expect(await stage.status('crm')).toMatchObject({
      phase: 'Ready',
      providerID: expect.stringMatching(/^arn:aws:rds:eu-central-1:\d+:db:konverge-shop-crm-/),
      endpoint: { host: 'localhost' },
      binding: { name: 'crm-postgres-admin' },
      identity: { systemIdentifier: expect.stringMatching(/^\d+$/) },
    })
    expect(await stage.condition('crm', 'Provisioned')).toMatchObject({ status: 'True', reason: 'Available' })
    expect(await sql("SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = 'crm'")).toEqual([
      { owner: 'crm_owner' },
    ])
    expect(rds.effective('CreateDBInstance')).toBe(1)
    expect(await Promise.all(stored)).toEqual([password()])
    expect(await masterPassword(stage)).toBe(password())
    await tellsNoSecret(stage, password())
  })

  it('causes no call and no write while nothing changes, and one observation after a restart', async () => {
    const { rds, stage } = await start()
    await stage.create('crm', rdsSpec())
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    await stage.pass(60_000)
    const { resourceVersion } = (await stage.find('crm'))?.metadata ?? {}
    rds.forget()
    await stage.pass(120_000)
    expect(rds.actions).toEqual([])
    await stage.kill()
    await stage.live()
    await stage.pass(60_000)
    expect(rds.actions).toEqual(['DescribeDBInstances'])
    expect((await stage.find('crm'))?.metadata.resourceVersion).toBe(resourceVersion)
  })

  it('reports the missing Secret, and starts when it exists', async () => {
    const { rds, stage } = await start()
    await stage.deleteSecret('aws')
    await stage.create('crm', rdsSpec())
    expect(await stage.becomes('crm', 'Degraded', 'True SecretNotFound')).toContain('Secret aws, with which')
    expect(rds.actions).toEqual([])
    await stage.secret('aws', { accessKeyId: 'AKIATEST' })
    expect(await stage.becomes('crm', 'Degraded', 'True SecretIncomplete')).toContain('secretAccessKey')
    await stage.secret('aws', awsKeys)
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
  })

  it('reports why RDS rejects a request, and retries', async () => {
    const { rds, stage, password } = await start()
    rds.judge = () => ({ code: 'AccessDenied', status: 403 })
    await stage.create('crm', rdsSpec())
    expect(await stage.becomes('crm', 'Stalled', 'True AccessDenied')).toContain('DescribeDBInstances in eu-central-1')
    rds.judge = ({ action }) =>
      action === 'CreateDBInstance' ? { code: 'InstanceQuotaExceeded', status: 400 } : 'pass'
    await stage.becomes('crm', 'Stalled', 'True InstanceQuotaExceeded', { limitMs: hourMs })
    rds.judge = () => 'pass'
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    expect(rds.effective('CreateDBInstance')).toBe(1)
    await tellsNoSecret(stage, password())
  })

  it('follows its spec, and corrects changes by hand', async () => {
    const { rds, stage, aws } = await start()
    await stage.create('crm', rdsSpec())
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    await stage.patch('crm', { spec: { provider: { rds: { allocatedStorageGiB: 30 } } } })
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    const DBInstanceIdentifier = await identifierOf(stage)
    const described = async () => (await aws.describeDBInstances({ DBInstanceIdentifier })).DBInstances?.[0]
    expect(await described()).toMatchObject({ AllocatedStorage: 30 })
    await aws.modifyDBInstance({ DBInstanceIdentifier, DBInstanceClass: 'db.m5.large', ApplyImmediately: true })
    rds.forget()
    await stage.until('an Event', async () => (await stage.events('DriftCorrected')).length > 0, hourMs)
    expect(await stage.events('DriftCorrected')).toEqual([expect.stringContaining('its class is db.m5.large')])
    expect(await described()).toMatchObject({ DBInstanceClass: 'db.t4g.micro' })
    expect(rds.effective('ModifyDBInstance')).toBe(1)
  })

  it('is reported as vanished, and not recreated', async () => {
    const { rds, stage, aws } = await start()
    await stage.create('crm', rdsSpec({ deletionProtection: false }))
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    await aws.deleteDBInstance({ DBInstanceIdentifier: await identifierOf(stage), SkipFinalSnapshot: true })
    await stage.becomes('crm', 'Drifted', 'True Vanished', { limitMs: hourMs })
    await stage.becomes('crm', 'Stalled', 'True Vanished')
    expect(rds.effective('CreateDBInstance')).toBe(1)
  })

  it('gets a new master password when the Secret with the old one is lost', async () => {
    const { stage, password } = await start()
    await stage.create('crm', { ...rdsSpec(), driftPolicy: 'Report' })
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    const before = password()
    await stage.deleteSecret('crm-postgres-admin')
    await stage.until('RDS to have another password', () => password() !== before, hourMs)
    expect(await masterPassword(stage)).toBe(password())
    await stage.pass(10_000)
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    await tellsNoSecret(stage, before)
  })
})

describe('the deletion of a Database on RDS', () => {
  it('waits until deletion protection is off, and then for the final snapshot', async () => {
    const { rds, stage, aws } = await start()
    await stage.create('crm', { ...rdsSpec(), deletionPolicy: 'Snapshot' })
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    const { uid = '' } = (await stage.find('crm'))?.metadata ?? {}
    await stage.startDelete('crm')
    expect(await stage.becomes('crm', 'DeletionBlocked', 'True ProtectionEnabled')).toContain('deletionProtection')
    expect(rds.effective('DeleteDBInstance')).toBe(0)
    await stage.patch('crm', { spec: { provider: { rds: { deletionProtection: false } } } })
    await stage.until('crm to be gone', async () => (await stage.find('crm')) === undefined, hourMs)
    expect(rds.effective('DeleteDBInstance')).toBe(1)
    const { DBSnapshots } = await aws.describeDBSnapshots({ DBSnapshotIdentifier: `final-${uid}` })
    expect(DBSnapshots).toMatchObject([{ Status: 'available' }])
  })

  it('leaves the instance when that is the policy, and another Database adopts it by its name', async () => {
    const { rds, stage, sql } = await start()
    await stage.create('crm', rdsSpec())
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    const identifier = await identifierOf(stage)
    await stage.delete('crm', hourMs)
    expect(rds.effective('DeleteDBInstance')).toBe(0)
    const notes = await stage.events('Kept')
    expect(notes.some((note) => note.includes(`instanceIdentifier ${identifier}`))).toBe(true)

    const adopting = { ...rdsSpec({ instanceIdentifier: identifier }), databaseName: 'crm' }
    await stage.create('crm-again', adopting)
    await stage.becomes('crm-again', 'Stalled', 'True NotOwned', { limitMs: hourMs })
    await stage.patch('crm-again', { spec: { adoptionPolicy: 'Adopt' } })
    await stage.becomes('crm-again', 'Ready', 'True InSync', { limitMs: hourMs })
    expect(rds.effective('CreateDBInstance')).toBe(1)
    expect(await sql("SELECT count(*)::int AS databases FROM pg_database WHERE datname = 'crm'")).toEqual([
      { databases: 1 },
    ])
  })

  it('waits for its DatabaseUsers', async () => {
    const { rds, stage } = await start()
    await stage.create('crm', { ...rdsSpec({ deletionProtection: false }), deletionPolicy: 'Delete' })
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    await stage.user('app', 'crm')
    await stage.startDelete('crm')
    await stage.becomes('crm', 'DeletionBlocked', 'True HasDependents')
    expect(rds.effective('DeleteDBInstance')).toBe(0)
    await stage.deleteUser('app')
    await stage.until('crm to be gone', async () => (await stage.find('crm')) === undefined, hourMs)
    expect(rds.effective('DeleteDBInstance')).toBe(1)
  })
})

describe('an operator that dies while an instance is created', () => {
  it('creates one instance with the password of the Secret, and then the database', { timeout: 300_000 }, async () => {
    const { rds, stage, password } = await start()
    let isOver = false
    for (let request = 1; !isOver; request++) {
      for (const verdict of ['cutBefore', 'cutAfter'] as const) {
        const name = `crm-${request}-${verdict === 'cutBefore' ? 'b' : 'a'}`
        let hasDied = false
        rds.forget()
        rds.judge = ({ index }) => {
          if (index !== request) return 'pass'
          hasDied = true
          void stage.operator.kill()
          return verdict
        }
        const isReady = async () => (await stage.condition(name, 'Ready'))?.status === 'True'
        await stage.create(name, rdsSpec())
        await stage.until('death, or an instance', async () => hasDied || (await isReady()), hourMs)
        if (hasDied) await stage.beReborn()
        await stage.becomes(name, 'Ready', 'True InSync', { limitMs: hourMs })
        expect(rds.effective('CreateDBInstance'), name).toBe(1)
        expect(await masterPassword(stage, name)).toBe(password())
        await stage.delete(name, hourMs)
        isOver = !hasDied
      }
      expect(request).toBeLessThan(30)
    }
    expect(stage.deaths).toBeGreaterThan(8)
  })
})

const awsKeys = { accessKeyId: 'AKIATEST', secretAccessKey: 'aws-secret-of-the-test' }

async function start() {
  const [rds, postgres] = await Promise.all([startRds(), startPostgres({ tlsFor: ['localhost', '127.0.0.1'] })])
  rds.pace = { hidden: 1, creating: 2, deleting: 2, snapshot: 1 }
  rds.databaseAt = { host: 'localhost', port: postgres.port }
  let password = postgres.password
  rds.onPassword = async (next) => {
    await postgres.byHand(`ALTER ROLE postgres PASSWORD '${next}'`, { password })
    password = next
  }
  const stage = await DatabaseStage.start(postgres, rds)
  await stage.secret('aws', awsKeys)
  await stage.secret('rds-ca', { 'ca.crt': postgres.certificate ?? '' })
  const keys = { accessKeyId: 'by', secretAccessKey: 'hand' }
  const aws = new RDS({ region: 'eu-central-1', endpoint: rds.moto, credentials: keys })
  onTestFinished(() => aws.destroy())
  const sql = (text: string) => postgres.byHand(text, { password })
  return { rds, stage, aws, sql, password: () => password }
}

function rdsSpec(own: object = {}): Partial<DatabaseSpecInput> {
  const rds = {
    region: 'eu-central-1',
    instanceClass: 'db.t4g.micro',
    allocatedStorageGiB: 20,
    credentials: { secretRef: { name: 'aws' } },
    caSecretRef: { name: 'rds-ca' },
    ...own,
  }
  return { version: '18', provider: { rds } }
}

async function masterPassword(stage: DatabaseStage, name = 'crm'): Promise<string | undefined> {
  return secretText(await stage.cluster.find(Secret, `${home}/${name}-postgres-admin`), 'password')
}

async function identifierOf(stage: DatabaseStage): Promise<string> {
  const { providerID = '' } = await stage.status('crm')
  return providerID.slice(providerID.lastIndexOf(':') + 1)
}

/** Expects the password in no status, no Event and no log. */
async function tellsNoSecret(stage: DatabaseStage, password: string): Promise<void> {
  const evidence = new Evidence()
  evidence.add('everything', await stage.shown())
  expect(evidence.find([password, ...Object.values(awsKeys)])).toEqual([])
  expect(evidence.find(['external_api_requests_total', 'CreateDBInstance'])).toHaveLength(2)
}
