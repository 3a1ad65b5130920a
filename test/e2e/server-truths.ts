// Table of server failures and changes outside the operator: rows of the failure tables of both kinds that concern the
// server.
import { inject } from 'vitest'
import { Secret } from '../../src/index.ts'
import type { UserStage } from '../controllers/database-user/user-stage.ts'
import { home } from '../controllers/postgres-stage.ts'
import { Crowd, fewConnections } from '../postgres/crowd.ts'
import { startPostgres } from '../postgres/on-each-postgres.ts'
import type { PostgresOptions, PostgresServer } from '../postgres/postgres-server.ts'
import { secretText } from '../taint/secret-text.ts'
import { asBefore, byHand, type Deed, endSessions, operatorRole, type Truth } from './truth.ts'

/** Time without a response before the status of a ready resource changes. */
const graceMs = 30_000
/** Duration of the observation without a response, and of the one in progress when the grace ends. */
const silenceMs = 20_000
/** Longest wait of an open breaker before its next probe. */
const breakerMs = 60_000
const unreachable = 'False (ServerUnreachable|DependencyUnavailable)'
const unknown = `Unknown ${unreachable.slice(6)}`
/** Conditions of both kinds whose earlier state is unknown. */
const unasked = {
  databaseConditions: { Connected: unreachable, Provisioned: unknown, Configured: unknown, Drifted: unknown },
  userConditions: { RoleReady: unknown, GrantsInSync: unknown, LoginVerified: unknown, SecretReady: 'True Generated' },
}

const secretWith =
  (changes: Readonly<Record<string, string>>): Deed =>
  async ({ stage }) =>
    await stage.secret('server', changes)
/** Changes how the proxy accepts connections: open ones are cut, new ones get `welcome`. */
const welcomed =
  (welcome: UserStage['engines']['proxy']['welcome']): Deed =>
  async ({ stage: { engines } }) => {
    engines.proxy.welcome = welcome
    engines.proxy.cutAll()
  }
const reload = 'SELECT pg_reload_conf()'

/** Starts another server that answers at the address of the first one. */
const replacedBy =
  (options: PostgresOptions): Deed =>
  async ({ server, stage: { engines } }) => {
    const other = await startPostgres(options)
    await other.byHand(`ALTER ROLE postgres PASSWORD '${server.password}'`)
    engines.proxy.target = other.access()
    engines.proxy.cutAll()
  }
const backInPlace: Deed = async ({ server, stage: { engines } }) => {
  engines.proxy.target = server.access()
  engines.proxy.cutAll()
}
/** Servers of one version are copies in these tests, with one system identifier. */
const anotherVersion: Deed = async (scene) => {
  const other = inject('postgresHome').versions.find(({ major }) => major !== scene.server.version)
  await replacedBy({ version: other?.major ?? 0 })(scene)
}

const crowds = new WeakMap<PostgresServer, Crowd>()
const fill: Deed = async ({ server }) => {
  await server.byHand(endSessions)
  crowds.set(server, await Crowd.fill(server))
}
const empty: Deed = async ({ server }) => await crowds.get(server)?.leave()

export const serverTruths: readonly Truth[] = [
  {
    title: 'the server is stopped',
    make: ({ server }) => server.stop(),
    ...{ database: unreachable, user: unreachable, ...unasked },
    mend: ({ server }) => server.start(),
    ...{ toldLateMs: graceMs, mendedLateMs: breakerMs },
  },
  {
    title: 'the server has lost its power',
    make: ({ server }) => server.kill(),
    ...{ database: unreachable, user: unreachable, ...unasked },
    mend: ({ server }) => server.start(),
    ...{ toldLateMs: graceMs, mendedLateMs: breakerMs },
  },
  {
    title: 'the server stands still',
    make: async ({ server }) => server.pause(),
    ...{ database: unreachable, user: unreachable, ...unasked },
    mend: async ({ server }) => server.resume(),
    ...{ toldLateMs: graceMs + silenceMs, mendedLateMs: breakerMs },
  },
  {
    title: 'the way to the server swallows everything',
    make: async ({ stage: { engines } }) => {
      engines.proxy.welcome = 'hang'
      engines.proxy.judge = () => 'hang'
    },
    ...{ database: unreachable, user: unreachable, ...unasked },
    mend: async ({ stage: { engines } }) => {
      engines.proxy.welcome = 'pass'
      engines.proxy.judge = () => 'pass'
    },
    ...{ toldLateMs: graceMs + silenceMs, mendedLateMs: breakerMs },
  },
  {
    title: 'something that is no PostgreSQL answers',
    make: welcomed('garbage'),
    ...{ database: unreachable, user: unreachable, ...unasked },
    mend: welcomed('pass'),
    ...{ toldLateMs: graceMs, mendedLateMs: breakerMs },
  },
  {
    title: 'another server answers under its address',
    make: anotherVersion,
    ...{ database: 'False IdentityChanged', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'True Connected', Drifted: 'True IdentityChanged' },
    mend: backInPlace,
  },
  {
    title: 'the server is full of connections',
    server: { settings: fewConnections },
    make: fill,
    ...{ database: 'False TooManyConnections', user: 'False TooManyConnections' },
    databaseConditions: { Connected: 'False TooManyConnections', Provisioned: 'Unknown TooManyConnections' },
    mend: empty,
    // The operator probes at most every 15 s.
    ...{ toldLateMs: graceMs, mendedLateMs: 15_000 },
  },
  {
    title: 'the server is read-only',
    make: byHand('ALTER SYSTEM SET default_transaction_read_only = on', reload),
    ...{ database: 'False ServerUnreachable', user: 'False ServerUnreachable' },
    mend: byHand('ALTER SYSTEM RESET default_transaction_read_only', reload),
    toldLateMs: graceMs,
  },
  {
    title: 'the server offers no TLS any more',
    ...{ server: { tlsFor: ['127.0.0.1'] }, sslMode: 'verify-full' },
    make: welcomed('inClear'),
    ...{ database: 'False TLSVerifyFailed', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'False TLSVerifyFailed', Provisioned: 'Unknown TLSVerifyFailed' },
    mend: welcomed('pass'),
  },
  {
    title: 'the server shows a certificate that nobody vouches for',
    ...{ server: { tlsFor: ['127.0.0.1'] }, sslMode: 'verify-full' },
    make: replacedBy({ tlsFor: ['127.0.0.1'] }),
    ...{ database: 'False TLSVerifyFailed', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'False TLSVerifyFailed', Provisioned: 'Unknown TLSVerifyFailed' },
    mend: backInPlace,
  },
]

export const adminTruths: readonly Truth[] = [
  {
    title: 'the password of the operator is another one, until the Secret has it too',
    admin: 'superuser',
    make: byHand(`${endSessions}; ALTER ROLE op PASSWORD '${secretText('other')}'`),
    ...{ database: 'False AdminAuthFailed', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'False AdminAuthFailed', Stalled: 'True AdminAuthFailed' },
    mend: secretWith({ password: secretText('other') }),
  },
  {
    title: 'the password of the operator is another one, until it is given back',
    admin: 'limited',
    make: byHand(`${endSessions}; ALTER ROLE op PASSWORD 'other'`),
    ...{ database: 'False AdminAuthFailed', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'False AdminAuthFailed', Provisioned: 'Unknown AdminAuthFailed' },
    mend: byHand(`ALTER ROLE op PASSWORD '${operatorRole.password}'`),
  },
  {
    title: 'the password of the operator has expired',
    admin: 'superuser',
    make: byHand(`ALTER ROLE op VALID UNTIL '2001-01-01'`, endSessions),
    ...{ database: 'False AdminAuthFailed', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'False AdminAuthFailed' },
    mend: byHand(`ALTER ROLE op VALID UNTIL 'infinity'`),
  },
  {
    title: 'the operator may not log in',
    admin: 'superuser',
    make: byHand('ALTER ROLE op NOLOGIN', endSessions),
    ...{ database: 'False AdminAuthFailed', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'False AdminAuthFailed' },
    mend: byHand('ALTER ROLE op LOGIN'),
  },
  {
    title: 'the operator may not put right what somebody else has changed',
    admin: 'limited',
    make: byHand(
      'ALTER ROLE op NOCREATEROLE NOCREATEDB',
      'ALTER DATABASE truth OWNER TO postgres',
      'ALTER ROLE app_a NOLOGIN',
    ),
    ...{ database: 'False InsufficientPrivilege', user: 'False DatabaseNotReady' },
    databaseConditions: {
      Connected: 'True Connected',
      Provisioned: 'True Available',
      Configured: 'False InsufficientPrivilege',
    },
    mend: byHand('ALTER ROLE op CREATEROLE CREATEDB', 'ALTER DATABASE truth OWNER TO truth_owner'),
  },
  {
    title: 'the operator may not put right a role',
    admin: 'limited',
    make: byHand('ALTER ROLE op NOCREATEROLE', 'ALTER ROLE app_a NOLOGIN'),
    ...{ database: asBefore, user: 'False InsufficientPrivilege' },
    userConditions: { RoleReady: 'False InsufficientPrivilege' },
    mend: byHand('ALTER ROLE op CREATEROLE'),
  },
  {
    title: 'its Secret holds a wrong password',
    make: secretWith({ password: secretText('another') }),
    ...{ database: 'False AdminAuthFailed', user: 'False DatabaseNotReady' },
    mend: async ({ server, stage }) => await stage.secret('server', { password: server.password }),
  },
  {
    title: 'its Secret is gone',
    make: ({ stage }) => stage.cluster.delete(Secret, `${home}/server`),
    ...{ database: 'False SecretNotFound', user: 'False SecretNotFound' },
    databaseConditions: { Connected: 'False SecretNotFound', Provisioned: 'Unknown SecretNotFound' },
    userConditions: { LoginVerified: 'Unknown SecretNotFound' },
    mend: async ({ server, stage }) => {
      const { host, port, username, password } = server.access()
      await stage.secret('server', { host, port: String(port), username, password })
    },
  },
]
