// Roles of a user on a real server. Invariant: they converge to the desired state whoever else changes them, and are
// removed on request.
import { Client, DatabaseError } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DesiredRole } from '../../../src/controllers/database-user/desired-role.ts'
import { credentialHash } from '../../../src/controllers/database-user/rotation.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { onItsWayIn } from './session-on-its-way.ts'
import {
  callOf,
  converge,
  credentialOf,
  driverOver,
  makeDatabases,
  remove,
  type UserHere,
  userOf,
} from './user-here.ts'

/** Passes the error of concurrent changes to one role: "tuple concurrently updated". */
function passContention(error: unknown): void {
  if (!(error instanceof DatabaseError) || error.code !== 'XX000') throw error
}

onEachPostgres('the roles of a user', (server) => {
  let made = 0
  /** Creates a database and a user of it. */
  async function start(
    databases: readonly Partial<DesiredRole['databases'][number]>[] = [{}],
    more: Partial<DesiredRole> = {},
  ) {
    const { engine } = engineHere()
    const group = `user${++made}`
    const named = databases.map((database, at) => ({ ...database, name: database.name ?? `db${made}_${at}` }))
    const access = server().access()
    const names = named.map(({ name }) => name)
    const systemIdentifier = await makeDatabases(engine, access, ...names)
    const user = userOf({ access, systemIdentifier, group, databases: named }, more)
    const driver = driverOver(engine)
    return { ...user, driver, database: names[0] ?? '', names, call: callOf(user.wish) }
  }

  const as = ({ credential: { username, password = '' } }: Pick<UserHere, 'credential'>, database: string) => ({
    user: username,
    password,
    database,
  })

  it('are created and marked, and log in with the Secret’s password; then nothing differs, at two statements per observation', async () => {
    const { engine } = engineHere()
    const proxy = await SqlProxy.start(server().access())
    try {
      const access = proxy.access()
      const systemIdentifier = await makeDatabases(engine, access, 'quiet')
      const user = userOf({ access, systemIdentifier, group: 'quiet', databases: [{ name: 'quiet' }] })
      const driver = driverOver(engine)
      const { observed } = await converge(driver, callOf(user.wish))
      expect(observed).toMatchObject({
        verdict: 'Verified',
        group: { canLogin: false, token: { uid: 'uid of quiet' } },
      })
      expect(observed.logins).toMatchObject([{ name: 'quiet_a', canLogin: true, token: { uid: 'uid of quiet' } }])
      expect(await server().byHand('SELECT current_user, session_user', as(user, 'quiet'))).toEqual([
        { current_user: 'quiet', session_user: 'quiet_a' },
      ])
      const before = proxy.statements.length
      const again = await converge(driver, callOf({ ...user.wish, isVerified: true }))
      expect(again.differences).toEqual([])
      // Two observations.
      expect(proxy.statements.length - before).toBe(4)
    } finally {
      await proxy.stop()
    }
  })

  const statements = [
    { sql: 'SELECT * FROM old', may: ['ReadOnly', 'ReadWrite', 'Owner'] },
    { sql: 'INSERT INTO old VALUES (2)', may: ['ReadWrite', 'Owner'] },
    { sql: 'UPDATE old SET n = n', may: ['ReadWrite', 'Owner'] },
    { sql: 'DELETE FROM old WHERE n = 0', may: ['ReadWrite', 'Owner'] },
    { sql: 'TRUNCATE old', may: ['Owner'] },
    { sql: 'SELECT * FROM later', may: ['ReadOnly', 'ReadWrite', 'Owner'] },
    { sql: 'INSERT INTO later (n) VALUES (1)', may: ['ReadWrite', 'Owner'] },
    { sql: 'SELECT * FROM of_an_owner', may: ['ReadOnly', 'ReadWrite', 'Owner'] },
    { sql: 'DROP TABLE of_an_owner', may: ['Owner'] },
    { sql: "SELECT nextval('later_id_seq')", may: ['ReadWrite', 'Owner'] },
    { sql: 'ALTER TABLE old ADD COLUMN IF NOT EXISTS more int', may: ['Owner'] },
    { sql: 'CREATE TABLE made_here (n int)', may: ['Owner'] },
    { sql: 'CREATE SCHEMA made_here', may: ['Owner'] },
    { sql: 'SELECT * FROM pg_authid', may: [] },
    { sql: 'CREATE ROLE another', may: [] },
    { sql: 'CREATE DATABASE another', may: [] },
    { sql: "COPY old TO PROGRAM 'cat'", may: [] },
    { sql: 'SET ROLE postgres', may: [] },
  ] as const

  it('allow what their access level grants and deny all else, also in later tables', async () => {
    const { engine } = engineHere()
    const access = server().access()
    const systemIdentifier = await makeDatabases(engine, access, 'presets')
    const inside = { database: 'presets' }
    await server().byHand('SET ROLE presets_owner; CREATE TABLE old (n int); INSERT INTO old VALUES (1)', inside)
    const driver = driverOver(engine)
    const users = new Map<string, UserHere>()
    for (const preset of ['Owner', 'ReadWrite', 'ReadOnly'] as const) {
      const group = `preset_${preset.toLowerCase()}`
      const user = userOf({ access, systemIdentifier, group, databases: [{ name: 'presets', access: preset }] })
      expect((await converge(driver, callOf(user.wish))).observed.verdict).toBe('Verified')
      users.set(preset, user)
    }
    await server().byHand('SET ROLE presets_owner; CREATE TABLE later (id serial, n int)', inside)
    const owner = users.get('Owner')
    if (owner === undefined) throw new Error('There is no owner.')
    for (const [preset, user] of users) {
      for (const { sql, may } of statements) {
        await server().byHand('CREATE TABLE IF NOT EXISTS of_an_owner (n int)', as(owner, 'presets'))
        const outcome = await server()
          .byHand(`BEGIN; ${sql}; ROLLBACK`, as(user, 'presets'))
          .then(
            () => 'allowed',
            (error: Error) => `refused: ${error.message}`,
          )
        const isAllowed = (may as readonly string[]).includes(preset)
        expect(`${preset}, ${sql}: ${outcome}`).toMatch(isAllowed ? /: allowed$/ : /: refused: /)
      }
    }
  })

  it('cannot reach another database', async () => {
    const user = await start()
    await converge(user.driver, user.call)
    const other = await start()
    await converge(other.driver, other.call)
    await expect(server().byHand('SELECT 1', as(user, other.database))).rejects.toThrow(
      /permission denied for database/,
    )
  })

  it('have the listed grants on existing and later objects, and no others', async () => {
    const { engine } = engineHere()
    const access = server().access()
    const systemIdentifier = await makeDatabases(engine, access, 'custom')
    const inside = { database: 'custom' }
    await server().byHand('SET ROLE custom_owner; CREATE TABLE a (n int); CREATE TABLE b (n int)', inside)
    const grants = [
      { objectType: 'Table', names: ['a'], privileges: ['SELECT', 'INSERT', 'UPDATE'] },
      { objectType: 'Sequence', privileges: ['USAGE'] },
    ] as const
    const database = { name: 'custom', access: 'Custom', grants } as const
    const user = userOf({ access, systemIdentifier, group: 'custom', databases: [database] })
    await converge(driverOver(engine), callOf(user.wish))
    await server().byHand('SET ROLE custom_owner; CREATE SEQUENCE s', inside)
    await server().byHand("INSERT INTO a VALUES (1); UPDATE a SET n = 2; SELECT nextval('s')", as(user, 'custom'))
    for (const sql of ['DELETE FROM a', 'SELECT * FROM b', 'CREATE TABLE c (n int)']) {
      await expect(server().byHand(sql, as(user, 'custom'))).rejects.toThrow(/permission denied/)
    }
  })

  /** `G` is the group, `L` the login and `D` the database. */
  const drifts = [
    { by: 'ALTER ROLE L NOLOGIN', is: 'LoginAttributes' },
    { by: 'ALTER ROLE L SUPERUSER', is: 'LoginAttributes' },
    { by: 'ALTER ROLE L BYPASSRLS CREATEROLE CREATEDB REPLICATION', is: 'LoginAttributes' },
    { by: 'ALTER ROLE L CONNECTION LIMIT 1', is: 'LoginAttributes' },
    { by: "ALTER ROLE L VALID UNTIL '2020-01-01'", is: 'LoginAttributes' },
    { by: "ALTER ROLE L PASSWORD 'hacked'", is: 'PasswordDiffers' },
    { by: 'ALTER ROLE L PASSWORD NULL', is: 'PasswordDiffers' },
    { by: 'ALTER ROLE L SET work_mem = 65536', is: 'LoginSettings' },
    { by: 'ALTER ROLE L IN DATABASE D RESET role', is: 'LoginSettings' },
    { by: 'ALTER ROLE L IN DATABASE D SET search_path = evil', is: 'LoginSettings' },
    { by: 'REVOKE G FROM L', is: 'LoginMemberships' },
    { by: 'GRANT pg_read_all_data TO L', is: 'LoginMemberships' },
    { by: 'DROP ROLE L', is: 'LoginMissing' },
    { by: 'ALTER ROLE G LOGIN', is: 'GroupAttributes' },
    { by: 'ALTER ROLE G SUPERUSER', is: 'GroupAttributes' },
    { by: 'GRANT pg_write_all_data TO G', is: 'GroupMemberships' },
    { by: 'GRANT D_owner TO G', is: 'GroupMemberships' },
    { by: 'REVOKE CONNECT ON DATABASE D FROM G', is: 'GrantMissing' },
    { by: 'REVOKE USAGE ON SCHEMA public FROM G', is: 'GrantMissing' },
    { by: 'REVOKE UPDATE ON things FROM G', is: 'GrantMissing' },
    { by: 'GRANT TRUNCATE ON things TO G', is: 'GrantExtra' },
    { by: 'GRANT SELECT ON things TO G WITH GRANT OPTION', is: 'GrantExtra' },
    { by: 'GRANT CREATE ON SCHEMA public TO G', is: 'GrantExtra' },
    {
      by: 'ALTER DEFAULT PRIVILEGES FOR ROLE D_owner IN SCHEMA public REVOKE SELECT ON TABLES FROM G',
      is: 'GrantMissing',
    },
    { by: 'ALTER DEFAULT PRIVILEGES FOR ROLE D_owner IN SCHEMA public GRANT TRIGGER ON TABLES TO G', is: 'GrantExtra' },
  ] as const

  it('are corrected after any change by others, which is reported in a sentence', async () => {
    const user = await start()
    const { group, database, driver, call } = user
    await server().byHand(`SET ROLE ${database}_owner; CREATE TABLE things (n int)`, { database })
    await converge(driver, call)
    for (const { by, is } of drifts) {
      const sql = by.replaceAll(
        /\b[GLD](?=\b|_)/g,
        (name) => ({ G: group, L: `${group}_a`, D: database })[name] ?? name,
      )
      await server().byHand(sql, { database })
      const { differences, observed } = await converge(driver, call)
      expect(`${by}: ${differences.map(({ reason }) => reason).join()}`).toBe(`${by}: ${is}`)
      expect(driver.differences(call.desired, observed)).toEqual([])
      expect(differences[0]?.message).not.toContain('SCRAM')
    }
    expect(await server().byHand('SELECT n FROM things', as(user, database))).toEqual([])
  })

  it('lose what another grantee has passed on, for several objects, and that grantee keeps its own', async () => {
    const { driver, call, group, database } = await start([{ access: 'Custom', grants: [] }])
    await converge(driver, call)
    const giver = `${group}_giver`
    const give = 'WITH GRANT OPTION'
    await server().byHand(`CREATE ROLE ${giver}`)
    await server().byHand(
      `CREATE TABLE ledger (id int, secret text); CREATE TABLE theirs (id int);
       GRANT SELECT, UPDATE ON ledger TO ${giver} ${give}; GRANT INSERT ON ledger TO ${group};
       GRANT CREATE ON SCHEMA public TO ${giver} ${give}; GRANT SELECT (secret) ON ledger TO ${giver} ${give};
       SET ROLE ${giver};
       GRANT SELECT, UPDATE ON ledger TO ${group} ${give}; GRANT SELECT (secret) ON ledger TO ${group};
       GRANT CREATE ON SCHEMA public TO ${group}`,
      { database },
    )
    const { differences } = await converge(driver, call)
    expect(differences.map(({ reason }) => reason)).toEqual(['GrantExtra'])
    expect((await converge(driver, call)).differences).toEqual([])
    const rights = `SELECT has_table_privilege('${giver}', 'ledger', 'UPDATE') AS giver,
      has_any_column_privilege('${group}', 'ledger', 'SELECT') AS reads, has_table_privilege('${group}', 'ledger', 'UPDATE') AS writes`
    expect(await server().byHand(rights, { database })).toEqual([{ giver: true, reads: false, writes: false }])
  })

  it('are recreated with all their privileges when the group is gone', async () => {
    const user = await start()
    const { group, database, driver, call } = user
    await converge(driver, call)
    await server().byHand(`DROP OWNED BY ${group}`, { database })
    await server().byHand(`DROP ROLE ${group}`)
    await converge(driver, call)
    expect(await server().byHand('SELECT current_user', as(user, database))).toEqual([{ current_user: group }])
  })

  it('are retried while the Database does not own the database, because the owner may come back', async () => {
    const user = await start()
    const { group, database, driver, call } = user
    await converge(driver, call)
    const [{ owner } = {}] = await server().byHand(
      `SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = '${database}'`,
    )
    await server().byHand(`ALTER DATABASE ${database} OWNER TO postgres`)
    expect(await driver.observe(call)).toMatchObject({ kind: 'broken', reason: 'NotOwned', isTerminal: false })
    await server().byHand(`ALTER DATABASE ${database} OWNER TO ${owner}`)
    expect(await driver.observe(call)).toMatchObject({ kind: 'available' })
    expect(await server().byHand('SELECT current_user', as(user, database))).toEqual([{ current_user: group }])
  })

  describe('with more settings of a login than the operator reads', () => {
    const mebibytes = 9 * 1024 * 1024
    const own = (name: string) => `EXECUTE format('ALTER ROLE %I SET ${name}', current_user`

    it.each([
      [
        'a setting',
        `PERFORM set_config('role', 'none', false); ${own('application_name TO %L')}, repeat('x', ${mebibytes}))`,
      ],
      [
        'its verifier',
        `PERFORM set_config('role', 'none', false);
        EXECUTE format('ALTER ROLE %I PASSWORD %L', current_user, 'SCRAM-SHA-256$4096:' ||
          repeat('QSXCR+Q6sek8bf92', ${mebibytes} / 16) || '$' || repeat('A', 43) || '=:' || repeat('A', 43) || '=')`,
      ],
    ])('are corrected: %s', async (what, statement) => {
      const user = await start()
      const { group, database, driver, call } = user
      await converge(driver, call)
      await server()
        .byHand(`DO $$ BEGIN ${statement}; END $$`, as(user, database))
        .catch((error: unknown) => {
          // Verifiers can expire since PostgreSQL 17.
          if (what !== 'its verifier') throw error
        })
      await converge(driver, call)
      expect(await driver.observe(call)).toMatchObject({ kind: 'available' })
      expect(await server().byHand('SELECT current_user', as(user, database))).toEqual([{ current_user: group }])
      const [{ bytes } = {}] = await server().byHand(
        `SELECT sum(length(s.setconfig::text))::int AS bytes FROM pg_db_role_setting s, pg_roles r
          WHERE r.oid = s.setrole AND r.rolname LIKE '${group}%'`,
      )
      expect(Number(bytes)).toBeLessThan(1_000)
    })
  })

  it('get another password while a session of theirs holds the lock of its own role', async () => {
    const user = await start()
    const { group, database, driver, call } = user
    await converge(driver, call)
    const hold = `BEGIN; SET ROLE NONE; ALTER ROLE ${group}_a PASSWORD 'mine'; SELECT pg_sleep(600)`
    const session = server().byHand(hold, as(user, database)).then(String, String)
    const holds = () => server().byHand(`SELECT FROM pg_stat_activity WHERE query = '${hold.replaceAll("'", "''")}'`)
    await expect.poll(holds).toHaveLength(1)
    const credential = credentialOf(`${group}_a`, 'another')
    const { username: name, verifier } = credential
    await converge(driver, callOf({ ...user.wish, credential, logins: [{ name, verifier }] }))
    expect(await session).toMatch(/terminat/)
    await server().byHand('SELECT 1', { user: name, password: 'another', database })
  })

  it('lose the session that sets the old password again', async () => {
    const user = await start()
    const { group, database, driver, call } = user
    const { observed } = await converge(driver, call)
    const proven = callOf({ ...user.wish, isVerified: true })
    expect(driver.differences(proven.desired, observed)).toEqual([])
    const hold = `BEGIN; SET ROLE NONE; ALTER ROLE ${group}_a PASSWORD 'leaked'; COMMIT; SELECT pg_sleep(600)`
    const session = server().byHand(hold, as(user, database)).then(String, String)
    const leaked = { user: `${group}_a`, password: 'leaked', database }
    // The session holds the lock of its role until it commits. Then another login can connect.
    await expect
      .poll(() =>
        server()
          .byHand('SELECT 1', leaked)
          .then(
            () => true,
            () => false,
          ),
      )
      .toBe(true)
    await server()
      .byHand(`ALTER ROLE ${group}_a PASSWORD 'leaked'`)
      .catch(() => undefined)
    await converge(driver, proven)
    expect(await session).toMatch(/terminat/)
    await expect(server().byHand('SELECT 1', leaked)).rejects.toThrow(/authentication failed/)
  })

  /** Returns the desired state after the start of a password rotation. */
  const rotated = ({ group, wish }: UserHere, more: Partial<DesiredRole> = {}) => {
    const credential = credentialOf(`${group}_a`)
    const { username: name, verifier } = credential
    return { credential, call: callOf({ ...wish, credential, logins: [{ name, verifier }], ...more }) }
  }

  /**
   * Opens three sessions with a leaked password. They set it again without a pause, and reconnect when they are
   * terminated.
   */
  async function putBackAgainAndAgain(user: UserHere, database: string) {
    const { username, verifier } = user.credential
    const sql = `ALTER ROLE ${username} PASSWORD '${verifier}'`
    const { port } = server()
    const end = { isOver: false }
    const loop = async () => {
      while (!end.isOver) {
        const client = new Client({
          host: '127.0.0.1',
          port,
          ssl: false,
          ...as(user, database),
          options: '-c role=none',
        })
        client.on('error', () => undefined)
        const run = async () => {
          await client.connect()
          while (!end.isOver) await client.query(sql).catch(passContention)
        }
        const reason = await run().then(() => '', String)
        await client.end().catch(() => undefined)
        if (/authentication failed|not permitted to log in/.test(reason)) return reason
      }
      return 'never refused'
    }
    const loops = [loop(), loop(), loop()]
    onTestFinished(async () => {
      end.isOver = true
      await Promise.all(loops)
    })
    const isAtIt = () => server().byHand(`SELECT FROM pg_stat_activity WHERE usename = '${username}' AND query <> ''`)
    await expect.poll(isAtIt).toHaveLength(3)
    return loops
  }

  it('keep their sessions when a password is due', async () => {
    const user = await start()
    const { group, database, driver, call } = user
    await converge(driver, call)
    const app = new Client({ host: '127.0.0.1', port: server().port, ssl: false, ...as(user, database) })
    await app.connect()
    onTestFinished(() => app.end())
    const { credential, call: next } = rotated(user)
    await converge(driver, next)
    expect((await app.query('SELECT current_user AS is')).rows).toEqual([{ is: group }])
    await server().byHand('SELECT 1', as({ credential }, database))
  })

  it('lose their sessions when the old password may have leaked, including replication sessions', async () => {
    const user = await start([{}], { canReplicate: true })
    const { database, driver, call } = user
    await converge(driver, call)
    const open = async (more: object) => {
      const app = new Client({ host: '127.0.0.1', port: server().port, ssl: false, ...as(user, database), ...more })
      const ended = new Promise((resolve) => app.on('error', resolve))
      await app.connect()
      onTestFinished(() => app.end())
      return { ended }
    }
    // The replication protocol also accepts SQL.
    const sessions = [await open({}), await open({ replication: 'database' })]
    const { credential, call: next } = rotated(user, { endsSessions: true })
    await converge(driver, next)
    for (const { ended } of sessions) expect(await ended).toMatchObject({ code: '57P01' })
    await server().byHand('SELECT 1', as({ credential }, database))
    await expect(server().byHand('SELECT 1', as(user, database))).rejects.toThrow(/authentication failed/)
  })

  it.each([{}, { replication: 'database' }])(
    'lose sessions that have sent the old password and stay in authentication: %j',
    async (more) => {
      const user = await start([{}], { canReplicate: true })
      const { database, driver, call } = user
      await converge(driver, call)
      const session = await onItsWayIn(server(), { ...as(user, database), ...more })
      const { credential, call: next } = rotated(user, { endsSessions: true })
      const { observed } = await converge(driver, next)
      expect(observed.verdict).toBe('Verified')
      expect(await session.outcome).toMatch(/terminat/)
      await server().byHand('SELECT 1', as({ credential }, database))
    },
  )

  it.each([
    { when: 'one that was triggered', more: { endsSessions: true } },
    { when: 'one that is due', more: {} },
  ])('get another password although sessions set the old one without a pause: $when', async ({ more }) => {
    const user = await start()
    const { group, database, driver, call } = user
    await converge(driver, call)
    const leaked = await putBackAgainAndAgain(user, database)
    const { credential, call: next } = rotated(user, more)
    await expect.poll(async () => (await converge(driver, next)).observed.verdict, { timeout: 60_000 }).toBe('Verified')
    for (const reason of await Promise.all(leaked)) expect(reason).toMatch(/authentication failed|not permitted/)
    await server().byHand('SELECT 1', as({ credential }, database))
    await expect(server().byHand('SELECT 1', as(user, database))).rejects.toThrow(/authentication failed/)
    const { differences } = await converge(driver, callOf({ ...next.desired, isVerified: true }))
    expect(differences).toEqual([])
    expect(await server().byHand(`SELECT rolcanlogin AS is FROM pg_roles WHERE rolname = '${group}_a'`)).toEqual([
      { is: true },
    ])
  })

  it('get another password while a database holds more than the operator reads', async () => {
    const user = await start()
    const { group, database, driver, call } = user
    await converge(driver, call)
    const [type, schema] = ['t'.repeat(63), 's'.repeat(63)]
    await server().byHand(
      `CREATE SCHEMA ${schema}; CREATE TYPE ${schema}.${type} AS (a int);
      DO $$ BEGIN FOR at IN 1..700 LOOP EXECUTE 'CREATE FUNCTION public.f' || at || '(' || repeat('${schema}.${type},', 99) ||
        '${schema}.${type}) RETURNS int LANGUAGE sql AS ''SELECT 1'''; END LOOP; END $$`,
      { database },
    )
    const credential = credentialOf(`${group}_a`, 'another')
    const { username: name, verifier } = credential
    const { observed } = await converge(driver, callOf({ ...user.wish, credential, logins: [{ name, verifier }] }))
    expect(observed.unread).toEqual([{ database, message: expect.stringContaining('so many objects') }])
    await server().byHand('SELECT 1', { user: name, password: 'another', database })
  })

  it('lose settings that are not desired, some at a time, however many there are', async () => {
    const user = await start()
    const { group, driver, call } = user
    await converge(driver, call)
    await server().byHand(
      `DO $$ BEGIN FOR at IN 1..500 LOOP EXECUTE format('ALTER ROLE ${group}_a SET %I.x TO %L', 's' || at, 'x'); END LOOP; END $$`,
    )
    for (let pass = 0; pass < 3; pass += 1) expect((await converge(driver, call)).differences).toHaveLength(1)
    expect((await converge(driver, call)).differences).toEqual([])
  })

  describe('that are unmanaged', () => {
    it('are left alone: a login with the desired name, until it may be adopted', async () => {
      const user = await start()
      const { group, database, driver, call } = user
      await server().byHand(`CREATE ROLE ${group}_a LOGIN PASSWORD 'theirs'`)
      await driver.create(call)
      expect(await driver.observe(call)).toMatchObject({ kind: 'broken', reason: 'NotOwned', isTerminal: true })
      await server().byHand('SELECT 1', { user: `${group}_a`, password: 'theirs', database: 'postgres' })
      await converge(driver, { ...call, adopts: true })
      expect(await server().byHand('SELECT 1 AS one', as(user, database))).toEqual([{ one: 1 }])
      expect((await converge(driver, call)).differences).toEqual([])
    })

    it('are left alone: a group with the desired name', async () => {
      const { group, driver, call } = await start()
      await server().byHand(`CREATE ROLE ${group}`)
      expect(await driver.observe(call)).toMatchObject({ kind: 'available', owner: undefined })
      await expect(driver.create(call)).rejects.toMatchObject({ code: 'AlreadyExists' })
    })

    it('are not granted: a role with privileges on the whole server', async () => {
      await server().byHand('CREATE ROLE mighty SUPERUSER; CREATE ROLE maker CREATEROLE')
      for (const role of ['mighty', 'maker', 'pg_execute_server_program', 'pg_read_all_data']) {
        const { driver, call } = await start([{}], { memberOf: [role] })
        expect(await driver.observe(call)).toMatchObject({ kind: 'broken', reason: 'PrivilegedRole' })
      }
      const { driver, call } = await start([{}], { memberOf: ['pg_monitor'] })
      expect((await converge(driver, call)).observed.group.memberOf).toMatchObject([{ role: 'pg_monitor' }])
      await server().byHand('DROP ROLE mighty; DROP ROLE maker')
    })
  })

  it('have the requested settings and limits', async () => {
    const settings = { search_path: 'app, public', statement_timeout: '7s' }
    const user = await start([{}], { settings, connectionLimit: 2, canCreateDatabases: true })
    const { database, driver, call } = user
    await converge(driver, call)
    const shown = await server().byHand(
      "SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS timeout",
      as(user, database),
    )
    expect(shown).toEqual([{ path: 'app, public', timeout: '7s' }])
    expect((await converge(driver, call)).differences).toEqual([])
    await server().byHand(`CREATE DATABASE own_${made}`, as(user, database))
  })

  it('may have any name, and only that one', async () => {
    const names = [
      'a"; DROP TABLE x; --',
      "o'brien",
      'Ünï',
      '$1',
      'a b',
      '%s%I',
      'select',
      '"',
      '\\',
      '$' + '{x}',
      '🙂',
    ]
    for (const name of names) {
      const { engine } = engineHere()
      const access = server().access()
      const systemIdentifier = await makeDatabases(engine, access, `db ${name}`)
      const group = `${name} ${++made}`
      const database = { name: `db ${name}`, schemas: [name], access: 'ReadWrite' } as const
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
      await server().byHand(
        `SET ROLE ${quoted(`db ${name}_owner`)}; CREATE SCHEMA ${quoted(name)}; CREATE TABLE ${quoted(name)}.${quoted(name)} (n int)`,
        { database: database.name },
      )
      const user = userOf(
        { access, systemIdentifier, group, databases: [database] },
        { settings: { 'my.setting': name } },
      )
      const { observed } = await converge(driverOver(engine), callOf(user.wish))
      expect(observed.verdict).toBe('Verified')
      await server().byHand(`INSERT INTO ${quoted(name)}.${quoted(name)} VALUES (1)`, as(user, database.name))
      expect((await converge(driverOver(engine), callOf(user.wish))).differences).toEqual([])
      await server().byHand(`DROP DATABASE ${quoted(database.name)} WITH (FORCE)`)
    }
  })

  describe('with an admin that is not a superuser', () => {
    it('are created and corrected, and a login verifies the password, which the admin cannot read', async () => {
      const { engine } = engineHere()
      const name = `plain${++made}`
      await server().byHand(`CREATE ROLE ${name}_admin LOGIN CREATEROLE CREATEDB PASSWORD 'admin'`)
      const access = server().access({ username: `${name}_admin`, password: 'admin' })
      const systemIdentifier = await makeDatabases(engine, access, name)
      const user = userOf({ access, systemIdentifier, group: name, databases: [{ name }] })
      const driver = driverOver(engine)
      const call = callOf(user.wish)
      expect((await converge(driver, call)).observed).toMatchObject({
        verdict: 'Verified',
        logins: [{ name: `${name}_a` }],
      })
      await server().byHand(`ALTER ROLE ${name}_a PASSWORD 'hacked'`)
      const { differences, observed } = await converge(driver, call)
      expect(differences.map(({ reason }) => reason)).toEqual(['PasswordDiffers'])
      expect(observed.verdict).toBe('Verified')
      expect(await remove(driver, callOf({ ...user.wish, ending: 'drop' }))).toMatchObject({ kind: 'absent' })
    })

    it('lose their sessions when a password is replaced, also when that was interrupted', async () => {
      const { engine } = engineHere()
      const name = `cut${++made}`
      await server().byHand(`CREATE ROLE ${name}_admin LOGIN CREATEROLE CREATEDB PASSWORD 'admin'`)
      const access = server().access({ username: `${name}_admin`, password: 'admin' })
      const systemIdentifier = await makeDatabases(engine, access, name)
      const user = userOf({ access, systemIdentifier, group: name, databases: [{ name }] })
      const driver = driverOver(engine)
      await converge(driver, callOf(user.wish))
      const session = server().byHand('SELECT pg_sleep(600)', as(user, name)).then(String, String)
      const atWork = () => server().byHand(`SELECT FROM pg_stat_activity WHERE usename = '${name}_a'`)
      await expect.poll(atWork).toHaveLength(1)
      // A rotation that is interrupted before it ends the sessions leaves this state.
      await server().byHand(`ALTER ROLE ${name}_a NOLOGIN PASSWORD NULL`)
      const { credential, call: next } = rotated(user, { endsSessions: true })
      const { observed } = await converge(driver, next)
      expect(observed).toMatchObject({ verdict: 'Verified', logins: [{ canLogin: true }] })
      expect(await session).toMatch(/terminat/)
      await server().byHand('SELECT 1', as({ credential }, name))
    })

    it('verify a password by the connection limit, which the server checks after it', async () => {
      const { engine } = engineHere()
      const name = `full${++made}`
      await server().byHand(`CREATE ROLE ${name}_admin LOGIN CREATEROLE CREATEDB PASSWORD 'admin'`)
      const access = server().access({ username: `${name}_admin`, password: 'admin' })
      const systemIdentifier = await makeDatabases(engine, access, name)
      const user = userOf({ access, systemIdentifier, group: name, databases: [{ name }] }, { connectionLimit: 1 })
      const driver = driverOver(engine)
      await converge(driver, callOf(user.wish))
      const app = new Client({ host: '127.0.0.1', port: server().port, ssl: false, ...as(user, name) })
      await app.connect()
      onTestFinished(() => app.end())
      const { credential, call: next } = rotated(user)
      const { observed } = await converge(driver, next)
      expect(observed).toMatchObject({ verdict: 'TooManyConnections', provenHash: credentialHash(credential) })
    })

    it('keep what a grantor has passed on whom the admin cannot act for, report it, and correct all else', async () => {
      const { engine } = engineHere()
      const name = `meek${++made}`
      await server().byHand(
        `CREATE ROLE ${name}_admin LOGIN CREATEROLE CREATEDB PASSWORD 'admin'; CREATE ROLE ${name}_giver SUPERUSER`,
      )
      const access = server().access({ username: `${name}_admin`, password: 'admin' })
      const systemIdentifier = await makeDatabases(engine, access, name)
      const call = callOf(userOf({ access, systemIdentifier, group: name, databases: [{ name }] }).wish)
      const driver = driverOver(engine)
      await converge(driver, call)
      await server().byHand(
        `CREATE SCHEMA s; CREATE TABLE s.t (id int); GRANT SELECT ON s.t TO ${name}_giver WITH GRANT OPTION;
         ALTER ROLE ${name}_giver NOSUPERUSER; GRANT USAGE ON SCHEMA s TO ${name}_giver;
         SET ROLE ${name}_owner; GRANT CREATE ON DATABASE ${name} TO ${name};
         RESET ROLE; SET ROLE ${name}_giver; GRANT SELECT ON s.t TO ${name}; RESET ROLE; ALTER ROLE ${name}_giver SUPERUSER`,
        { database: name },
      )
      await expect(converge(driver, call)).rejects.toMatchObject({
        code: 'InsufficientPrivilege',
        message: expect.stringContaining(`${name}_giver`),
      })
      const left = `SELECT has_table_privilege('${name}', 's.t', 'SELECT') AS select,
        has_database_privilege('${name}', '${name}', 'CREATE') AS create`
      expect(await server().byHand(left, { database: name })).toEqual([{ select: true, create: false }])
    })
  })

  describe('that switch between two logins', () => {
    it('keep the old login with its sessions until it is no longer listed', async () => {
      const user = await start()
      const { group, database, driver, wish } = user
      await converge(driver, user.call)
      const next = credentialOf(`${group}_b`)
      const logins = [...wish.logins, { name: next.username, verifier: next.verifier }]
      await converge(driver, callOf({ ...wish, logins, credential: next }))
      await server().byHand('SELECT 1', as(user, database))
      await server().byHand('SELECT 1', as({ credential: next }, database))
      const kept = [{ name: next.username, verifier: next.verifier }, { name: `${group}_a` }]
      expect((await converge(driver, callOf({ ...wish, logins: kept, credential: next }))).differences).toEqual([])
      const sleeping = server().byHand(
        'SET ROLE NONE; CREATE TEMP TABLE t (n int); SELECT pg_sleep(60)',
        as(user, database),
      )
      const ended = expect(sleeping).rejects.toThrow(/terminat/)
      await expect
        .poll(() => server().byHand(`SELECT 1 FROM pg_stat_activity WHERE usename = '${group}_a'`))
        .toHaveLength(1)
      const only = callOf({ ...wish, logins: kept.slice(0, 1), credential: next })
      expect((await converge(driver, only)).differences.map(({ reason }) => reason)).toEqual(['LoginRetired'])
      await ended
      expect(await server().byHand(`SELECT 1 FROM pg_roles WHERE rolname = '${group}_a'`)).toEqual([])
    })
  })

  describe('that are removed', () => {
    const rolesLike = (group: string) =>
      server().byHand(`SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname LIKE '${group}%' ORDER BY 1`)
    const makes = [{ access: 'Custom', grants: [{ objectType: 'Schema', privileges: ['USAGE', 'CREATE'] }] }] as const

    it('give what they own to the owner of its database, and are dropped', async () => {
      const user = await start([...makes, ...makes])
      const { group, driver, call, names } = user
      await converge(driver, call)
      for (const name of names) await server().byHand('CREATE TABLE mine (n int)', as(user, name))
      await server().byHand('SET ROLE NONE; CREATE TABLE of_the_login (n int)', as(user, names[0] ?? ''))
      expect(await remove(driver, callOf({ ...user.wish, ending: 'drop' }))).toMatchObject({ kind: 'absent' })
      expect(await rolesLike(group)).toEqual([])
      for (const database of names) {
        const owners = await server().byHand("SELECT tableowner FROM pg_tables WHERE tablename = 'mine'", { database })
        expect(owners).toEqual([{ tableowner: `${database}_owner` }])
      }
    })

    it('give away their databases too', async () => {
      const user = await start([{}], { canCreateDatabases: true })
      const { driver, call, database, group } = user
      await converge(driver, call)
      await server().byHand(`CREATE DATABASE made_by_${group}`, as(user, database))
      expect(await remove(driver, callOf({ ...user.wish, ending: 'drop' }))).toMatchObject({ kind: 'absent' })
      const owner = await server().byHand(
        `SELECT datdba::regrole::text AS owner FROM pg_database WHERE datname = 'made_by_${group}'`,
      )
      expect(owner).toEqual([{ owner: `${database}_owner` }])
    })

    it('wait when they may not give away what they own, and report how much it is', async () => {
      const user = await start(makes, { ownedObjects: 'Block' })
      const { driver, call, database, group } = user
      await converge(driver, call)
      await server().byHand('CREATE TABLE mine (n int)', as(user, database))
      const ending = callOf({ ...user.wish, ending: 'drop' })
      await expect(remove(driver, ending)).rejects.toMatchObject({
        code: 'DependentObjects',
        message: expect.stringContaining(`role ${group} owns 1 objects in database ${database}`),
      })
      await server().byHand('SELECT * FROM mine', as(user, database))
      await server().byHand('DROP TABLE mine', { database })
      expect(await remove(driver, ending)).toMatchObject({ kind: 'absent' })
    })

    it('stay without a login when the policy is Retain', async () => {
      const user = await start()
      const { driver, call, group, database } = user
      await converge(driver, call)
      expect(await remove(driver, callOf({ ...user.wish, ending: 'disable' }))).toMatchObject({ kind: 'absent' })
      expect(await rolesLike(group)).toEqual([
        { rolname: group, rolcanlogin: false },
        { rolname: `${group}_a`, rolcanlogin: false },
      ])
      await expect(server().byHand('SELECT 1', as(user, database))).rejects.toThrow(/not permitted to log in/)
    })

    it('are removed after their database is gone', async () => {
      const user = await start()
      const { driver, call, group, database } = user
      await converge(driver, call)
      await server().byHand(`DROP DATABASE ${database} WITH (FORCE)`)
      expect(await remove(driver, callOf({ ...user.wish, ending: 'drop' }))).toMatchObject({ kind: 'absent' })
      expect(await rolesLike(group)).toEqual([])
    })

    it('lose the privileges in a database that is no longer listed', async () => {
      const user = await start([...makes, ...makes])
      const { driver, call, wish, names } = user
      await converge(driver, call)
      const [kept = '', closed = ''] = names
      await server().byHand('CREATE TABLE mine (n int)', as(user, closed))
      const shorter = callOf({ ...wish, databases: wish.databases.slice(0, 1) })
      const { differences } = await converge(driver, shorter)
      expect(differences.map(({ reason }) => reason)).toContain('DatabaseClosed')
      await expect(server().byHand('SELECT 1', as(user, closed))).rejects.toThrow(/permission denied for database/)
      await server().byHand('SELECT 1', as(user, kept))
      expect(
        await server().byHand('SELECT tableowner FROM pg_tables WHERE tablename = $1', {
          database: closed,
          values: ['mine'],
        }),
      ).toEqual([{ tableowner: `${closed}_owner` }])
      expect((await converge(driver, shorter)).differences).toEqual([])
    })
  })
})
