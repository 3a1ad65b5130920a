// Faults of the proxy: it injects the requested ones, and no others.
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { onEachPostgres } from './on-each-postgres.ts'
import type { PostgresServer } from './postgres-server.ts'
import { cutAt, cutAtText, SqlProxy } from './sql-proxy.ts'

onEachPostgres('a proxy', (server) => {
  it('a proxy counts connections and statements, with their application names', async () => {
    const proxy = await proxyOf(server())
    const client = await clientOf(proxy, 'one')
    await client.query('SELECT 1')
    const { rows } = await client.query('SELECT $1::text AS said', ['two'])
    expect(rows).toEqual([{ said: 'two' }])
    await clientOf(proxy, 'other')
    expect(proxy.connections).toEqual({ open: 2, peak: 2, total: 2 })
    expect(proxy.statements).toMatchObject([
      { index: 1, connection: 1, text: 'SELECT 1', database: 'postgres', user: 'postgres', applicationName: 'one' },
      { index: 2, connection: 1, text: 'SELECT $1::text AS said' },
    ])
  })

  it('a proxy cuts before a statement, which never runs, or after it, when it has run', async () => {
    const proxy = await proxyOf(server())
    await server().byHand('DROP TABLE IF EXISTS cuts; CREATE TABLE cuts (n int)')
    for (const [when, count] of [
      ['before', '0'],
      ['after', '1'],
    ] as const) {
      proxy.judge = cutAtText(/COMMIT/, when)
      const client = await clientOf(proxy, when)
      await client.query('BEGIN')
      await client.query('INSERT INTO cuts VALUES ($1)', [1])
      await expect(client.query('COMMIT')).rejects.toThrow('terminated')
      expect(await server().byHand('SELECT count(*) FROM cuts')).toEqual([{ count }])
    }
    proxy.judge = cutAt(2, 'after')
    const client = await clientOf(proxy, 'second')
    await client.query('SELECT 1')
    await expect(client.query('INSERT INTO cuts VALUES ($1)', [2])).rejects.toThrow('terminated')
    expect(await server().byHand('SELECT n FROM cuts ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('a proxy cuts after the start of a COPY, while the server waits for rows', async () => {
    const proxy = await proxyOf(server())
    await server().byHand('DROP TABLE IF EXISTS copied; CREATE TABLE copied (n int)')
    proxy.judge = cutAtText(/COPY/, 'after')
    const client = await clientOf(proxy, 'copying')
    await expect(client.query('COPY copied FROM STDIN')).rejects.toThrow('terminated')
    expect(proxy.isServerAtWork).toBe(false)
  })

  it('a proxy refuses, hangs, answers with garbage, and recovers', async () => {
    const proxy = await proxyOf(server())
    const first = await clientOf(proxy, 'first')
    await proxy.refuse()
    await expect(clientOf(proxy, 'refused')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await first.query('SELECT 1')
    await proxy.accept()
    proxy.welcome = 'hang'
    await expect(clientOf(proxy, 'hung', 500)).rejects.toThrow('timeout')
    proxy.welcome = 'garbage'
    await expect(clientOf(proxy, 'puzzled')).rejects.toThrow()
    proxy.welcome = 'pass'
    await clientOf(proxy, 'back')
    proxy.cutAll()
    await expect(first.query('SELECT 1')).rejects.toThrow()
  })
})

async function proxyOf(server: PostgresServer): Promise<SqlProxy> {
  const proxy = await SqlProxy.start(server.access())
  onTestFinished(() => proxy.stop())
  return proxy
}

async function clientOf(proxy: SqlProxy, applicationName: string, connectionTimeoutMillis = 60_000): Promise<Client> {
  const { username: user, password, dial } = proxy.access()
  const client = new Client({
    ...dial,
    connectionTimeoutMillis,
    user,
    password,
    database: 'postgres',
    ssl: false,
    application_name: applicationName,
  })
  client.on('error', () => undefined)
  onTestFinished(() => client.end())
  await client.connect()
  return client
}
