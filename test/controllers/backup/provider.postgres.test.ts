// Backups by the provider, from the resource to the snapshot. Invariant: the result does not depend on crashes of the
// operator.
// The test runs an in-process cluster and moto, whose instance leads to a real PostgreSQL.
import process from 'node:process'
import { RDS } from '@aws-sdk/client-rds'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Backup, type BackupSpecInput, type BackupStatus } from '../../../imports/wire/backup.ts'
import type { LiveObject } from '../../../src/index.ts'
import { startPostgres } from '../../postgres/on-each-postgres.ts'
import { rdsForSuite } from '../../rds/on-rds.ts'
import { DatabaseStage } from '../database/database-stage.ts'
import { Evidence } from '../database-user/evidence.ts'
import { home } from '../postgres-stage.ts'

const startRds = rdsForSuite()
const isWholeMatrix = process.env['KONVERGE_CRASHES'] === 'all'
const hourMs = 3_600_000
const awsKeys = { accessKeyId: 'AKIATEST', secretAccessKey: 'aws-secret-of-the-test' }

describe('a Backup by the provider', () => {
  it('is a snapshot of the instance, which is created once and then left alone', async () => {
    const { rds, stage, aws, create, becomes, status } = await begin()
    await create('once')
    await becomes('once', 'Ready', 'True NotRequested')
    const { artifact, source, snapshot, ...told } = await status('once')
    expect(artifact).toEqual({
      uri: expect.stringMatching(/^arn:aws:rds:.*:snapshot:konverge-shop-once-/),
      bytes: 20 * 2 ** 30,
      format: 'rds/snapshot',
    })
    expect(told).toMatchObject({ phase: 'Completed', startedAt: expect.any(String), completedAt: expect.any(String) })
    const { uid } = (await stage.find('crm'))?.metadata ?? {}
    expect(source).toMatchObject({
      databaseUID: uid,
      serverVersion: expect.stringMatching(/^18/),
      snapshotTime: expect.any(String),
    })
    expect(snapshot).toMatchObject({ region: 'eu-central-1', credentialsSecret: 'aws', databaseName: 'crm' })
    const { DBSnapshots } = await aws.describeDBSnapshots({ DBSnapshotIdentifier: nameIn(artifact?.uri) })
    expect(DBSnapshots).toMatchObject([{ DBInstanceIdentifier: snapshot?.instance }])
    rds.forget()
    await stage.pass(600_000)
    expect(rds.actions.filter((action) => action.includes('Snapshot'))).toEqual([])
    const evidence = new Evidence()
    evidence.add('everything', await stage.shown())
    expect(evidence.find([awsKeys.secretAccessKey])).toEqual([])
  })

  it('waits for its Database and for the Secret of the credentials, and reports it', async () => {
    const { stage, create, becomes, condition } = await begin({ hasDatabase: false })
    await create('once')
    await becomes('once', 'Ready', 'False DatabaseMissing')
    await stage.create('crm', rdsSpec())
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    await becomes('once', 'Completed', 'True Completed')
    await stage.deleteSecret('aws')
    await create('again')
    await becomes('again', 'Ready', 'False DatabaseNotReady')
    expect((await condition('again', 'Ready'))?.message).toContain('Secret aws, with which')
    await stage.secret('aws', awsKeys)
    await becomes('again', 'Completed', 'True Completed')
  })

  it('is rejected when its Database is not on RDS', async () => {
    const { rds, stage, create, becomes, condition } = await begin({ hasDatabase: false })
    await stage.create('crm')
    await create('once')
    await becomes('once', 'Stalled', 'True InvalidMethod')
    expect((await condition('once', 'Ready'))?.message).toMatch(
      /is of Databases on Amazon RDS .* use the method Logical/,
    )
    expect(rds.records).toEqual([])
  })

  it('reports what AWS denies, and continues after throttling', async () => {
    const { rds, create, becomes } = await begin()
    rds.judge = ({ action }) => (action === 'CreateDBSnapshot' ? { code: 'AccessDenied', status: 403 } : 'pass')
    await create('once')
    await becomes('once', 'Stalled', 'True AccessDenied')
    let tries = 0
    rds.judge = ({ action }) => {
      if (action === 'CreateDBSnapshot') tries += 1
      return action === 'CreateDBSnapshot' && tries < 4 ? { code: 'Throttling', status: 400 } : 'pass'
    }
    await becomes('once', 'Ready', 'True NotRequested')
    expect(tries).toBe(4)
    expect(rds.effective('CreateDBSnapshot')).toBe(1)
  })

  it('reports a snapshot that was removed outside', async () => {
    const { aws, stage, create, becomes, status } = await begin()
    await create('once')
    await becomes('once', 'Completed', 'True Completed')
    await aws.deleteDBSnapshot({ DBSnapshotIdentifier: nameIn((await status('once')).artifact?.uri) })
    await stage.cluster.patch(Backup, `${home}/once`, {
      metadata: { annotations: { 'konverge.dev/reconcile-now': '1' } },
    })
    await becomes('once', 'Completed', 'False Vanished')
    expect(await status('once')).toMatchObject({ phase: 'Failed' })
  })
})

describe('the snapshot of a Backup', () => {
  it('is removed with it when the policy is Delete, also without the Database, and no other snapshot is', async () => {
    const { rds, stage, create, becomes, goes, snapshots } = await begin()
    await create('goes', { artifactPolicy: 'Delete' })
    await create('stays', { artifactPolicy: 'Delete' })
    await create('left')
    for (const name of ['goes', 'stays', 'left']) await becomes(name, 'Completed', 'True Completed')
    await stage.patch('crm', { spec: { deletionPolicy: 'Delete', provider: { rds: { deletionProtection: false } } } })
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
    await stage.delete('crm', hourMs)
    await goes('goes')
    await goes('left')
    expect((await snapshots()).map((name) => /konverge-shop-([a-z]+)-/.exec(name)?.[1]).sort()).toEqual([
      'left',
      'stays',
    ])
    expect(rds.effective('DeleteDBSnapshot')).toBe(1)
    expect((await stage.events('Kept')).some((note) => note.includes('konverge-shop-left-'))).toBe(true)
  })

  it('keeps the Backup until it can be removed, unless the policy releases it', async () => {
    const { stage, create, becomes, patch, leave, isGone, condition } = await begin()
    await create('once', { artifactPolicy: 'Delete' })
    await becomes('once', 'Completed', 'True Completed')
    await stage.deleteSecret('aws')
    await leave('once')
    await stage.until(
      'what keeps it',
      async () => (await condition('once', 'Ready'))?.message.includes('Secret aws') === true,
    )
    expect(await isGone('once')).toBe(false)
    await patch('once', { spec: { artifactPolicy: 'Retain' } })
    await stage.until('once to be gone', () => isGone('once'))
  })

  it('is removed by the schedule when enough newer ones exist', async () => {
    const { stage, create, snapshots, names } = await begin()
    await create('often', { schedule: '*/5 * * * *', immediate: true, retention: { keepLast: 1 } })
    await stage.until('two of them, and then one', async () => (await names()).length > 2, hourMs)
    await stage.until('the older one to be gone', async () => (await names()).length === 2, hourMs)
    const [newest = ''] = (await names()).filter((name) => name !== 'often')
    await stage.until('its snapshot to be the only one', async () => {
      const left = await snapshots()
      return left.length === 1 && left[0]?.includes(newest) === true
    })
  })
})

describe('a new Database that bootstraps from a snapshot', () => {
  it.each(['pass', 'cutBefore', 'cutAfter'] as const)(
    'has the contents of the backup, wherever the operator dies: %s',
    async (verdict) => {
      const { rds, stage, aws, deaths, create, becomes, live } = await begin()
      await create('once')
      await becomes('once', 'Completed', 'True Completed')
      await stage.delete('crm', hourMs)
      rds.forget()
      let isStruck = verdict === 'pass'
      rds.judge = ({ action }) => {
        if (isStruck || action !== 'RestoreDBInstanceFromDBSnapshot') return 'pass'
        isStruck = true
        deaths.due = true
        void stage.operator.kill()
        return verdict
      }
      const bootstrap = { restoreFrom: { backupRef: { name: 'once' } } }
      const { version, provider } = rdsSpec()
      await stage.create('again', { version, provider, databaseName: 'crm', bootstrap })
      const isReady = async () => {
        await live()
        return (await stage.condition('again', 'Ready'))?.status === 'True'
      }
      await stage.until('the new one to be ready', isReady, hourMs)
      expect(rds.effective('RestoreDBInstanceFromDBSnapshot')).toBe(1)
      expect(rds.effective('CreateDBInstance')).toBe(0)
      expect((await stage.condition('again', 'Restored'))?.status).toBe('True')
      const { restore, providerID = '' } = await stage.status('again')
      const { DBInstances: [made] = [] } = await aws.describeDBInstances({ DBInstanceIdentifier: nameIn(providerID) })
      expect(restore?.snapshot).toMatch(/^konverge-shop-once-/)
      expect(made?.TagList).toContainEqual({ Key: 'konverge.dev/database', Value: 'shop/again' })
      expect(rds.records.some(({ parameters }) => parameters.get('MasterUserPassword') !== null)).toBe(true)
      expect(stage.deaths).toBe(verdict === 'pass' ? 0 : 1)
    },
  )
})

/**
 * The crash run `rds-snapshot` injects faults at every request. This matrix covers the writes, and every request on
 * demand.
 */
const actions = isWholeMatrix
  ? ['DescribeDBSnapshots', 'CreateDBSnapshot', 'DeleteDBSnapshot']
  : ['CreateDBSnapshot', 'DeleteDBSnapshot']
const mostTimes = isWholeMatrix ? 10 : 1

describe('an operator that dies while a snapshot is made or removed', () => {
  it.each(actions)('at %s makes one snapshot and leaves none', { timeout: 300_000 }, async (struck) => {
    const { rds, stage, deaths, create, becomes, goes, snapshots } = await begin()
    for (let times = 1; times <= mostTimes; times++) {
      for (const verdict of ['cutBefore', 'cutAfter'] as const) {
        const name = `b-${times}-${verdict === 'cutBefore' ? 'b' : 'a'}`
        let seen = 0
        rds.forget()
        rds.judge = ({ action }) => {
          if (action !== struck) return 'pass'
          seen += 1
          if (seen !== times) return 'pass'
          deaths.due = true
          void stage.operator.kill()
          return verdict
        }
        await create(name, { artifactPolicy: 'Delete' })
        await becomes(name, 'Completed', 'True Completed')
        expect(await snapshots()).toHaveLength(1)
        await goes(name)
        expect(rds.effective('CreateDBSnapshot'), name).toBe(1)
        expect(rds.effective('DeleteDBSnapshot'), name).toBe(1)
        expect(await snapshots()).toEqual([])
      }
    }
    expect(stage.deaths).toBeGreaterThanOrEqual(2)
  })
})

async function begin({ hasDatabase = true }: { readonly hasDatabase?: boolean } = {}) {
  const [rds, postgres] = await Promise.all([startRds(), startPostgres({ tlsFor: ['localhost', '127.0.0.1'] })])
  rds.pace = { hidden: 1, creating: 1, deleting: 1, snapshot: 1 }
  rds.databaseAt = { host: 'localhost', port: postgres.port }
  let password = postgres.password
  rds.onPassword = async (next) => {
    await postgres.byHand(`ALTER ROLE postgres PASSWORD '${next}'`, { password })
    password = next
  }
  const stage = await DatabaseStage.start(postgres, rds)
  await stage.secret('aws', awsKeys)
  await stage.secret('rds-ca', { 'ca.crt': postgres.certificate ?? '' })
  if (hasDatabase) {
    await stage.create('crm', rdsSpec())
    await stage.becomes('crm', 'Ready', 'True InSync', { limitMs: hourMs })
  }
  const aws = new RDS({
    region: 'eu-central-1',
    endpoint: rds.moto,
    credentials: { accessKeyId: 'by', secretAccessKey: 'hand' },
  })
  onTestFinished(() => aws.destroy())
  const deaths = { due: false }
  return { rds, stage, aws, deaths, ...backupsOn(stage, deaths), snapshots: () => manualSnapshots(aws) }
}

function rdsSpec() {
  const rds = {
    ...{ region: 'eu-central-1', instanceClass: 'db.t4g.micro', allocatedStorageGiB: 20 },
    ...{ credentials: { secretRef: { name: 'aws' } }, caSecretRef: { name: 'rds-ca' } },
  }
  return { version: '18', provider: { rds } } as const
}

/** `deaths.due`: the operator was killed and has to start again. */
function backupsOn(stage: DatabaseStage, deaths: { due: boolean }) {
  const { cluster } = stage
  const find = async (name: string) => (await cluster.find(Backup, `${home}/${name}`)) as BackupFound | undefined // The CRD has this form.
  const status = async (name: string): Promise<BackupStatus> => (await find(name))?.status ?? {}
  const condition = (name: string, type: string) => cluster.condition(Backup, `${home}/${name}`, type)
  const live = async () => {
    if (!deaths.due) return
    deaths.due = false
    await stage.beReborn()
  }
  const isGone = async (name: string) => {
    await live()
    return (await find(name)) === undefined
  }
  const leave = (name: string) => cluster.delete(Backup, `${home}/${name}`)
  return {
    ...{ status, condition, isGone, leave, live },
    names: async () => (await cluster.list(Backup, home)).map(({ metadata }) => metadata.name),
    patch: (name: string, change: object) => cluster.patch(Backup, `${home}/${name}`, change),
    create: async (name: string, spec: Partial<BackupSpecInput> = {}) => {
      const whole = { databaseRef: { name: 'crm' }, method: 'Provider', ...spec } as const
      await cluster.create(Backup, { metadata: { name, namespace: home }, spec: whole })
    },
    becomes: async (name: string, type: string, standing: string) => {
      const isSo = async () => {
        await live()
        const found = await condition(name, type)
        return `${found?.status} ${found?.reason}` === standing
      }
      await stage.until(`${name} to have ${type} ${standing}`, isSo, hourMs)
    },
    goes: async (name: string) => {
      await leave(name)
      await stage.until(`${name} to be gone`, () => isGone(name), hourMs)
    },
  }
}

type BackupFound = LiveObject & { readonly status?: BackupStatus }

async function manualSnapshots(aws: RDS): Promise<readonly string[]> {
  const { DBSnapshots = [] } = await aws.describeDBSnapshots({ SnapshotType: 'manual' })
  return DBSnapshots.flatMap(({ DBSnapshotIdentifier }) => DBSnapshotIdentifier ?? [])
}

function nameIn(arn = ''): string {
  return arn.slice(arn.lastIndexOf(':') + 1)
}
