// A Database and its users after a restore replaced the database, with both controllers, an in-process cluster and a
// worker, on a real server.
import { expect, it } from 'vitest'
import { Database, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import type { RestoreOrder } from '../../../src/controllers/backup/restore-order.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { startPostgres } from '../../postgres/on-each-postgres.ts'
import { UserStage } from '../database-user/user-stage.ts'
import { home } from '../postgres-stage.ts'
import { never } from '../stores/contents.ts'
import { order as backupOrder, backupStage, verification } from './backup-stage.ts'
import { databasesOf, identityOf } from './restore-stage.ts'

it('a Database follows its restore and the undo, and its users get access again', {
  timeout: 240_000,
}, async () => {
  // The newest version that a tool of this machine can dump.
  const server = await startPostgres({ version: 15 })
  const stage = await UserStage.start(server, 'crm')
  await server.byHand(
    `CREATE TABLE orders (id int); ALTER TABLE orders OWNER TO crm_owner; INSERT INTO orders VALUES (1), (2)`,
    { database: 'crm' },
  )
  await stage.create('app', { databases: [{ name: 'crm', access: 'ReadWrite' }], password: { generate: {} } })
  await stage.becomes('app', 'Ready', 'True InSync')
  const uid = (await stage.cluster.find(Database, `${home}/crm`))?.metadata.uid ?? ''
  const backups = await backupStage(server.access())
  await makeBackup(backupOrder, backups.backupTools(), never)
  await stage.app('app', 'INSERT INTO orders VALUES (3)')
  const orders = async () => (await stage.app('app', 'SELECT count(*)::int AS count FROM orders'))[0]
  const letInTo = (count: number) =>
    stage.until(`the user to be let in to ${count} orders`, () =>
      orders().then(
        (row) => JSON.stringify(row) === JSON.stringify({ count }),
        () => false,
      ),
    )
  const { folder, hashUpToBytes } = verification
  const restore: RestoreOrder = {
    requestId: 'r1',
    database: { namespace: home, name: 'crm', uid, databaseName: 'crm', owner: 'crm_owner' },
    replaces: await identityOf(server),
    source: { kind: 'backup', folder, hashUpToBytes, queries: [] },
  }
  for (const [more, count] of [
    [{}, 2],
    [{ requestId: 'u1', source: { kind: 'former', replacedBy: 'r1' } }, 3],
  ] as const) {
    const asked = { ...restore, ...more, replaces: await identityOf(server) }
    const { identity } = await restoreDatabase(asked, backups.verificationTools(), never)
    await stage.cluster.patch(Database, `${home}/crm`, {
      metadata: { annotations: { 'konverge.dev/reconcile-now': asked.requestId } },
    })
    const providerID = `pg://${identity.systemIdentifier}/${identity.databaseOid}`
    await stage.until('the Database to follow', async () => (await statusOf(stage))?.providerID === providerID)
    await letInTo(count)
    await stage.databaseReady('crm')
    expect((await statusOf(stage))?.identity?.databaseOID).toBe(identity.databaseOid)
  }
  expect(await databasesOf(server)).toEqual(['crm', 'crm_old_u1'])
})

async function statusOf(stage: UserStage): Promise<DatabaseStatus | undefined> {
  // Sound: the CRD has this form.
  return (await stage.cluster.find(Database, `${home}/crm`))?.['status'] as DatabaseStatus | undefined
}
