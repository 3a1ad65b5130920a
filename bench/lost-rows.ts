// Frequency at which PostgreSQL loses an acknowledged row when a logical slot is created and its snapshot read. A
// subscription does the same to copy a table. Four sessions write rows meanwhile. With `locked` no session writes
// during the creation, and no row is lost. `ours` is konverge's way to create a slot and the snapshot before it.
//
// Run: node bench/lost-rows.ts [seconds] [locked | ours]. The results are in
// docs/decisions/0029-a-database-moves-by-replication.md.
import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { Client } from 'pg'
import { systemClock } from '../src/base/clock.ts'
import { FrozenSession } from '../src/controllers/engines/postgres/logical/frozen-session-client.ts'
import { makePostgresHome, removePostgresHome, superuser } from '../test/postgres/postgres-home.ts'
import { PostgresServer } from '../test/postgres/postgres-server.ts'

const [seconds = '20', how] = process.argv.slice(2)
const writers = 4
const newestPage = "SELECT greatest(0, pg_relation_size('orders') / 8192 - 2) AS page"
const newestRows = (page: unknown) => `SELECT count(*) FROM orders WHERE ctid > '(${page},0)'`
const settings = { wal_level: 'logical', fsync: 'on', synchronous_commit: 'on' }

const home = await makePostgresHome()
try {
  for (const { major } of home.versions) {
    const server = await PostgresServer.start(home, { version: major, settings })
    try {
      const { slots, told, lost } = await measure(server)
      process.stdout.write(
        `PostgreSQL ${major}: ${slots} slots, ${told} rows acknowledged, ${lost} of them lost at the source; ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}\n`,
      )
    } finally {
      await server.remove()
    }
  }
} finally {
  await removePostgresHome(home)
}

async function measure(
  server: PostgresServer,
): Promise<{ readonly slots: number; readonly told: number; readonly lost: number }> {
  await server.byHand('CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int NOT NULL)')
  const untilMs = performance.now() + 1_000 * Number(seconds)
  const told: number[] = []
  let next = 0
  const writing = Array.from({ length: writers }, async () => {
    const client = await server.connect()
    while (performance.now() < untilMs) {
      next += 1
      const n = next
      await client.query('INSERT INTO orders (n) VALUES ($1)', [n])
      told.push(n)
    }
    await client.end()
  })
  const slots = await (how === 'ours' ? copyOurWay(server, untilMs) : copyAgainAndAgain(server, untilMs))
  await Promise.all(writing)
  const there = new Set((await server.byHand('SELECT n FROM orders')).map(({ n }) => n))
  return { slots, told: told.length, lost: told.filter((n) => !there.has(n)).length }
}

/** The method of an upgrade; here too it reads only the end of the table. */
async function copyOurWay(server: PostgresServer, untilMs: number): Promise<number> {
  const reader = await server.connect()
  await reader.query('CREATE PUBLICATION ours FOR TABLE orders')
  const wish = { name: 'ours', tables: [{ schema: 'public', name: 'orders' }] }
  const caller = { kind: 'Database', namespace: 'default', name: 'orders' }
  const call = { access: server.access(), database: 'postgres', caller, signal: new AbortController().signal }
  let slots = 0
  let replaces: string | undefined
  for (; performance.now() < untilMs; slots += 1) {
    const { rows } = await reader.query(newestPage)
    const frozen = await FrozenSession.begin({ ...call, slot: { ...wish, replaces } }, systemClock)
    replaces = frozen.from
    await reader.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await reader.query(`SET TRANSACTION SNAPSHOT '${frozen.snapshot}'`)
    await reader.query(newestRows(rows[0]?.page))
    await reader.query('COMMIT')
    await frozen.end()
  }
  await reader.end()
  return slots
}

/** The statements of a subscription's worker; it reads only the end of the table, as if the table were small. */
async function copyAgainAndAgain(server: PostgresServer, untilMs: number): Promise<number> {
  const locker = await server.connect()
  const { port, password } = server
  // Sound: pg sends unknown parameters to the server, and `replication` is one of the protocol.
  const config = { host: '127.0.0.1', port, password, user: superuser, database: 'postgres', replication: 'database' }
  const sender = new Client(config)
  await sender.connect()
  let slots = 0
  for (; performance.now() < untilMs; slots += 1) {
    const { rows } = await locker.query(newestPage)
    if (how === 'locked') await locker.query('BEGIN; LOCK TABLE orders IN SHARE MODE')
    await sender.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await sender.query(`CREATE_REPLICATION_SLOT s${slots} TEMPORARY LOGICAL pgoutput USE_SNAPSHOT`)
    if (how === 'locked') await locker.query('COMMIT')
    await sender.query(newestRows(rows[0]?.page))
    await sender.query('COMMIT')
    await sender.query(`DROP_REPLICATION_SLOT s${slots}`)
  }
  await sender.end()
  await locker.end()
  return slots
}
