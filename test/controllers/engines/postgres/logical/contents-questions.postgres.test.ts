// A session that holds one snapshot of a database, on servers of every version. Invariant: no server setting ends it,
// and counting reads the rows.
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import {
  beginFrozen,
  frozenSettings,
} from '../../../../../src/controllers/engines/postgres/logical/contents-questions.ts'
import { onEachPostgres } from '../../../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../../../postgres/postgres-server.ts'

async function connected({ port, password }: PostgresServer): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' })
  onTestFinished(() => client.end())
  await client.connect()
  return client
}

onEachPostgres('a frozen session', (server, version) => {
  it('is ended by no limit of the server', async () => {
    const client = await connected(server())
    const names = ['statement_timeout', 'idle_in_transaction_session_timeout']
    if (version >= 17) names.push('transaction_timeout')
    for (const name of names) await client.query(`SET ${name} TO '1h'`)
    await client.query(beginFrozen)
    await client.query(frozenSettings)
    const question = "SELECT name, setting FROM pg_settings WHERE name LIKE '%timeout' AND name = ANY ($1)"
    const { rows } = await client.query(question, [names])
    await client.query('ROLLBACK')
    expect(rows).toHaveLength(names.length)
    expect(rows.filter(({ setting }) => setting !== '0')).toEqual([])
  })

  it('counts rows and not index entries', async () => {
    const client = await connected(server())
    // Rows on disk are visible to all sessions.
    await client.query('SET synchronous_commit TO on')
    await client.query(`CREATE TABLE wide (id int PRIMARY KEY, more text);
      INSERT INTO wide SELECT n, repeat('x', 1000) FROM generate_series(1, 2000) n`)
    await client.query('VACUUM ANALYZE wide')
    const planOf = async () => JSON.stringify((await client.query('EXPLAIN SELECT count(*) FROM wide')).rows)
    expect(await planOf()).toContain('Index Only Scan')
    await client.query(beginFrozen)
    await client.query(frozenSettings)
    expect(await planOf()).not.toContain('Index Only Scan')
    await client.query('ROLLBACK')
    await client.query('DROP TABLE wide')
  })
})
