// Fixture: a migration with any number of workers in a database of its own on a real server.
// A proxy in front of the server breaks connections on demand.
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import type { MigrationStep } from '../../../src/controllers/engines/migration-step.ts'
import { openCopySource } from '../../../src/controllers/engines/postgres/migration/copy-source-client.ts'
import {
  type TargetOptions,
  takeMigrationTarget,
} from '../../../src/controllers/engines/postgres/migration/migration-target-client.ts'
import { loadSqlParser } from '../../../src/controllers/engines/postgres/review/parser-loader.ts'
import { stepReviewer } from '../../../src/controllers/engines/postgres/review/review.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import type { MigrationEvent, MigrationOutcome } from '../../../src/controllers/migration/migration-outcome.ts'
import type { MigrationOrder } from '../../../src/controllers/migration/migration-plan.ts'
import { type MigrationRun, runMigration } from '../../../src/controllers/migration/migration-runner.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'

export interface StageOptions {
  /**
   * Source of copies: its database `source`. `access`: that connection; otherwise, on the same server, the target's.
   */
  readonly source?: { readonly server: PostgresServer; readonly database: string; readonly access?: ServerAccess }
  /** Role that steps run as; undefined: the superuser. */
  readonly owner?: string
}

export interface WorkerOptions extends Partial<MigrationOrder> {
  readonly migration?: string
  readonly lockWaitMs?: number
  readonly firstRetryMs?: number
  readonly isRehearsed?: boolean
  readonly isParting?: boolean
  readonly signal?: AbortSignal
  readonly holder?: string
  /** Role of the connection; undefined: the superuser. */
  readonly access?: ServerAccess
}

let databases = 0

export class MigrationStage {
  readonly server: PostgresServer
  readonly proxy: SqlProxy
  readonly database: string
  readonly news: MigrationEvent[] = []
  /** True if the source of copies is unknown. */
  isSourceForgotten = false
  readonly #options: StageOptions

  private constructor(server: PostgresServer, proxy: SqlProxy, database: string, options: StageOptions) {
    this.server = server
    this.proxy = proxy
    this.database = database
    this.#options = options
  }

  /** Stops with the test. */
  static async start(server: PostgresServer, options: StageOptions = {}): Promise<MigrationStage> {
    databases += 1
    const database = `migrated_${databases}`
    await server.byHand(`CREATE DATABASE ${database}`)
    const stage = new MigrationStage(server, await SqlProxy.start(server.access()), database, options)
    onTestFinished(() => stage.end())
    return stage
  }

  /** Source of copies. */
  get source(): StageOptions['source'] {
    return this.#options.source
  }

  /** For a test with many migrations, one after the other. */
  async end(): Promise<void> {
    await this.proxy.stop()
    await this.server.byHand(`DROP DATABASE IF EXISTS ${this.database} WITH (FORCE)`)
  }

  async byHand(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.server.byHand(text, { database: this.database })
  }

  async inSource(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { source } = this.#options
    if (source === undefined) throw new Error('The stage has no source.')
    return source.server.byHand(text, { database: source.database })
  }

  /** One worker, from its start to its end. */
  async work(steps: readonly MigrationStep[], options: WorkerOptions = {}): Promise<MigrationOutcome> {
    return runMigration(await this.runOf(steps, options), options.signal ?? new AbortController().signal)
  }

  async targetOptions({
    migration = 'default/shop',
    holder = 'worker',
    access = this.proxy.access(),
  }: WorkerOptions = {}): Promise<TargetOptions> {
    const { source, owner = this.server.access().username } = this.#options
    const common = { applicationName: 'konverge/source', clock: systemClock, secrets: systemSecrets }
    return {
      ...{ access, database: this.database, migration, lock: 'shop', holder },
      ...{ parser: await loadSqlParser(), clock: systemClock, secrets: systemSecrets, owner, pollMs: 50 },
      ...(source === undefined
        ? {}
        : {
            openSource: async (_name, role, signal) => {
              const { server, database, access: way } = source
              if (this.isSourceForgotten) return undefined
              // On the same server the source uses the same proxy, so that it breaks too.
              const access = way ?? (server === this.server ? this.proxy.access() : server.access())
              const { host, port, tls } = server.access()
              const opened = await openCopySource({ ...common, access, database, owner: access.username }, role, signal)
              return { ...opened, address: { host, port, tls } }
            },
          }),
    }
  }

  async runOf(steps: readonly MigrationStep[], options: WorkerOptions): Promise<MigrationRun> {
    const {
      migration: _,
      holder: __,
      access: ____,
      signal: ___,
      lockWaitMs = 30_000,
      firstRetryMs = 5,
      isRehearsed = false,
      isParting = false,
      ...changes
    } = options
    const target = await this.targetOptions(options)
    const order: MigrationOrder = {
      ...{
        steps,
        onFailure: 'Stop',
        adoptsBaseline: false,
        retryToken: '',
        maxAttempts: 5,
        approval: { kind: 'Auto' },
      },
      ...changes,
    }
    return {
      order,
      findings: stepReviewer(target.parser)(steps, { requiresVerify: false }).findings,
      isRehearsed,
      isParting,
      take: (signal) => takeMigrationTarget(target, signal),
      clock: systemClock,
      patience: { lockWaitMs, lockPollMs: 5, firstRetryMs, maxLosses: 8 },
      onNews: (news) => this.news.push(news),
    }
  }

  /** `a Applied`, in the order of the steps. */
  async marks(migration = 'default/shop'): Promise<readonly string[]> {
    const rows = await this.byHand(
      `SELECT name, state FROM _konverge.migration_steps WHERE migration = '${migration}' ORDER BY ordinal`,
    )
    return rows.map(({ name, state }) => `${String(name)} ${String(state)}`)
  }

  /** A server notices the end of a worker late. */
  async sessionsEnd(): Promise<void> {
    const wait = { what: 'the sessions of workers to end', everyMs: 5 }
    const text =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'konverge/%'"
    await waitUntil(wait, async () => (await this.byHand(text)).length === 0)
  }

  /** Locks and logins of a worker after the end of its sessions, and invalid indexes. */
  async leftovers(): Promise<unknown> {
    await this.sessionsEnd()
    const [row] = await this.byHand(
      `SELECT (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory'
                  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS locks,
              (SELECT count(*)::int FROM pg_index WHERE NOT indisvalid) AS "brokenIndexes",
              (SELECT count(*)::int FROM pg_prepared_xacts) AS prepared,
              (SELECT count(*)::int FROM pg_roles WHERE rolcanlogin AND rolname LIKE '\\_konverge%') AS logins`,
    )
    return row
  }
}

export const nothingLeft = { locks: 0, brokenIndexes: 0, prepared: 0, logins: 0 }
