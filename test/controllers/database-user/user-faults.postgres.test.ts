// Users while their server, their Database's credentials or their own connection limit fail the operator. Invariant:
// applications still log in, and the user converges soon after.
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { abandonAnnotation, Secret } from '../../../src/index.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'
import { secretText } from '../../taint/secret-text.ts'
import { home } from '../postgres-stage.ts'
import { UserStage } from './user-stage.ts'

onEachPostgres('a DatabaseUser', (_, version) => {
  async function start(spec: object = {}) {
    const server = await startPostgres({ version })
    const stage = await UserStage.start(server, 'shop')
    await stage.create('web', { databases: [{ name: 'shop', access: 'ReadWrite' }], ...spec })
    await stage.becomes('web', 'Ready', 'True InSync')
    return { server, stage }
  }

  it('keeps the working password while the server is unavailable, and rotates when it is back', async () => {
    const { server, stage } = await start()
    const before = await stage.keys('web')
    await server.stop()
    await stage.patch('web', { rotation: { trigger: 'leaked' } })
    await stage.until('the wait', async () => (await stage.condition('web', 'RotationDue'))?.reason === 'Blocked')
    expect(await stage.keys('web')).toMatchObject({ password: before?.['password'] })
    expect(await stage.condition('web', 'Ready')).toMatchObject({ status: 'False' })
    await server.start()
    await stage.until('the rotation', async () => (await stage.status('web')).passwordGeneration === 2, 600_000)
    await stage.becomes('web', 'Ready', 'True InSync')
    await stage.app('web', 'SELECT 1')
    await expect(stage.app('web', 'SELECT 1', before)).rejects.toThrow(/authentication failed/)
  })

  it('is removed while the server is unavailable only when it is abandoned', async () => {
    const { server, stage } = await start()
    await server.stop()
    const key = `${home}/web`
    await stage.cluster.delete(DatabaseUser, key)
    await stage.until(
      'the wait',
      async () => (await stage.condition('web', 'DeletionBlocked'))?.reason === 'ServerUnreachable',
    )
    await stage.cluster.patch(DatabaseUser, key, { metadata: { annotations: { [abandonAnnotation]: 'true' } } })
    await stage.until('it to go', async () => (await stage.cluster.find(DatabaseUser, key)) === undefined)
    expect((await stage.events('web')).join('\n')).toMatch(/Kept: .*roles web, web_a, web_b.*can still log in/)
    await server.start()
    expect(await server.byHand("SELECT rolname FROM pg_roles WHERE rolname LIKE 'web%' ORDER BY 1")).toEqual([
      { rolname: 'web' },
      { rolname: 'web_a' },
    ])
  })

  it('continues when the credential in the connection Secret is repaired', async () => {
    const { server, stage } = await start()
    const changed = secretText('changed')
    await server.byHand(`ALTER ROLE postgres PASSWORD '${changed}'`)
    await stage.patch('web', { connectionLimit: 5 })
    await stage.until('the refusal', async () => (await stage.condition('web', 'Ready'))?.status === 'False', 600_000)
    await stage.secret('server', { password: changed })
    await stage.until('it to be ready', async () => (await stage.condition('web', 'Ready'))?.status === 'True', 900_000)
    const limit = await server.byHand("SELECT rolconnlimit FROM pg_roles WHERE rolname = 'web_a'", {
      password: changed,
    })
    expect(limit).toEqual([{ rolconnlimit: 5 }])
  })

  it('rotates in place although its application uses all its connections', async () => {
    const { server, stage } = await start({ connectionLimit: 1 })
    const { username, password, database } = (await stage.keys('web')) ?? {}
    const address = { host: '127.0.0.1', port: server.port, ssl: false }
    const app = new Client({ ...address, user: username, password, database })
    await app.connect()
    onTestFinished(() => app.end())
    await stage.cluster.delete(Secret, `${home}/web-db`)
    await stage.until('the rotation', async () => (await stage.status('web')).passwordGeneration === 2)
    expect((await app.query('SELECT current_user AS is')).rows).toEqual([{ is: 'web' }])
    expect(await stage.condition('web', 'LoginVerified')).toMatchObject({
      status: 'False',
      reason: 'TooManyConnections',
    })
  })

  it('waits until its database accepts connections again, and reports a long wait', async () => {
    const { server, stage } = await start()
    await server.byHand('ALTER DATABASE shop ALLOW_CONNECTIONS false')
    await server.byHand("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'shop'")
    const looked = stage.operator.lines.length
    const often = { metadata: { annotations: { 'konverge.dev/reconcile-interval': '10s' } } }
    await stage.cluster.patch(DatabaseUser, `${home}/web`, often)
    const isClosed = () => stage.operator.lines.slice(looked).some((line) => JSON.stringify(line).includes('55000'))
    await stage.until('a look that is refused', isClosed, 15_000)
    expect(await stage.condition('web', 'Ready')).toMatchObject({ status: 'True' })
    await stage.pass(45_000)
    expect(await stage.condition('web', 'Ready')).toMatchObject({ status: 'False', reason: 'DatabaseInUse' })
    await server.byHand('ALTER DATABASE shop ALLOW_CONNECTIONS true')
    await stage.until('it to be ready', async () => (await stage.condition('web', 'Ready'))?.status === 'True', 30_000)
  })
})
