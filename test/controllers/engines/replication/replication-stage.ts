// Fixture of a replication: two real servers with one database each, the operator's engine, and sessions that act as
// users.
import { inject } from 'vitest'
import { systemClock } from '../../../../src/base/clock.ts'
import type { LogPosition } from '../../../../src/controllers/engines/log-position.ts'
import { FrozenSession } from '../../../../src/controllers/engines/postgres/logical/frozen-session-client.ts'
import { PublisherClient } from '../../../../src/controllers/engines/postgres/replication/publisher-client.ts'
import { SubscriberClient } from '../../../../src/controllers/engines/postgres/replication/subscriber-client.ts'
import { scramVerifier } from '../../../../src/controllers/engines/postgres/scram.ts'
import { WriteFreezeClient } from '../../../../src/controllers/engines/postgres/write-freeze-client.ts'
import type { TableName } from '../../../../src/controllers/engines/replication.ts'
import {
  advanceReplication,
  observeReplication,
  type ReplicationTask,
} from '../../../../src/controllers/engines/replication-runner.ts'
import type { BothSides, ReplicationState } from '../../../../src/controllers/engines/replication-state.ts'
import type { ServerAccess } from '../../../../src/controllers/engines/server-access.ts'
import { waitUntil } from '../../../control-plane/wait-until.ts'
import { engineHere } from '../../../postgres/engine-here.ts'
import { startPostgres } from '../../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../../postgres/postgres-server.ts'

export const database = 'shop'
export const id = 'up_1'
export const token = { uid: 'upgrade-1', generation: 1 }
export const password = 'Needle-of-the-replication'
const verifier = scramVerifier({ password, salt: Buffer.alloc(16, 5) })
/** Real time, on a machine with other load. */
const patienceMs = 120_000

export interface StageOptions {
  readonly source: number
  readonly target: number
  readonly sourceSettings?: Readonly<Record<string, string>>
  readonly targetSettings?: Readonly<Record<string, string>>
}

/** From the oldest version to the newest and back; one pair if there is only one version. */
export function pairs(): readonly (readonly [number, number])[] {
  const majors = inject('postgresHome').versions.map(({ major }) => major)
  const [oldest = 0, newest = 0] = [Math.min(...majors), Math.max(...majors)]
  return oldest === newest
    ? [[oldest, newest]]
    : [
        [oldest, newest],
        [newest, oldest],
      ]
}

export class ReplicationStage {
  readonly source: PostgresServer
  readonly target: PostgresServer
  /** State of one operator process. */
  here = engineHere()
  readonly signal = new AbortController().signal
  /** Position of the rows that the target was given. */
  filledFrom: LogPosition | undefined

  constructor(source: PostgresServer, target: PostgresServer) {
    this.source = source
    this.target = target
  }

  /** Starts both servers with the tables of `schema`. Stopped at the end of the test. */
  static async start(schema: string, options: StageOptions): Promise<ReplicationStage> {
    const { sourceSettings, targetSettings } = options
    const [source, target] = await Promise.all([
      startPostgres({ version: options.source, settings: { wal_level: 'logical', ...sourceSettings } }),
      startPostgres({ version: options.target, settings: { wal_retrieve_retry_interval: '200ms', ...targetSettings } }),
    ])
    for (const server of [source, target]) {
      await server.byHand(`CREATE DATABASE ${database}`)
      await server.byHand(schema, { database })
    }
    return new ReplicationStage(source, target)
  }

  /** Addresses may lead through the proxy in front of a server. */
  task(ways: { readonly source?: ServerAccess; readonly target?: ServerAccess } = {}): ReplicationTask {
    const end = { database, id, token }
    const source = this.here.at(ways.source ?? this.source.access())
    const target = this.here.at(ways.target ?? this.target.access())
    return {
      publisher: new PublisherClient(source, end),
      subscriber: new SubscriberClient(target, {
        ...end,
        sourceDatabase: database,
        majorVersion: this.target.version,
      }),
      token,
      filledFrom: async () => this.filledFrom,
      address: { host: '127.0.0.1', port: this.source.port, tls: 'disable', password },
      verifier,
    }
  }

  freezer(access: ServerAccess = this.source.access()): WriteFreezeClient {
    return new WriteFreezeClient(this.here.at(access), { database, spared: [`konverge_${id}`] })
  }

  async standing(): Promise<ReplicationState> {
    return (await observeReplication(this.task())).standing
  }

  /** Creates missing parts until `isSo`. */
  async until(what: string, isSo: (standing: ReplicationState, sides: BothSides) => boolean): Promise<BothSides> {
    const wait = { what, limitMs: patienceMs, everyMs: 20 }
    let last: BothSides | undefined
    await waitUntil(wait, async () => {
      const { standing, sides } = await advanceReplication(this.task())
      last = sides
      if (standing.kind === 'incomplete' && standing.next === 'fill') await this.fill(sides.source.tables)
      return isSo(standing, sides)
    })
    if (last === undefined) throw new Error('It was looked at.')
    return last
  }

  /**
   * Creates the slot, and gives the target all rows of its snapshot, like a worker. `during`: runs while the snapshot
   * is held.
   */
  async fill(
    tables: readonly TableName[],
    access: ServerAccess = this.source.access(),
    during: () => Promise<void> = async () => {},
  ): Promise<void> {
    const { slot: seen } = await this.task().publisher.observe()
    const slot = { name: `konverge_${id}`, tables, replaces: seen?.confirmed }
    const caller = { kind: 'Database', namespace: 'default', name: database }
    const frozen = await FrozenSession.begin({ access, database, caller, slot, signal: this.signal }, systemClock)
    try {
      await during()
      const [reader, writer] = [await this.source.connect({ database }), await this.target.connect({ database })]
      try {
        await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        await reader.query(`SET TRANSACTION SNAPSHOT '${frozen.snapshot}'`)
        await writer.query('BEGIN; SET LOCAL session_replication_role TO replica')
        for (const { schema, name } of tables) {
          const table = `"${schema}"."${name}"`
          const { rows } = await reader.query(
            `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ONLY ${table} AS t`,
          )
          await writer.query(`TRUNCATE ${table} CASCADE`)
          await writer.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
            rows[0]?.rows,
          ])
        }
        await writer.query('COMMIT')
      } finally {
        await Promise.all([reader.end(), writer.end()])
      }
      this.filledFrom = frozen.from
    } finally {
      await frozen.end()
    }
  }

  async following(): Promise<BothSides> {
    return this.until('the target to follow', ({ kind }) => kind === 'following')
  }

  /** Returns the remaining objects of any replication on a server. */
  async leftovers(server: PostgresServer, inside = database): Promise<unknown> {
    const [row] = await server.byHand(
      `SELECT (SELECT count(*) FROM pg_replication_slots)::int AS slots, (SELECT count(*) FROM pg_publication)::int AS publications,
         (SELECT count(*) FROM pg_subscription)::int AS subscriptions, (SELECT count(*) FROM pg_replication_origin)::int AS origins,
         (SELECT count(*) FROM pg_roles WHERE rolname LIKE 'konverge%')::int AS logins`,
      { database: inside },
    )
    return row
  }

  async removed(server: PostgresServer, remove: () => Promise<void>): Promise<void> {
    await waitUntil({ what: 'it to be removed', limitMs: patienceMs, everyMs: 50 }, async () => {
      await remove()
      return JSON.stringify(await this.leftovers(server)) === JSON.stringify(nothing)
    })
  }
}

export const nothing = { slots: 0, publications: 0, subscriptions: 0, origins: 0, logins: 0 }
