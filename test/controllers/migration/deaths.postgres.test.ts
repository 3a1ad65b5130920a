// Wherever the operator or the worker dies: the story of a Migration ends as an undisturbed one, each step took effect once, and nothing is
// left. Every write to the API server and every statement of either is such a place, before and after.
import { expect, it } from 'vitest'
import { Migration } from '../../../imports/wire/migration.ts'
import { describeCall } from '../../fault-lab/api-call.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import type { Fault } from '../../fault-lab/fault.ts'
import type { CallRecord } from '../../fault-lab/faulty-way.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import type { ProxyStatement } from '../../postgres/sql-proxy.ts'
import type { Fate } from '../database/mortal-engines.ts'
import { home, MigrationScene } from './migration-scene.ts'

const fates = ['dieBefore', 'dieAfter'] as const
/** A telling takes seconds. Prime to the ways in which a place is disturbed. */
const stride = 127

type Disturbance =
  /** The statement that it dies at, from 1. */
  | { readonly who: 'operator' | 'worker'; readonly index: number; readonly fate: Fate }
  | { readonly who: 'nobody' }
  | { readonly who: 'operator'; readonly fault: Fault }

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

interface Ending {
  readonly end: object
  readonly deaths: number
  readonly writes: readonly CallRecord[]
  readonly texts: Readonly<Record<'operator' | 'worker', readonly string[]>>
}

/** It is completed, gets another step, is completed again, and goes. */
async function tell(server: PostgresServer, disturbance: Disturbance): Promise<Ending> {
  const scene = await MigrationScene.start(server, 'orders')
  const texts = { operator: [] as string[], worker: [] as string[] }
  const judgeOf = (who: 'operator' | 'worker') => (statement: ProxyStatement) => {
    const index = texts[who].push(statement.text)
    return 'index' in disturbance && disturbance.who === who && disturbance.index === index ? disturbance.fate : 'pass'
  }
  const { way } = scene.operator
  const before = way.writes.length
  scene.engines.judge = judgeOf('operator')
  scene.judgeWorker = judgeOf('worker')
  if ('fault' in disturbance) way.inject(disturbance.fault)
  const isCompleted = async (progress: string) => {
    await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
    expect(await scene.status('v1')).toMatchObject({ phase: 'Completed', progress })
  }
  await scene.create('v1', { databaseRef: { name: 'orders' }, steps })
  await isCompleted('3/3')
  await scene.patch('v1', { spec: { steps: [...steps, more] } })
  await isCompleted('4/4')
  await scene.cluster.delete(Migration, `${home}/v1`)
  await scene.until('it to go', async () => (await scene.cluster.find(Migration, `${home}/v1`)) === undefined)
  const end = {
    effects: await scene.byHand('orders', 'SELECT name, count(*)::int AS times FROM effects GROUP BY 1 ORDER BY 1'),
    marks: await scene.byHand('orders', 'SELECT name, state FROM _konverge.migration_steps ORDER BY ordinal'),
    indexes: await scene.byHand('orders', "SELECT indisvalid FROM pg_index WHERE indrelid = 'effects'::regclass"),
    jobs: await scene.jobs(),
    logins: await server.byHand("SELECT FROM pg_roles WHERE rolcanlogin AND rolname LIKE '\\_konverge%'"),
  }
  const { deaths } = scene
  // The last write ends the story, and nobody is born again for it.
  const ending = { end, texts, writes: way.writes.slice(before), deaths: deaths + (way.line === 'silent' ? 1 : 0) }
  await scene.end()
  return ending
}

function disturbancesOf({ texts, writes }: Ending): readonly Disturbance[] {
  const ofSql = (['worker', 'operator'] as const).flatMap((who) =>
    texts[who].flatMap((_, at) => fates.map((fate): Disturbance => ({ who, index: at + 1, fate }))),
  )
  const seen = new Map<string, number>()
  const ofWrites = writes.flatMap(({ call }) => {
    const { verb, resource, subresource = '', name } = call
    const nth = (seen.get(describeCall(call)) ?? 0) + 1
    seen.set(describeCall(call), nth)
    const match = { verb, resource, subresource, ...(name === undefined ? {} : { name }) }
    return (['before', 'after'] as const).map(
      (when): Disturbance => ({ who: 'operator', fault: { match, nth, when, effect: { kind: 'freeze' } } }),
    )
  })
  return [...ofSql, ...ofWrites]
}

function titleOf(disturbance: Disturbance, { texts }: Ending): string {
  if ('fault' in disturbance) {
    const { match, nth, when } = disturbance.fault
    return `operator, ${when} ${match.verb} ${match.resource}/${match.subresource} (${nth})`
  }
  if (disturbance.who === 'nobody') return 'nobody'
  const { who, index, fate } = disturbance
  return `${who}, ${fate} statement ${index}: ${texts[who][index - 1]?.slice(0, 100)}`
}

onEachPostgres('a Migration whose operator or worker dies', (server, version) => {
  it('ends as if nothing had happened', { timeout: 3_600_000 }, async () => {
    const undisturbed = await tell(server(), { who: 'nobody' })
    expect(undisturbed.end).toEqual({
      effects: ['fill', 'make', 'more'].map((name) => ({ name, times: 1 })),
      marks: ['make', 'fill', 'index', 'more'].map((name) => ({ name, state: 'Applied' })),
      indexes: [{ indisvalid: true }],
      jobs: [],
      logins: [],
    })
    let deaths = 0
    for (const disturbance of crashPlaces(disturbancesOf(undisturbed), version, stride)) {
      const title = titleOf(disturbance, undisturbed)
      const told = await tell(server(), disturbance).catch((thrown: unknown) => {
        throw new Error(`${title}: ${String(thrown)}`)
      })
      expect({ title, ...told.end }).toEqual({ title, ...undisturbed.end })
      deaths += told.deaths
    }
    // How often marks and status are looked at is a matter of timing, so that not every place comes in every run.
    expect(deaths).toBeGreaterThan(0)
  })
})
