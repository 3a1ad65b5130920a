// Table of changes to a database or a role outside the operator: which of them it reports, and which it corrects.
import { Database } from '../../imports/wire/database.ts'
import { home } from '../controllers/postgres-stage.ts'
import { asBefore, byHand, type Correction, type Deed, endSessions, inside, type Truth } from './truth.ts'

const patchDatabase =
  (spec: object): Deed =>
  async ({ stage }) => {
    await stage.cluster.patch(Database, `${home}/truth`, { spec })
  }

export const databaseTruths: readonly Truth[] = [
  {
    title: 'the database is dropped',
    make: byHand('DROP DATABASE truth WITH (FORCE)'),
    ...{ database: 'False Vanished', user: 'False DatabaseNotReady' },
    databaseConditions: { Connected: 'True Connected', Provisioned: 'False Vanished', Drifted: 'True Vanished' },
    mend: patchDatabase({ recreateIfMissing: true }),
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
    databaseConditions: { Drifted: 'True IdentityChanged' },
    mend: patchDatabase({ adoptionPolicy: 'Adopt' }),
  },
  {
    title: 'the database has another owner, which is only to be reported',
    databaseSpec: { driftPolicy: 'Report' },
    make: byHand('ALTER DATABASE truth OWNER TO postgres'),
    // The marker of the owner role is gone; the database's own marker alone proves nothing.
    ...{ database: 'True Drifted', user: 'False NotOwned' },
    databaseConditions: { Drifted: 'True OwnerChanged', Configured: 'False OwnerChanged' },
    mend: byHand('ALTER DATABASE truth OWNER TO truth_owner'),
  },
]

/** The operator corrects drift at once. With `Report` the condition stays. */
const reported = { userSpec: { driftPolicy: 'Report' } } as const

export const userTruths: readonly Truth[] = [
  {
    title: 'a login role is renamed',
    ...reported,
    make: byHand('ALTER ROLE app_a RENAME TO lie'),
    ...{ database: asBefore, user: 'False LoginMissing' },
    userConditions: { RoleReady: 'False LoginMissing', LoginVerified: '-' },
    mend: byHand('ALTER ROLE lie RENAME TO app_a'),
  },
  {
    title: 'the group role is renamed',
    ...reported,
    make: byHand('ALTER ROLE app RENAME TO lie'),
    ...{ database: asBefore, user: 'False Vanished' },
    userConditions: { RoleReady: 'False Vanished' },
    mend: byHand('ALTER ROLE lie RENAME TO app'),
  },
  {
    title: 'a role may not log in',
    ...reported,
    make: byHand('ALTER ROLE app_a NOLOGIN'),
    ...{ database: asBefore, user: 'False LoginAttributes' },
    userConditions: { RoleReady: 'False LoginAttributes', LoginVerified: 'False Disabled' },
    mend: byHand('ALTER ROLE app_a LOGIN'),
  },
  {
    title: 'a role has expired',
    ...reported,
    make: byHand(`ALTER ROLE app_a VALID UNTIL '2001-01-01'`),
    ...{ database: asBefore, user: 'False LoginAttributes' },
    userConditions: { RoleReady: 'False LoginAttributes', LoginVerified: 'False Expired' },
    mend: byHand(`ALTER ROLE app_a VALID UNTIL 'infinity'`),
  },
  {
    title: 'a role has another password',
    ...reported,
    make: byHand(`ALTER ROLE app_a PASSWORD 'other'`),
    ...{ database: asBefore, user: 'False PasswordDiffers' },
    userConditions: { RoleReady: 'False PasswordDiffers', LoginVerified: '-' },
    mend: async ({ stage }) => await stage.patch('app', { driftPolicy: 'Correct' }),
  },
  {
    title: 'a role has another password, and nobody may look at it',
    ...reported,
    admin: 'limited',
    make: byHand(`ALTER ROLE app_a PASSWORD 'other'`),
    ...{ database: asBefore, user: 'False PasswordDiffers' },
    userConditions: { RoleReady: 'False PasswordDiffers', LoginVerified: 'False WrongPassword' },
    mend: async ({ stage }) => await stage.patch('app', { driftPolicy: 'Correct' }),
  },
  {
    title: 'a grant is revoked',
    ...reported,
    make: byHand('REVOKE CONNECT ON DATABASE truth FROM app'),
    ...{ database: asBefore, user: 'False MissingGrants' },
    userConditions: { GrantsInSync: 'False MissingGrants' },
    mend: byHand('GRANT CONNECT ON DATABASE truth TO app'),
  },
  {
    title: 'a grant is given that nobody asked for',
    ...reported,
    make: inside('GRANT CREATE ON SCHEMA public TO app'),
    ...{ database: asBefore, user: asBefore },
    userConditions: { GrantsInSync: 'True ExtraGrants' },
    mend: inside('REVOKE CREATE ON SCHEMA public FROM app'),
  },
  {
    title: 'a schema is gone that the user has rights in',
    make: inside('DROP SCHEMA public'),
    ...{ database: asBefore, user: 'False ObjectNotFound' },
    userConditions: { GrantsInSync: 'False ObjectNotFound', RoleReady: 'True InSync' },
    mend: inside('CREATE SCHEMA public'),
  },
  {
    title: 'somebody else has a role of the name',
    make: byHand('DROP ROLE app_a', 'CREATE ROLE app_a LOGIN'),
    ...{ database: asBefore, user: 'False NotOwned' },
    userConditions: { RoleReady: 'False NotOwned' },
    mend: byHand('DROP ROLE app_a'),
  },
]

const holds =
  (question: string): Correction['isRight'] =>
  async ({ server }) =>
    (await server.byHand(question)).length === 1
const logsIn: Correction['isRight'] = ({ stage }) =>
  stage.app('app', 'SELECT 1').then(
    () => true,
    () => false,
  )

export const corrections: readonly Correction[] = [
  {
    title: 'the database has another owner',
    make: byHand('ALTER DATABASE truth OWNER TO postgres'),
    isRight: holds(`SELECT FROM pg_database WHERE datname = 'truth' AND pg_get_userbyid(datdba) = 'truth_owner'`),
  },
  {
    title: 'the owner role may log in',
    make: byHand('ALTER ROLE truth_owner LOGIN'),
    isRight: holds(`SELECT FROM pg_roles WHERE rolname = 'truth_owner' AND NOT rolcanlogin`),
  },
  {
    title: 'the database takes no connections',
    make: byHand('ALTER DATABASE truth ALLOW_CONNECTIONS false'),
    isRight: logsIn,
  },
  {
    title: 'a role is dropped',
    make: byHand('DROP ROLE app_a'),
    isRight: logsIn,
  },
  {
    title: 'a role is renamed',
    make: byHand('ALTER ROLE app_a RENAME TO lie'),
    isRight: logsIn,
  },
  {
    title: 'a role may not log in',
    make: byHand('ALTER ROLE app_a NOLOGIN'),
    isRight: logsIn,
  },
  {
    title: 'a role has expired',
    make: byHand(`ALTER ROLE app_a VALID UNTIL '2001-01-01'`),
    isRight: logsIn,
  },
  {
    title: 'a role has another password',
    make: byHand(`ALTER ROLE app_a PASSWORD 'other'`),
    isRight: logsIn,
  },
  {
    title: 'a role has another password, and nobody may look at it',
    admin: 'limited',
    make: byHand(`ALTER ROLE app_a PASSWORD 'other'`),
    isRight: logsIn,
  },
  {
    title: 'a role may do everything',
    make: byHand('ALTER ROLE app_a SUPERUSER'),
    isRight: holds(`SELECT FROM pg_roles WHERE rolname = 'app_a' AND NOT rolsuper`),
  },
  {
    title: 'a grant is revoked',
    make: byHand('REVOKE CONNECT ON DATABASE truth FROM app'),
    isRight: logsIn,
  },
  {
    title: 'a grant is given that nobody asked for',
    make: inside('GRANT CREATE ON SCHEMA public TO app'),
    isRight: async ({ server }) =>
      (await server.byHand(`SELECT WHERE has_schema_privilege('app', 'public', 'CREATE')`, { database: 'truth' }))
        .length === 0,
  },
  {
    title: 'a membership is revoked',
    make: byHand('REVOKE app FROM app_a'),
    isRight: holds(`SELECT WHERE pg_has_role('app_a', 'app', 'MEMBER')`),
  },
]
