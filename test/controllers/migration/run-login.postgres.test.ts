// Login of a run while a session of an earlier run does not end. A reader is admitted; rival-workers.postgres.test.ts
// tests that a step is not.
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import { RunLoginClient } from '../../../src/controllers/engines/postgres/migration/run-login-client.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'

const role = '_konverge_run_reader'

onNewestPostgres('the login of a run', (server) => {
  it('a login is admitted to read while an earlier reader, which can change nothing later, does not end', async () => {
    const access = server().access()
    const open = async () => {
      const place = { access, database: 'postgres', owner: access.username, applicationName: 'konverge/test' }
      const client = await RunLoginClient.open({ ...place, clock: systemClock, secrets: systemSecrets }, signal)
      onTestFinished(() => client.close())
      return client
    }
    const { signal } = new AbortController()
    const before = await (await open()).letIn(role, 'read')
    const { rows } = await before.query('SELECT pg_backend_pid()::text AS pid', [], { signal, limitMs: 60_000 })
    const pid = Number(rows[0]?.['pid'])
    process.kill(pid, 'SIGSTOP')
    try {
      const session = await (await open()).letIn(role, 'read')
      const answer = await session.query('SELECT current_user::text AS who', [], { signal, limitMs: 60_000 })
      expect(answer.rows).toEqual([{ who: role }])
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })
})
