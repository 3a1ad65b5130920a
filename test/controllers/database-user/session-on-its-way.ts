// Fixture: a session that is authenticated, but not visible on the server yet. A client may stay in this state.
import { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { PostgresServer } from '../../postgres/postgres-server.ts'

const held = `SELECT count(DISTINCT l.pid)::int AS is FROM pg_locks l WHERE l.locktype = 'virtualxid' AND l.pid <> pg_backend_pid()
  AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = l.pid AND (a.usesysid IS NOT NULL OR a.backend_type NOT IN ('client backend', 'walsender')))`

/** `outcome`: its last message. It ends with the test. */
export async function onItsWayIn(
  server: PostgresServer,
  login: object,
): Promise<{ readonly outcome: Promise<string> }> {
  const options = '-c post_auth_delay=600'
  const client = new Client({ host: '127.0.0.1', port: server.port, ssl: false, ...login, options })
  const heard = new Promise<string>((resolve) => client.on('error', (error) => resolve(String(error))))
  const outcome = Promise.race([heard, client.connect().then(() => heard, String)])
  onTestFinished(() => client.end().catch(() => undefined))
  await expect.poll(() => server.byHand(held)).toEqual([{ is: 1 }])
  return { outcome }
}
