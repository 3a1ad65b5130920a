// Wherever a worker dies, or its connection breaks: the migration ends as an undisturbed one, every step took effect once, and nothing is
// left behind. Every statement is such a place, before and after. And: two workers at once, and one that was paused and comes back.
import { expect, it } from 'vitest'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { MigrationStage, nothingLeft, type WorkerOptions } from './migration-stage.ts'
import { assertStep, copyStep, sqlStep } from './steps.ts'

/** Each telling makes a schema and undoes it. */
const stride = 79
const fates = ['cutBefore', 'cutAfter', 'dieBefore', 'dieAfter'] as const

interface Disturbance {
  /** The statement that it happens at, from 1. */
  readonly index: number
  readonly fate: (typeof fates)[number]
}

/** Each step leaves a word that says how often it took effect. */
const effect = (name: string) => `INSERT INTO effects VALUES ('${name}')`
const indexIsThere = {
  sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('things_word')",
  expect: 't',
}

const forward = [
  sqlStep(`CREATE TABLE things (id int PRIMARY KEY, word text); ${effect('create')}`, {
    name: 'create',
    verify: {
      sql: "SELECT count(*) FROM information_schema.columns WHERE table_name = 'things' AND column_name = 'word'",
      expect: '1',
    },
    down: `DROP TABLE things; ${effect('drop')}`,
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
]

const wrong = sqlStep('CREATE UNIQUE INDEX CONCURRENTLY things_same ON things ((1))', {
  ...{
    name: 'wrong',
    isTransactional: false,
    verify: { sql: "SELECT to_regclass('things_same') IS NOT NULL", expect: 't' },
  },
})

const stories = {
  forward: {
    steps: forward,
    onFailure: 'Stop',
    outcome: { kind: 'Completed' },
    effects: ['create', 'move'],
  },
  'and all the way back': {
    steps: [...forward, wrong],
    onFailure: 'RunDown',
    outcome: { kind: 'Failed', step: 'wrong', failure: { sqlState: '23505' } },
    effects: ['create', 'drop', 'empty', 'move', 'unindex', 'unmove'],
  },
} as const

interface Ending {
  readonly outcome: unknown
  readonly marks: readonly string[]
  readonly effects: unknown
  readonly rows: unknown
  readonly left: unknown
}

/** Lives follow on one another until one ends by itself. */
async function tell(
  stage: MigrationStage,
  story: (typeof stories)[keyof typeof stories],
  { index, fate }: Disturbance,
) {
  await stage.byHand(`DROP SCHEMA IF EXISTS _konverge CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public;
                      CREATE TABLE effects (name text)`)
  stage.proxy.forget()
  let seen = 0
  for (let life = 0; life < 3; life += 1) {
    const worker = new AbortController()
    const killed = new Error('killed')
    stage.proxy.judge = () => {
      // The dead say nothing more.
      if (worker.signal.aborted) return 'cutBefore'
      seen += 1
      if (seen !== index) return 'pass'
      if (fate.startsWith('die')) worker.abort(killed)
      return fate.endsWith('Before') ? 'cutBefore' : 'cutAfter'
    }
    try {
      const outcome = await stage.work(story.steps, { onFailure: story.onFailure, signal: worker.signal })
      return { ending: await endingOf(stage, outcome), statements: stage.proxy.statements }
    } catch (error) {
      if (error !== killed) throw error
    }
  }
  throw new Error('a worker died of nothing')
}

async function endingOf(stage: MigrationStage, outcome: unknown): Promise<Ending> {
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

async function stageWithRows(server: PostgresServer): Promise<MigrationStage> {
  await server.byHand('DROP DATABASE IF EXISTS crash_source')
  await server.byHand('CREATE DATABASE crash_source')
  const rows = "CREATE TABLE things AS SELECT n AS id, 'word ' || n AS word FROM generate_series(1, 12) AS n"
  await server.byHand(`${rows}; ALTER TABLE things ADD PRIMARY KEY (id)`, { database: 'crash_source' })
  return MigrationStage.start(server, { source: { server, database: 'crash_source' } })
}

onEachPostgres('a migration whose worker dies or is cut off', (server, version) => {
  it.each(Object.keys(stories))('ends as if nothing had happened: %s', { timeout: 3_600_000 }, async (name) => {
    const story = name === 'forward' ? stories.forward : stories['and all the way back']
    const stage = await stageWithRows(server())
    const undisturbed = await tell(stage, story, { index: 0, fate: 'cutBefore' })
    const { outcome, left, effects } = undisturbed.ending
    expect({ outcome, left }).toMatchObject({ outcome: story.outcome, left: nothingLeft })
    expect(effects).toEqual(story.effects.map((effect) => ({ name: effect, times: 1 })))
    const places = undisturbed.statements.flatMap((_, at) => fates.map((fate) => ({ index: at + 1, fate })))
    for (const place of crashPlaces(places, version, stride)) {
      const title = `${place.fate} statement ${place.index}: ${undisturbed.statements[place.index - 1]?.text.slice(0, 100)}`
      const { ending } = await tell(stage, story, place).catch((thrown: unknown) => {
        throw new Error(`${title}: ${String(thrown)}`)
      })
      expect({ title, ...ending }).toEqual({ title, ...undisturbed.ending })
    }
  })

  it('applies every step once by two workers at once', async () => {
    const stage = await stageWithRows(server())
    await stage.byHand('CREATE TABLE effects (name text)')
    const outcomes = await Promise.all([stage.work(forward), stage.work(forward, { holder: 'other' })])
    expect(outcomes).toEqual([{ kind: 'Completed' }, { kind: 'Completed' }])
    expect(await stage.byHand('SELECT name, count(*)::int AS times FROM effects GROUP BY name ORDER BY name')).toEqual([
      { name: 'create', times: 1 },
      { name: 'move', times: 1 },
    ])
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })

  it('lets nothing through of a worker that was paused and overtaken', async () => {
    const stage = await stageWithRows(server())
    await stage.byHand('CREATE TABLE effects (name text)')
    const options: WorkerOptions = { holder: 'paused' }
    let resume: (() => void) | undefined
    // Its session hangs in the middle of the step, and the server gives the session up.
    stage.proxy.judge = ({ text }) => (text.includes("('move')") && resume === undefined ? 'hang' : 'pass')
    const paused = stage.work(forward, options)
    await expect
      .poll(() => stage.proxy.statements.some(({ text }) => text.includes("('move')")), { timeout: 60_000 })
      .toBe(true)
    resume = () => stage.proxy.cutAll()
    await stage.byHand(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                         WHERE datname = current_database() AND application_name LIKE 'konverge/migration/%'`)
    expect(await stage.work(forward, { holder: 'other' })).toEqual({ kind: 'Completed' })
    resume()
    expect(await paused).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT name, count(*)::int AS times FROM effects GROUP BY name ORDER BY name')).toEqual([
      { name: 'create', times: 1 },
      { name: 'move', times: 1 },
    ])
  })
})
