// Crash run of a Migration: the operator, a worker or the server dies.
// Invariant: it ends like a run without faults, each step took effect once, and nothing is left.
import { Migration } from '../../../imports/wire/migration.ts'
import type { CrashWorkflow, Place, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces, type WriteBlow, writePlaces } from '../../crash-runs/places.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import type { ProxyStatement } from '../../postgres/sql-proxy.ts'
import { type Fate, fateAt } from '../database/mortal-engines.ts'
import { home, MigrationScene } from './migration-fixture.ts'

const fates = ['dieBefore', 'dieAfter', 'serverDies'] as const
const speakers = ['worker', 'operator'] as const

type Speaker = (typeof speakers)[number]
type SpokenBlow = StatementBlow<(typeof fates)[number]> & { readonly who: Speaker }
type Blow = SpokenBlow | WriteBlow

const steps = [
  { name: 'make', sql: "CREATE TABLE effects (name text); INSERT INTO effects VALUES ('make')" },
  { name: 'fill', sql: "INSERT INTO effects VALUES ('fill')" },
  {
    name: 'index',
    sql: 'CREATE INDEX CONCURRENTLY effects_name ON effects (name)',
    transaction: false,
    verify: { sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('effects_name')", expect: 't' },
  },
]
const more = { name: 'more', sql: "INSERT INTO effects VALUES ('more')" }

export const migrationCrash: CrashWorkflow<Blow> = {
  name: 'migration',
  weight: 3,
  // Committed data survives the crash of the server's processes.
  server: { settings: { synchronous_commit: 'on' } },
  whole: {
    effects: ['fill', 'make', 'more'].map((name) => ({ name, times: 1 })),
    marks: ['make', 'fill', 'index', 'more'].map((name) => ({ name, state: 'Applied' })),
    indexes: [{ indisvalid: true }],
    jobs: [],
    logins: [],
  },
  start: async (server) => ({ tell: (blows) => tell(server, blows) }),
}

/** It completes, gets another step, completes again, and is deleted. */
async function tell(server: PostgresServer, blows: readonly Blow[]): Promise<Told<Blow>> {
  const scene = await MigrationScene.start(server, 'orders')
  try {
    const texts: Readonly<Record<Speaker, string[]>> = { worker: [], operator: [] }
    let hits = 0
    const judgeOf =
      (who: Speaker) =>
      ({ text }: ProxyStatement): Fate => {
        const index = texts[who].push(text)
        const blow = blows.find((one) => 'who' in one && one.who === who && one.index === index)
        if (blow === undefined || !('who' in blow)) return 'pass'
        hits += 1
        return fateAt(server, blow.fate)
      }
    const { way } = scene.operator
    const before = way.writes.length
    scene.engines.judge = judgeOf('operator')
    scene.judgeWorker = judgeOf('worker')
    const faults = blows.flatMap((blow) => ('fault' in blow ? [blow.fault] : []))
    way.inject(...faults)
    await live(scene)
    return {
      end: await endOf(scene),
      struck: hits + faults.filter((fault) => way.hasStruck(fault)).length,
      places: [...speakers.flatMap((who) => spokenPlaces(who, texts[who])), ...writePlaces(way.writes.slice(before))],
    }
  } finally {
    await scene.end()
  }
}

async function live(scene: MigrationScene): Promise<void> {
  await scene.create('v1', { databaseRef: { name: 'orders' }, steps })
  await completes(scene, '3/3')
  await scene.patch('v1', { spec: { steps: [...steps, more] } })
  await completes(scene, '4/4')
  await scene.cluster.delete(Migration, `${home}/v1`)
  await scene.until('it to go', async () => (await scene.cluster.find(Migration, `${home}/v1`)) === undefined)
}

async function completes(scene: MigrationScene, progress: string): Promise<void> {
  await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
  const found = await scene.status('v1')
  if (found.phase !== 'Completed' || found.progress !== progress) throw new Error(`it is ${JSON.stringify(found)}`)
}

async function endOf(scene: MigrationScene): Promise<object> {
  const { server } = scene
  return {
    effects: await scene.byHand('orders', 'SELECT name, count(*)::int AS times FROM effects GROUP BY 1 ORDER BY 1'),
    marks: await scene.byHand('orders', 'SELECT name, state FROM _konverge.migration_steps ORDER BY ordinal'),
    indexes: await scene.byHand('orders', "SELECT indisvalid FROM pg_index WHERE indrelid = 'effects'::regclass"),
    jobs: await scene.jobs(),
    logins: await server.byHand("SELECT FROM pg_roles WHERE rolcanlogin AND rolname LIKE '\\_konverge%'"),
  }
}

function spokenPlaces(who: Speaker, texts: readonly string[]): readonly Place<Blow>[] {
  return statementPlaces(texts, fates).map(({ title, blow }) => ({
    title: `of the ${who}: ${title}`,
    blow: { ...blow, who },
  }))
}
