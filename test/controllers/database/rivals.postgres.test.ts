// Two operators that do not know each other, and a search for passwords in their output.
import { expect, it } from 'vitest'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { DatabaseStage } from './database-stage.ts'

const names = Array.from({ length: 8 }, (_, at) => `rival-${at}`)

onEachPostgres('Databases', (server) => {
  it('are created once and removed when two operators manage them', { timeout: 300_000 }, async () => {
    const stage = await DatabaseStage.start(server())
    const rival = await stage.rival()
    await Promise.all(names.map((name) => stage.create(name, { deletionPolicy: 'Delete', schemas: [{ name: 'api' }] })))
    for (const name of names) await stage.becomes(name, 'Ready', 'True InSync')
    await stage.pass(60_000)
    const made = await server().byHand(
      `SELECT datname, oid::int, shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname LIKE 'rival%'`,
    )
    expect(made).toHaveLength(names.length)
    for (const { datname, oid, mark } of made) {
      const name = String(datname).replace('_', '-')
      expect(mark).toContain((await stage.find(name))?.metadata.uid)
      expect((await stage.status(name)).identity).toMatchObject({ databaseOID: oid })
      expect(await stage.condition(name, 'Ready')).toMatchObject({ status: 'True', reason: 'InSync' })
    }
    expect(rival.operator.lines.length).toBeGreaterThan(0)
    await Promise.all(names.map((name) => stage.startDelete(name)))
    for (const name of names)
      await stage.until(`${name} to be gone`, async () => (await stage.find(name)) === undefined)
    const left = await server().byHand(
      `SELECT datname FROM pg_database WHERE datname LIKE 'rival%' UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE 'rival%'`,
    )
    expect(left).toEqual([])
  })

  it('show the password of their server in no output', async () => {
    const stage = await DatabaseStage.start(server())
    const password = 'wrong-but-secret'
    const { password: right = '' } = stage.connection()
    await stage.create('discreet', { deletionPolicy: 'Delete', extensions: [{ name: 'no_such_thing' }] })
    await stage.becomes('discreet', 'Ready', 'False StatementFailed')
    await stage.secret('server', stage.connection({ password }))
    await stage.becomes('discreet', 'Ready', 'False AdminAuthFailed')
    await stage.secret('server', stage.connection())
    await stage.patch('discreet', { spec: { extensions: null } })
    await stage.becomes('discreet', 'Ready', 'True InSync')
    await stage.delete('discreet')
    const shown = [await stage.shown(), server().log(), JSON.stringify(stage.engines.statements)].join('\n')
    expect(shown).toContain('AdminAuthFailed')
    for (const secret of [password, right]) expect(shown.includes(secret)).toBe(false)
  })
})
