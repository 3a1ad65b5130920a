// Wherever the operator dies, or its connection breaks: the story of a DatabaseUser ends as an undisturbed one, with the same number of
// roles made and dropped and of rights given and taken (I3). Every statement and every write to the API server is such a place.
import { expect, it } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { describeCall } from '../../fault-lab/api-call.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import type { Fault } from '../../fault-lab/fault.ts'
import type { CallRecord } from '../../fault-lab/faulty-way.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { effectsOf, type Fate, type FatedStatement } from '../database/mortal-engines.ts'
import { home } from '../postgres-stage.ts'
import { UserStage } from './user-stage.ts'

const counted = /^(?:(?:CREATE|DROP) ROLE (?:IF EXISTS )?"\w+"|(?:GRANT|REVOKE|REASSIGN|DROP OWNED|ALTER DEFAULT).*)/s

/** In the gate; prime to the four ways of a statement. */
const stride = 9

interface Disturbance {
  readonly title: string
  /** The statement that it happens at, from 1. */
  readonly statement?: { readonly index: number; readonly fate: Fate }
  /** Of a user of this name. */
  readonly faultFor?: (name: string) => Fault
}

interface Ending {
  readonly made: unknown
  readonly left: unknown
  readonly effects: Readonly<Record<string, number>>
  readonly statements: readonly FatedStatement[]
  readonly writes: readonly CallRecord[]
}

let told = 0

/** A user is made, gets another right, changes its login, loses the old one, and goes; texts are as if it were called `user`. */
async function tell(stage: UserStage, { statement, faultFor }: Disturbance): Promise<Ending> {
  const name = `story${++told}`
  const { engines, operator, server } = stage
  const [statementsBefore, writesBefore] = [engines.statements.length, operator.way.writes.length]
  let asked = 0
  engines.judge = () => (++asked === statement?.index ? statement.fate : 'pass')
  if (faultFor !== undefined) operator.way.inject(faultFor(name))
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
    return (await server.byHand(`SELECT 1 FROM pg_roles WHERE rolname = '${name}_a'`)).length === 0
  })
  await stage.app(name, 'INSERT INTO things VALUES (1)')
  const made = await standingOf(stage, name)
  await stage.delete(name)
  const left = await server.byHand(`SELECT rolname FROM pg_roles WHERE rolname ~ '^${name}(_|$)'`)
  operator.way.heal()
  engines.judge = () => 'pass'
  const plain = (text: string) => text.replaceAll(name, 'user')
  const statements = engines.statements.slice(statementsBefore).map((one) => ({ ...one, text: plain(one.text) }))
  const writes = operator.way.writes.slice(writesBefore)
  return {
    made: JSON.parse(plain(JSON.stringify(made))),
    left,
    effects: effectsOf(statements, counted),
    statements,
    writes,
  }
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

onEachPostgres('a DatabaseUser whose operator dies or is cut off', (server, version) => {
  it('ends as if nothing had happened', { timeout: 1_800_000 }, async () => {
    const stage = await UserStage.start(server(), 'stories')
    await server().byHand('SET ROLE stories_owner; CREATE TABLE things (n int)', { database: 'stories' })
    // It is at rest, and is not to speak in between.
    const paused = { metadata: { annotations: { 'konverge.dev/paused': 'true' } } }
    await stage.cluster.patch(Database, `${home}/stories`, paused)
    const undisturbed = await tell(stage, { title: 'nothing' })
    const { made, left, effects } = undisturbed
    expect(left).toEqual([])
    expect(effects).toMatchObject({ 'CREATE ROLE "user"': 1, 'CREATE ROLE "user_a"': 1, 'CREATE ROLE "user_b"': 1 })
    expect(effects).toMatchObject({ 'DROP ROLE IF EXISTS "user"': 1, 'DROP ROLE IF EXISTS "user_a"': 1 })
    const places = crashPlaces(disturbancesOf(undisturbed), version, stride)
    for (const disturbance of places) {
      const { title } = disturbance
      const ending = await tell(stage, disturbance).catch((thrown: unknown) => {
        throw new Error(`${title}: ${String(thrown)}`)
      })
      expect({ title, made: ending.made, left: ending.left, effects: ending.effects }).toEqual({
        title,
        made,
        left,
        effects,
      })
    }
    expect(stage.deaths).toBeGreaterThan(places.length / 4)
    expect(await stage.cluster.list(DatabaseUser)).toEqual([])
  })
})

function disturbancesOf({ statements, writes }: Ending): readonly Disturbance[] {
  const fates = ['cutBefore', 'cutAfter', 'dieBefore', 'dieAfter'] as const
  const ofSql = statements.flatMap(({ text }, at) =>
    fates.map((fate) => ({
      title: `${fate} statement ${at + 1}: ${text.slice(0, 80)}`,
      statement: { index: at + 1, fate },
    })),
  )
  const seen = new Map<string, number>()
  const ofWrites = writes.flatMap(({ call }) => {
    const { verb, resource, subresource = '', name } = call
    const nth = (seen.get(describeCall(call)) ?? 0) + 1
    seen.set(describeCall(call), nth)
    return (['before', 'after'] as const).map((when) => ({
      title: `${when} ${describeCall(call)} (${nth})`,
      faultFor: (now: string): Fault => ({
        match: { verb, resource, subresource, ...(name === undefined ? {} : { name: name.replace(/story\d+/, now) }) },
        ...{ nth, when, effect: { kind: 'freeze' } },
      }),
    }))
  })
  return [...ofSql, ...ofWrites]
}
