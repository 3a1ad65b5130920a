// Does `kubectl get db,dbu` tell the truth within one cadence of a change that nobody told the operator of, and again once it has been
// put right? A row for each way in which a server, a database or a role can be otherwise; a virtual clock, real servers.
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { Database } from '../../imports/wire/database.ts'
import { DatabaseUser } from '../../imports/wire/database-user.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { Secret } from '../../src/index.ts'
import { home, UserStage } from '../controllers/database-user/user-stage.ts'
import { PostgresServer } from '../postgres/postgres-server.ts'

/** A look every ten seconds, a tenth more by chance, and a retry that it leads to. */
const often = { metadata: { annotations: { 'konverge.dev/reconcile-interval': '10s' } } }
const cadenceMs = 15_000
/** A server that is away for less than this makes nothing unready. */
const graceMs = 30_000
/** The breaker of a server that was down lets nobody through for two minutes at most. */
const backMs = 150_000
const inSync = 'True InSync'

type Deed = (server: PostgresServer, stage: UserStage) => Promise<unknown>

interface Change {
  readonly title: string
  readonly make: Deed
  /** READY and REASON, as kubectl shows them. */
  readonly database: string
  readonly user: string
  readonly mend: Deed
}

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'konverge%'`
const byHand =
  (...statements: readonly string[]): Deed =>
  async (server) => {
    for (const statement of statements) await server.byHand(statement)
  }
const secretWith =
  (changes: Readonly<Record<string, string>>): Deed =>
  async (server, stage) => {
    const { host, port, username, password } = server.access()
    await stage.secret('server', { host, port: String(port), username, password, ...changes })
  }

const reported: readonly Change[] = [
  {
    title: 'the server is stopped',
    make: (server) => server.stop(),
    ...{ database: 'False DependencyUnavailable', user: 'False DependencyUnavailable' },
    mend: (server) => server.start(),
  },
  {
    title: 'the server is read-only',
    make: byHand('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()'),
    ...{ database: 'False ServerUnreachable', user: 'False ServerUnreachable' },
    mend: byHand('ALTER SYSTEM RESET default_transaction_read_only', 'SELECT pg_reload_conf()'),
  },
  {
    title: 'the password of the operator is another one',
    make: byHand(`${endSessions}; ALTER ROLE postgres PASSWORD 'other'`),
    ...{ database: 'False AdminAuthFailed', user: 'False DatabaseNotReady' },
    mend: secretWith({ password: 'other' }),
  },
  {
    title: 'its Secret holds a wrong password',
    make: secretWith({ password: 'another' }),
    ...{ database: 'False AdminAuthFailed', user: 'False DatabaseNotReady' },
    mend: secretWith({}),
  },
  {
    title: 'its Secret is gone',
    make: (_, stage) => stage.cluster.delete(Secret, `${home}/server`),
    ...{ database: 'False SecretNotFound', user: 'False SecretNotFound' },
    mend: secretWith({}),
  },
  {
    title: 'the database is dropped',
    make: byHand('DROP DATABASE truth WITH (FORCE)'),
    ...{ database: 'False Vanished', user: 'False DatabaseNotReady' },
    mend: (_, stage) => stage.cluster.patch(Database, `${home}/truth`, { spec: { recreateIfMissing: true } }),
  },
  {
    title: 'the database is renamed',
    make: byHand('ALTER DATABASE truth ALLOW_CONNECTIONS false', endSessions, 'ALTER DATABASE truth RENAME TO lie'),
    ...{ database: 'False Vanished', user: 'False DatabaseNotReady' },
    mend: byHand('ALTER DATABASE lie RENAME TO truth'),
  },
  {
    title: 'another database is in its place',
    make: byHand('DROP DATABASE truth WITH (FORCE)', 'CREATE DATABASE truth OWNER truth_owner'),
    ...{ database: 'False IdentityChanged', user: 'False DatabaseNotReady' },
    mend: (_, stage) => stage.cluster.patch(Database, `${home}/truth`, { spec: { adoptionPolicy: 'Adopt' } }),
  },
]

/** What the operator puts right by itself: each with what is true on the server then. */
const corrected: readonly { readonly title: string; readonly make: Deed; readonly isRight: string }[] = [
  {
    title: 'the database has another owner',
    make: byHand('ALTER DATABASE truth OWNER TO postgres'),
    isRight: `SELECT FROM pg_database WHERE datname = 'truth' AND pg_get_userbyid(datdba) = 'truth_owner'`,
  },
  {
    title: 'a role is dropped',
    make: byHand('DROP ROLE app_a'),
    isRight: `SELECT FROM pg_roles WHERE rolname = 'app_a' AND rolcanlogin`,
  },
  {
    title: 'a role may not log in',
    make: byHand('ALTER ROLE app_a NOLOGIN'),
    isRight: `SELECT FROM pg_roles WHERE rolname = 'app_a' AND rolcanlogin`,
  },
  {
    title: 'a role may do everything',
    make: byHand('ALTER ROLE app_a SUPERUSER'),
    isRight: `SELECT FROM pg_roles WHERE rolname = 'app_a' AND NOT rolsuper`,
  },
  {
    title: 'a grant is revoked',
    make: byHand('REVOKE CONNECT ON DATABASE truth FROM app'),
    isRight: `SELECT WHERE has_database_privilege('app', 'truth', 'CONNECT')`,
  },
  {
    title: 'a membership is revoked',
    make: byHand('REVOKE app FROM app_a'),
    isRight: `SELECT WHERE pg_has_role('app_a', 'app', 'MEMBER')`,
  },
]

describe('kubectl get db,dbu', () => {
  it.each(reported)('tells within one cadence, and again when it is mended, that $title', async (change) => {
    const { server, stage } = await start()
    await change.make(server, stage)
    const told = [change.database, change.user]
    const limitMs = cadenceMs + graceMs
    await stage.until(`the table to say ${told}`, async () => `${await table(stage)}` === `${told}`, limitMs)
    await change.mend(server, stage)
    await stage.until('the table to say InSync', async () => `${await table(stage)}` === `${[inSync, inSync]}`, backMs)
    expect(await stage.app('app', 'SELECT current_user AS is')).toEqual([{ is: 'app' }])
  })

  it.each(corrected)('is true within one cadence, and an Event tells, when $title', async ({ make, isRight }) => {
    const { server, stage } = await start()
    await make(server, stage)
    expect(await server.byHand(isRight)).toEqual([])
    const isTold = async () => {
      const events = [...(await stage.events('truth')), ...(await stage.events('app'))]
      return (await server.byHand(isRight)).length === 1 && events.some((event) => event.startsWith('DriftCorrected'))
    }
    await stage.until('it to be right again', isTold, cadenceMs)
    expect(await table(stage)).toEqual([inSync, inSync])
    expect(await stage.app('app', 'SELECT current_user AS is')).toEqual([{ is: 'app' }])
  })
})

/** A server of its own, with a Database and a user of it that are Ready. */
async function start() {
  const server = await PostgresServer.start(inject('postgresHome'))
  onTestFinished(() => server.remove())
  const stage = await UserStage.start(server, 'truth')
  await stage.create('app', { databases: [{ name: 'truth', access: 'ReadWrite' }] })
  await stage.becomes('app', 'Ready', inSync)
  await stage.cluster.patch(Database, `${home}/truth`, often)
  await stage.cluster.patch(DatabaseUser, `${home}/app`, often)
  await stage.pass(2_000)
  expect(await table(stage)).toEqual([inSync, inSync])
  return { server, stage }
}

/** The columns Ready and Reason of the Database and of the user. */
async function table({ cluster }: UserStage): Promise<readonly string[]> {
  const paths = ['databases/truth', 'databaseusers/app']
  return await Promise.all(
    paths.map(async (path) => {
      const url = `http://server/apis/data.konverge.dev/v1alpha1/namespaces/${home}/${path}`
      const headers = { authorization: 'Bearer admin', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
      const answer = await handleFetch(cluster.server, new Request(url, { headers }))
      const { columnDefinitions, rows } = (await answer.json()) as Table // meta.k8s.io/v1.
      const at = (title: string) => rows[0]?.cells[columnDefinitions.findIndex(({ name }) => name === title)]
      return `${at('Ready')} ${at('Reason')}`
    }),
  )
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[]
  readonly rows: readonly { readonly cells: readonly unknown[] }[]
}
