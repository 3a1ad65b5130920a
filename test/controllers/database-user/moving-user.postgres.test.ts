// Users while their Database moves to another server; both controllers and a real server. Invariant: the operator
// leaves them alone during the move, and manages them again afterwards.
import { expect, it } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'
import { home } from '../postgres-stage.ts'
import { UserStage } from './user-stage.ts'

onNewestPostgres('a DatabaseUser whose Database moves', (server) => {
  it('a user stays unchanged during the move, also when it is deleted, and is corrected afterwards', async () => {
    const stage = await UserStage.start(server(), 'shop')
    await stage.create('app', { databases: [{ name: 'shop', access: 'ReadWrite' }] })
    await stage.becomes('app', 'Ready', 'True InSync')
    const keys = await stage.keys('app')
    await upgrade(stage, 'Running')
    const message = await stage.becomes('app', 'Ready', 'False DatabaseMoving')
    expect(message).toBe(
      'Database shop moves from version 15 to 18; its users are left as they are until it has arrived',
    )
    await server().byHand('ALTER ROLE app_a NOLOGIN')
    await stage.patch('app', { connectionLimit: 5, rotation: { trigger: 'now' } })
    await stage.look('app')
    expect(await roleOf(server())).toEqual([{ login: false, limit: -1 }])
    expect(await stage.keys('app')).toEqual(keys)
    await upgrade(stage, 'Completed')
    await stage.becomes('app', 'Ready', 'True InSync')
    expect(await roleOf(server())).toEqual([{ login: true, limit: 5 }])
    await upgrade(stage, 'Compensating')
    await stage.becomes('app', 'Ready', 'False DatabaseMoving')
    await stage.cluster.delete(DatabaseUser, `${home}/app`)
    await stage.pass(60_000)
    expect(await roleOf(server())).toHaveLength(1)
    await upgrade(stage, 'Compensated')
    await stage.until('the roles to be gone', async () => (await roleOf(server())).length === 0)
  })
})

async function upgrade(stage: UserStage, state: string): Promise<void> {
  const [namespace, name] = [home, 'shop']
  // The Database is paused, so only the test writes its status.
  const pause = { metadata: { annotations: { 'konverge.dev/paused': 'true' } } }
  await stage.cluster.patch(Database, `${namespace}/${name}`, pause)
  const status = { upgrade: { id: 'u', from: '15', to: '18', state } }
  const options = { fieldManager: 'test', subresource: 'status' } as const
  const change = { type: 'merge', body: { status } } as const
  await stage.cluster.client.patch(Database, { namespace, name }, change, options, new AbortController().signal)
}

const roleOf = (server: { byHand(sql: string): Promise<readonly object[]> }) =>
  server.byHand(
    "SELECT rolcanlogin AS login, rolconnlimit AS limit FROM pg_roles WHERE rolname ~ '^app_[ab]$' AND rolname = 'app_a'",
  )
