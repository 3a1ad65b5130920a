// Blocks the writers of a PostgreSQL database and admits them again, by the attribute LOGIN of their roles. A blocked
// login receives SQLSTATE 28000. Superusers cannot be blocked. The client terminates their sessions too, and observes
// those that return.

import type { RoleChange } from '../change.ts'
import type { DatabaseServer } from '../engine.ts'
import { EngineError } from '../engine-error.ts'
import { type FreezeRecord, stillAway, type WriteFreeze, type WriterFacts } from '../write-freeze.ts'
import { foreignSession, namesOf } from './observe-server.ts'
import { startingSessions } from './starting-sessions-client.ts'

export interface WriteFreezeOptions {
  readonly database: string
  /** Logins that are not blocked, such as that of a replication. The admin's own login never is. */
  readonly spared: readonly string[]
}

export class WriteFreezeClient implements WriteFreeze {
  readonly #server: DatabaseServer
  readonly #options: WriteFreezeOptions

  constructor(server: DatabaseServer, options: WriteFreezeOptions) {
    this.#server = server
    this.#options = options
  }

  async observe(record: FreezeRecord | undefined): Promise<WriterFacts> {
    const { database, spared } = this.#options
    const values = [database, JSON.stringify(spared), JSON.stringify(record?.logins ?? [])]
    // Sound: the types are those that the question builds.
    return (await this.#server.queryJson({ text: writersQuestion, values }, 'logins')) as WriterFacts
  }

  async freeze(record: FreezeRecord): Promise<void> {
    const { database } = this.#options
    const { logins } = await this.observe(record)
    const open = new Set(logins.filter(({ canLogin }) => canLogin).map(({ name }) => name))
    await this.#server.change(record.logins.filter((name) => open.has(name)).map((name) => letIn(name, false)))
    await this.#endStarting()
    await this.#server.terminate({ database })
  }

  /** Ends the sessions that were starting when the logins were closed, in any database. */
  async #endStarting(): Promise<void> {
    const starting = await startingSessions(this.#server)
    if (starting.length === 0) return
    await this.#server.query({ text: endStarting, values: [JSON.stringify(starting)] })
    const left = (await startingSessions(this.#server)).filter((pid) => starting.includes(pid))
    if (left.length === 0) return
    const message = `${left.length} sessions that were starting could not be ended`
    throw new EngineError({ code: 'DatabaseInUse', message, remedy: 'retry' })
  }

  async thaw(record: FreezeRecord): Promise<void> {
    const away = stillAway(record, await this.observe(record))
    await this.#server.change(away.map((name) => letIn(name, true)))
  }
}

function letIn(role: string, canLogin: boolean): RoleChange {
  return { kind: 'alterRole', role, attributes: { canLogin } }
}

/** $1: process ids. Waits until the processes have ended. */
const endStarting = `SELECT pg_catalog.pg_terminate_backend(p.value::int, 5000)
  FROM pg_catalog.jsonb_array_elements_text($1::jsonb) p`

/** $1: the database; $2: spared logins; $3: logins of the record. */
const writersQuestion = `SELECT pg_catalog.jsonb_build_object(
  'logins', COALESCE((SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', r.rolname, 'canLogin', r.rolcanlogin)
      ORDER BY r.rolname)
    FROM pg_catalog.pg_roles r WHERE r.rolname = ANY (${namesOf('$3')})
      OR (r.rolcanlogin AND NOT r.rolsuper AND r.rolname <> current_user AND r.rolname <> ALL (${namesOf('$2')})
        AND pg_catalog.has_database_privilege(r.oid, $1, 'CONNECT'))), '[]'),
  'sessions', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a WHERE a.datname = $1 AND ${foreignSession}),
  'prepared', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_prepared_xacts x WHERE x.database = $1)) AS answer`
