// Crash run of a DatabaseUser: the operator dies, its connection breaks, or the server dies.
// Invariant: it ends like a run without faults, with the same number of roles created and dropped and privileges
// granted and revoked (I3).
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces, type WriteBlow, writePlaces } from '../../crash-runs/places.ts'
import type { Fault } from '../../fault-lab/fault.ts'
import { effectsOf, type ServerFate, serverFates, struckAt } from '../database/mortal-engines.ts'
import { home } from '../postgres-stage.ts'
import { UserStage } from './user-stage.ts'

const counted = /^(?:(?:CREATE|DROP) ROLE (?:IF EXISTS )?"\w+"|(?:GRANT|REVOKE|REASSIGN|DROP OWNED|ALTER DEFAULT).*)/s

type Blow = StatementBlow<ServerFate> | WriteBlow

export const userCrash: CrashWorkflow<Blow> = {
  name: 'database-user',
  weight: 8,
  // Committed data survives the crash of the server's processes.
  server: { settings: { synchronous_commit: 'on' } },
  whole: {
    left: { roles: [], users: [] },
    effects: {
      ...{ 'CREATE ROLE "user"': 1, 'CREATE ROLE "user_a"': 1, 'CREATE ROLE "user_b"': 1 },
      ...{ 'DROP ROLE IF EXISTS "user"': 1, 'DROP ROLE IF EXISTS "user_a"': 1 },
    },
  },
  start: async (server) => {
    const stage = await UserStage.start(server, 'stories')
    await server.byHand('SET ROLE stories_owner; CREATE TABLE things (n int)', { database: 'stories' })
    // It is idle, and must not connect in between.
    const paused = { metadata: { annotations: { 'konverge.dev/paused': 'true' } } }
    await stage.cluster.patch(Database, `${home}/stories`, paused)
    let told = 0
    return { tell: (blows) => tell(stage, `story${++told}`, blows) }
  },
}

/** Texts with the name replaced by `user`. */
async function tell(stage: UserStage, name: string, blows: readonly Blow[]): Promise<Told<Blow>> {
  const { engines, operator, server } = stage
  const [statementsBefore, writesBefore] = [engines.statements.length, operator.way.writes.length]
  const faults = blows.flatMap((blow) => ('fault' in blow ? [faultFor(name, blow.fault)] : []))
  const hits = struckAt(
    engines,
    server,
    blows.flatMap((blow) => ('fate' in blow ? [blow] : [])),
  )
  operator.way.inject(...faults)
  const made = await live(stage, name)
  const left = {
    roles: await server.byHand(`SELECT rolname FROM pg_roles WHERE rolname ~ '^${name}(_|$)'`),
    users: await stage.cluster.list(DatabaseUser),
  }
  operator.way.heal()
  engines.judge = () => 'pass'
  const plain = (text: string) => text.replaceAll(name, 'user')
  const statements = engines.statements.slice(statementsBefore).map((one) => ({ ...one, text: plain(one.text) }))
  const writes = operator.way.writes.slice(writesBefore)
  return {
    end: { made: JSON.parse(plain(JSON.stringify(made))), left, effects: effectsOf(statements, counted) },
    struck: hits.count + faults.filter((fault) => operator.way.hasStruck(fault)).length,
    places: [
      ...statementPlaces(
        statements.map(({ text }) => text),
        serverFates,
      ),
      ...writePlaces(writes),
    ],
  }
}

/**
 * A user is created, gets another privilege, changes its login, loses the old one, gets a new password for a leaked
 * one, and is deleted.
 */
async function live(stage: UserStage, name: string): Promise<unknown> {
  const rotation = { strategy: 'DualRole', overlap: '5s' } as const
  await stage.create(name, { databases: [{ name: 'stories', access: 'ReadOnly' }], rotation })
  await stage.becomes(name, 'Ready', 'True InSync')
  await stage.patch(name, {
    databases: [{ name: 'stories', access: 'ReadWrite' }],
    rotation: { ...rotation, trigger: 'now' },
  })
  await stage.until('the rotation', async () => (await stage.status(name)).passwordGeneration === 2)
  await stage.becomes(name, 'Ready', 'True InSync')
  await stage.pass(5_000)
  await stage.look(name)
  await stage.becomes(name, 'Ready', 'True InSync')
  await stage.until('the old login to go', async () => (await stage.status(name)).loginRoles?.length === 1)
  await stage.until('its role to go', async () => {
    return (await stage.server.byHand(`SELECT 1 FROM pg_roles WHERE rolname = '${name}_a'`)).length === 0
  })
  await stage.patch(name, { rotation: { strategy: 'InPlace', trigger: 'leaked' } })
  await stage.until('the replacement', async () => (await stage.status(name)).lastRotationTrigger === 'leaked')
  await stage.becomes(name, 'Ready', 'True InSync')
  await stage.app(name, 'INSERT INTO things VALUES (1)')
  const made = await standingOf(stage, name)
  await stage.delete(name)
  return made
}

async function standingOf({ server }: UserStage, name: string): Promise<unknown> {
  const roles = await server.byHand(
    `SELECT rolname, rolcanlogin, rolsuper, rolinherit, rolcreatedb, rolconnlimit,
            shobj_description(oid, 'pg_authid') LIKE 'konverge {"uid":%' AS "isMarked",
            ARRAY(SELECT pg_get_userbyid(roleid)::text FROM pg_auth_members m WHERE m.member = r.oid) AS "memberOf",
            ARRAY(SELECT setconfig::text FROM pg_db_role_setting s WHERE s.setrole = r.oid) AS settings
       FROM pg_roles r WHERE rolname ~ '^${name}(_|$)' ORDER BY 1`,
  )
  const inside = { database: 'stories' }
  const tables = await server.byHand("SELECT relacl::text FROM pg_class WHERE relname = 'things'", inside)
  const schemas = await server.byHand("SELECT nspacl::text FROM pg_namespace WHERE nspname = 'public'", inside)
  const defaults = await server.byHand('SELECT defaclobjtype, defaclacl::text FROM pg_default_acl ORDER BY 1', inside)
  const databases = await server.byHand("SELECT datacl::text FROM pg_database WHERE datname = 'stories'")
  return { roles, tables, schemas, defaults, databases }
}

/** The run without faults had another name. */
function faultFor(name: string, { match, ...rest }: Fault): Fault {
  const own = match.name?.replace(/story\d+/, name)
  return { ...rest, match: { ...match, ...(own === undefined ? {} : { name: own }) } }
}
