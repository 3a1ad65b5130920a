// Faults at any point in the life of a Database: the operator dies, its connection breaks, or the server dies.
// Invariant: it ends like an undisturbed one, with the same number of created and dropped roles and databases (I3).
import { Backup } from '../../../imports/wire/backup.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces, type WriteBlow, writePlaces } from '../../crash-runs/places.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { home } from '../postgres-stage.ts'
import { DatabaseStage } from './database-stage.ts'
import { effectsOf, type ServerFate, serverFates, struckAt } from './mortal-engines.ts'
import { lastBackup, tellProven } from './told-backup.ts'

/** An extension is created within a DO block. */
const countedWords = /^(CREATE|DROP) (ROLE|DATABASE|SCHEMA)[^"]*"\w+"|CREATE EXTENSION %I(?='', ''pgcrypto'')/

type Blow = StatementBlow<ServerFate> | WriteBlow

export const databaseCrash: CrashWorkflow<Blow> = {
  name: 'database',
  weight: 8,
  // Committed transactions survive the death of the server's processes.
  server: { settings: { synchronous_commit: 'on' } },
  whole: {
    left: [],
    effects: {
      'CREATE ROLE "story_owner"': 1,
      'CREATE DATABASE "story"': 1,
      'CREATE SCHEMA IF NOT EXISTS "api"': 1,
      'CREATE SCHEMA IF NOT EXISTS "more"': 1,
      'CREATE EXTENSION %I': 1,
      'DROP DATABASE IF EXISTS "story"': 1,
      'DROP ROLE IF EXISTS "story_owner"': 1,
    },
  },
  start: async (server) => ({ tell: (blows) => tell(server, blows) }),
}

/** Creates a database, adds a schema and a limit, corrects drift once, and deletes it after its final backup. */
async function tell(server: PostgresServer, blows: readonly Blow[]): Promise<Told<Blow>> {
  const stage = await DatabaseStage.start(server)
  try {
    const { way } = stage.operator
    const faults = blows.flatMap((blow) => ('fault' in blow ? [blow.fault] : []))
    const hits = struckAt(
      stage.engines,
      server,
      blows.flatMap((blow) => ('fate' in blow ? [blow] : [])),
    )
    way.inject(...faults)
    const made = await live(stage)
    const left = await server.byHand(`SELECT datname AS name FROM pg_database WHERE datname ~ 'story' UNION ALL
                                      SELECT rolname FROM pg_roles WHERE rolname ~ 'story'`)
    const { statements } = stage.engines
    return {
      end: { made, left, effects: effectsOf(statements, countedWords) },
      struck: hits.count + faults.filter((fault) => way.hasStruck(fault)).length,
      places: [
        ...statementPlaces(
          statements.map(({ text }) => text),
          serverFates,
        ),
        ...writePlaces(way.writes),
      ],
    }
  } finally {
    await stage.end()
  }
}

async function live(stage: DatabaseStage): Promise<unknown> {
  const { server } = stage
  const schemas = [{ name: 'api' }]
  const last = { deletionPolicy: 'Snapshot', snapshotTarget: { pvc: { claimName: 'backups' } } } as const
  await stage.create('story', { ...last, schemas, extensions: [{ name: 'pgcrypto', schema: 'api' }] })
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
  await stage.startDelete('story')
  const backup = await lastBackup(stage)
  const saved = await contentsOf(server)
  await tellProven(stage, backup, 'story')
  await stage.until('story to be gone', async () => (await stage.find('story')) === undefined)
  const backups = (await stage.cluster.list(Backup, home)).filter(
    ({ metadata }) => metadata.uid === backup.metadata.uid,
  )
  return { made, saved, backups: backups.length }
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
