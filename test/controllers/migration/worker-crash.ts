// Faults for the crash runs of Migrations: a worker dies, its connection breaks, or the server dies. Invariant: the end
// equals that of a run without faults, every step takes effect once, and nothing is left behind.
// The runs apply steps of every kind, and compensate all of them.
import type { MigrationStep } from '../../../src/controllers/engines/migration-step.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces } from '../../crash-runs/places.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import type { Verdict } from '../../postgres/sql-proxy.ts'
import { type ServerFate, serverFates } from '../database/mortal-engines.ts'
import { MigrationStage, nothingLeft } from './migration-stage.ts'
import { assertStep, copyStep, sqlStep } from './steps.ts'

interface Story {
  readonly steps: readonly MigrationStep[]
  readonly onFailure: 'Stop' | 'RunDown'
  readonly whole: object
}

type Blow = StatementBlow<ServerFate>

/** Each step inserts a row that counts how often it took effect. */
const effect = (name: string) => `INSERT INTO effects VALUES ('${name}')`
const once = (...names: readonly string[]) => names.map((name) => ({ name, times: 1 }))
const indexIsThere = {
  sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('things_word')",
  expect: 't',
}

/**
 * If it is interrupted after its COMMIT, it is called again. Its first part then changes nothing, and `verify` checks
 * the last part.
 */
const shout = `CREATE PROCEDURE shout() LANGUAGE plpgsql AS $$
  BEGIN UPDATE things SET word = upper(word); COMMIT; ${effect('call')}; END $$`

/** A step of each kind, with its compensation. */
export const forwardSteps = [
  sqlStep(`CREATE TABLE things (id int PRIMARY KEY, word text); ${shout}; ${effect('create')}`, {
    name: 'create',
    verify: {
      sql: "SELECT count(*) FROM information_schema.columns WHERE table_name = 'things' AND column_name = 'word'",
      expect: '1',
    },
    down: `DROP PROCEDURE shout; DROP TABLE things; ${effect('drop')}`,
  }),
  copyStep(['things'], { name: 'copy', down: `DELETE FROM things; ${effect('empty')}` }),
  sqlStep('CREATE INDEX CONCURRENTLY things_word ON things (word)', {
    ...{
      name: 'index',
      isTransactional: false,
      verify: indexIsThere,
      down: `DROP INDEX things_word; ${effect('unindex')}`,
    },
  }),
  assertStep('SELECT count(*) FROM things', {
    name: 'check',
    verify: { sql: 'SELECT count(*) FROM things', expect: '12' },
  }),
  sqlStep(`UPDATE things SET id = id + 100; ${effect('move')}`, {
    ...{ name: 'move', down: `UPDATE things SET id = id - 100; ${effect('unmove')}` },
  }),
  sqlStep('CALL shout()', {
    ...{
      name: 'call',
      isTransactional: false,
      verify: { sql: "SELECT count(*) FROM effects WHERE name = 'call'", expect: '1' },
      down: `UPDATE things SET word = lower(word); ${effect('uncall')}`,
    },
  }),
  // Half done it leaves an invalid index. Then `index` no longer holds, and this step does not hold yet.
  sqlStep('DROP INDEX CONCURRENTLY things_word', {
    ...{
      name: 'retire',
      isTransactional: false,
      verify: { sql: "SELECT to_regclass('things_word') IS NULL", expect: 't' },
      down: `CREATE INDEX things_word ON things (word); ${effect('unretire')}`,
    },
  }),
]

/** Steps that count themselves. */
export const forwardEffects = once('call', 'create', 'move')

const wrong = sqlStep('CREATE UNIQUE INDEX CONCURRENTLY things_same ON things ((1))', {
  ...{
    name: 'wrong',
    isTransactional: false,
    verify: { sql: "SELECT to_regclass('things_same') IS NOT NULL", expect: 't' },
  },
})

export const migrationForwardCrash = workflowOf('migration-forward', {
  steps: forwardSteps,
  onFailure: 'Stop',
  whole: { outcome: { kind: 'Completed' }, left: nothingLeft, effects: forwardEffects },
})

export const migrationBackCrash = workflowOf('migration-back', {
  steps: [...forwardSteps, wrong],
  onFailure: 'RunDown',
  whole: {
    outcome: { kind: 'Failed', step: 'wrong', failure: { sqlState: '23505' } },
    left: nothingLeft,
    effects: once('call', 'create', 'drop', 'empty', 'move', 'uncall', 'unindex', 'unmove', 'unretire'),
  },
})

/** Creates the environment with a source database for copies. */
export async function stageWithRows(server: PostgresServer): Promise<MigrationStage> {
  await server.byHand('DROP DATABASE IF EXISTS crash_source')
  await server.byHand('CREATE DATABASE crash_source')
  const rows = "CREATE TABLE things AS SELECT n AS id, 'word ' || n AS word FROM generate_series(1, 12) AS n"
  await server.byHand(`${rows}; ALTER TABLE things ADD PRIMARY KEY (id)`, { database: 'crash_source' })
  return MigrationStage.start(server, { source: { server, database: 'crash_source' } })
}

function workflowOf(name: string, story: Story): CrashWorkflow<Blow> {
  return {
    name,
    weight: 16,
    // Commits must survive a crash of the server's processes.
    server: { settings: { synchronous_commit: 'on' } },
    whole: story.whole,
    start: async (server) => {
      const stage = await stageWithRows(server)
      return { tell: (blows) => tell(stage, story, blows) }
    },
  }
}

/** Starts one worker after another until one ends by itself. */
async function tell(stage: MigrationStage, story: Story, blows: readonly Blow[]): Promise<Told<Blow>> {
  await stage.byHand(`DROP SCHEMA IF EXISTS _konverge CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public;
                      CREATE TABLE effects (name text)`)
  stage.proxy.forget()
  let [seen, struck] = [0, 0]
  for (let life = 0; life <= blows.length; life += 1) {
    const worker = new AbortController()
    stage.proxy.judge = (): Verdict => {
      // A dead worker sends no more statements.
      if (worker.signal.aborted) return 'cutBefore'
      seen += 1
      const blow = blows.find(({ index }) => index === seen)
      if (blow === undefined) return 'pass'
      struck += 1
      if (blow.fate === 'serverDies') stage.server.crash().catch(() => undefined)
      // A worker whose wait for a restarting server expires counts as dead.
      if (blow.fate.startsWith('die') || blow.fate === 'serverDies') worker.abort(new Error('killed'))
      return blow.fate.endsWith('After') ? 'cutAfter' : 'cutBefore'
    }
    try {
      const outcome = await stage.work(story.steps, { onFailure: story.onFailure, signal: worker.signal })
      const texts = stage.proxy.statements.map(({ text }) => text)
      return { end: await endOf(stage, outcome), struck, places: statementPlaces(texts, serverFates) }
    } catch (error) {
      if (!worker.signal.aborted) throw error
      // The next worker starts when the server is up again.
      await stage.byHand('SELECT 1')
    }
  }
  throw new Error('a worker died of nothing')
}

async function endOf(stage: MigrationStage, outcome: unknown): Promise<object> {
  await stage.sessionsEnd()
  const isThere = (await stage.byHand("SELECT 1 FROM pg_class WHERE relname = 'things'")).length > 0
  return {
    outcome,
    marks: await stage.marks(),
    effects: await stage.byHand('SELECT name, count(*)::int AS times FROM effects GROUP BY name ORDER BY name'),
    rows: isThere ? await stage.byHand('SELECT id, word FROM things ORDER BY id') : 'no table',
    left: await stage.leftovers(),
  }
}
