// Wherever the operator dies, or its connection breaks: the story of a Database ends as an undisturbed one, with the same number of
// roles and databases made and dropped (I3). Every statement and every write to the API server is such a place, before and after.
import { expect, it } from 'vitest'
import { describeCall } from '../../fault-lab/api-call.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import type { Fault } from '../../fault-lab/fault.ts'
import type { CallRecord } from '../../fault-lab/faulty-way.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { DatabaseStage } from './database-stage.ts'
import { effectsOf, type Fate, type FatedStatement } from './mortal-engines.ts'

const countedWords = /^(CREATE|DROP) (ROLE|DATABASE|SCHEMA|EXTENSION)[^"]*"\w+"/

/** In the gate; prime to the four ways of a statement. */
const stride = 9

interface Disturbance {
  /** The statement that it happens at, from 1. */
  readonly statement?: { readonly index: number; readonly fate: Fate }
  readonly faults?: readonly Fault[]
}

interface Ending {
  readonly made: unknown
  readonly left: unknown
  readonly effects: Readonly<Record<string, number>>
  readonly statements: readonly FatedStatement[]
  readonly writes: readonly CallRecord[]
  readonly deaths: number
}

/** A database is made, gets another schema and a limit, is put right once, and goes. */
async function tell(server: PostgresServer, { statement, faults = [] }: Disturbance): Promise<Ending> {
  const stage = await DatabaseStage.start(server)
  let asked = 0
  stage.engines.judge = () => (++asked === statement?.index ? statement.fate : 'pass')
  stage.operator.way.inject(...faults)
  const schemas = [{ name: 'api' }]
  await stage.create('story', { deletionPolicy: 'Delete', schemas, extensions: [{ name: 'pgcrypto', schema: 'api' }] })
  await stage.becomes('story', 'Ready', 'True InSync')
  await stage.patch('story', { spec: { connectionLimit: 9, schemas: [...schemas, { name: 'more' }] } })
  await stage.until('the new schema to be seen', async () => {
    const { observedGeneration, observed, phase } = await stage.status('story')
    return observedGeneration === 2 && phase === 'Ready' && observed?.schemas?.includes('more') === true
  })
  await server.byHand('ALTER DATABASE story OWNER TO postgres')
  await stage.patch('story', { metadata: { annotations: { 'konverge.dev/reconcile-now': 'please' } } })
  await stage.until('the answer', async () => {
    const { lastHandledReconcileAt, phase } = await stage.status('story')
    return lastHandledReconcileAt === 'please' && phase === 'Ready'
  })
  const made = await contentsOf(server)
  await stage.delete('story')
  const left = await server.byHand(`SELECT datname AS name FROM pg_database WHERE datname ~ 'story' UNION ALL
                                    SELECT rolname FROM pg_roles WHERE rolname ~ 'story'`)
  const { statements } = stage.engines
  const { writes, line } = stage.operator.way
  // The last write ends the story, and nobody is born again for it.
  const deaths = stage.deaths + (line === 'silent' ? 1 : 0)
  const ending = { made, left, effects: effectsOf(statements, countedWords), statements, writes, deaths }
  await stage.end()
  return ending
}

async function contentsOf(server: PostgresServer): Promise<unknown> {
  const [database] = await server.byHand(
    `SELECT pg_get_userbyid(datdba) AS owner, datconnlimit AS limit, datacl::text AS acl,
            shobj_description(oid, 'pg_database') LIKE 'konverge {"uid":%' AS "isMarked"
       FROM pg_database WHERE datname = 'story'`,
  )
  const inside = { database: 'story' }
  const schemas = await server.byHand(
    `SELECT nspname, nspowner::regrole::text FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1`,
    inside,
  )
  const extensions = await server.byHand(
    'SELECT extname, extnamespace::regnamespace::text FROM pg_extension ORDER BY 1',
    inside,
  )
  return { database, schemas, extensions }
}

onEachPostgres('a Database whose operator dies or is cut off', (server, version) => {
  it('ends as if nothing had happened', { timeout: 1_200_000 }, async () => {
    const undisturbed = await tell(server(), {})
    expect(undisturbed.effects).toEqual({
      'CREATE ROLE "story_owner"': 1,
      'CREATE DATABASE "story"': 1,
      'CREATE SCHEMA IF NOT EXISTS "api"': 1,
      'CREATE SCHEMA IF NOT EXISTS "more"': 1,
      'CREATE EXTENSION IF NOT EXISTS "pgcrypto"': 1,
      'DROP DATABASE IF EXISTS "story"': 1,
      'DROP ROLE IF EXISTS "story_owner"': 1,
    })
    expect(undisturbed.left).toEqual([])
    for (const disturbance of crashPlaces(disturbancesOf(undisturbed), version, stride)) {
      const title = titleOf(disturbance, undisturbed)
      const { made, left, effects, deaths } = await tell(server(), disturbance).catch((thrown: unknown) => {
        throw new Error(`${title}: ${String(thrown)}`)
      })
      expect({ title, made, left, effects }).toEqual({
        ...{ title, made: undisturbed.made, left: undisturbed.left, effects: undisturbed.effects },
      })
      const isDeath = disturbance.faults !== undefined || disturbance.statement?.fate.startsWith('die') === true
      // How many status writes there are is a matter of timing, so that the last of them may not come in every run.
      if (isDeath && !title.includes('/status')) expect(deaths, title).toBe(1)
    }
  })
})

function disturbancesOf({ statements, writes }: Ending): readonly Disturbance[] {
  const fates = ['cutBefore', 'cutAfter', 'dieBefore', 'dieAfter'] as const
  const ofSql = statements.flatMap((_, at) => fates.map((fate) => ({ statement: { index: at + 1, fate } })))
  const seen = new Map<string, number>()
  const ofWrites = writes.flatMap(({ call }) => {
    const { verb, resource, subresource = '', name } = call
    const nth = (seen.get(describeCall(call)) ?? 0) + 1
    seen.set(describeCall(call), nth)
    const match = { verb, resource, subresource, ...(name === undefined ? {} : { name }) }
    return (['before', 'after'] as const).map((when) => ({
      faults: [{ match, nth, when, effect: { kind: 'freeze' } } as const],
    }))
  })
  return [...ofSql, ...ofWrites]
}

function titleOf({ statement, faults }: Disturbance, { statements }: Ending): string {
  if (statement !== undefined) {
    return `${statement.fate} statement ${statement.index}: ${statements[statement.index - 1]?.text.slice(0, 100)}`
  }
  const [fault] = faults ?? []
  return `${fault?.when} ${fault?.match.verb} ${fault?.match.resource}/${fault?.match.subresource} (${fault?.nth})`
}
