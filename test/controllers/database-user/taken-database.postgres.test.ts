// A guest that owns a database of another namespace and writes its comment. Invariant: the database stays with its own
// Database.
// The guest's privileges end with the consent, whatever the guest does with its own resources.
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { home } from '../postgres-stage.ts'
import { onItsWayIn } from './session-on-its-way.ts'
import { UserStage } from './user-stage.ts'

const theirs = 'guests'
let made = 0

onEachPostgres('a guest with access: Owner', (server) => {
  /**
   * Creates Database `shopN` in `home`, which admits the guest's namespace. The guest may write all five kinds there.
   */
  async function start() {
    const names = { shop: `shop${++made}`, guest: `guest${made}` }
    const stage = await UserStage.start(server(), names.shop)
    await stage.namespace(theirs)
    await consent(stage, names.shop, { names: [theirs] })
    await become(stage, names.guest, { databases: [{ name: names.shop, namespace: home, access: 'Owner' }] })
    onTestFinished(async () => {
      await stage.end()
      await server().byHand(`DROP DATABASE IF EXISTS ${names.shop} WITH (FORCE)`)
    })
    await server().byHand('CREATE TABLE secrets AS SELECT 42 AS is', { database: names.shop })
    await server().byHand(`ALTER TABLE secrets OWNER TO ${names.shop}_owner`, { database: names.shop })
    return { stage, ...names }
  }

  async function consent(stage: UserStage, shop: string, allowedNamespaces: object | null) {
    await stage.cluster.patch(Database, `${home}/${shop}`, { spec: { allowedNamespaces } })
  }

  async function become(stage: UserStage, name: string, spec: Parameters<UserStage['create']>[1]) {
    await stage.create(name, spec, theirs)
    await stage.becomes(name, 'Ready', 'True InSync', { namespace: theirs })
  }

  const asGuest = async (stage: UserStage, name: string, text: string, database?: string) => {
    const { username: user = '', password = '', database: own = '' } = (await stage.keys(name, theirs)) ?? {}
    return server().byHand(text, { user, password, database: database ?? own })
  }

  const ready = async (stage: UserStage, key: string) => {
    const found = await stage.cluster.condition(Database, key, 'Ready')
    return `${found?.status} ${found?.reason}`
  }

  /** Returns the markers. Their generation is that of the last writer. */
  const marks = async (shop: string) => {
    const rows =
      await server().byHand(`SELECT shobj_description(d.oid, 'pg_database') AS database, shobj_description(r.oid, 'pg_authid') AS role,
      pg_get_userbyid(d.datdba) AS owner FROM pg_database d, pg_roles r WHERE d.datname = '${shop}' AND r.rolname = '${shop}_owner'`)
    return JSON.stringify(rows).replaceAll(/generation\\*":\d+/g, '')
  }

  /** Lets a full cadence pass, so that each Database is observed. */
  const looks = (stage: UserStage) => stage.pass(400_000)

  /**
   * Withdraws the consent while a session runs `hold`, which locks the database and sleeps. Expects that the guest has
   * no access afterwards.
   */
  async function withdrawDespite(
    { stage, shop, guest }: Awaited<ReturnType<typeof start>>,
    hold: string,
    run: () => Promise<unknown>,
  ) {
    const held = `FROM pg_stat_activity WHERE query = '${hold}'`
    const holds = () => server().byHand(`SELECT ${held}`)
    onTestFinished(() =>
      server()
        .byHand(`SELECT pg_terminate_backend(pid) ${held}`)
        .then(() => undefined),
    )
    const session = run().then(String, String)
    await stage.until('the lock', async () => (await holds()).length > 0)
    await consent(stage, shop, null)
    await looks(stage)
    await stage.until('the session to end', async () => (await holds()).length === 0)
    expect(await session).toMatch(/terminat/)
    await looks(stage)
    await expect(asGuest(stage, guest, 'TABLE secrets')).rejects.toThrow(/permission denied for database/)
  }

  it.each(['Never', 'Adopt'])(
    'takes over no database by its comment, with adoptionPolicy %s',
    async (adoptionPolicy) => {
      const { stage, shop, guest } = await start()
      const before = await marks(shop)
      await stage.database('grab', { databaseName: shop, suspend: true, adoptionPolicy }, theirs)
      const { metadata } = (await stage.cluster.find(Database, `${theirs}/grab`)) ?? {}
      const mark = { uid: metadata?.uid, generation: 1, holder: `Database ${theirs}/grab` }
      await asGuest(stage, guest, `COMMENT ON DATABASE ${shop} IS 'konverge ${JSON.stringify(mark)}'`)
      await stage.cluster.patch(Database, `${theirs}/grab`, { spec: { suspend: false } })
      await stage.until('an answer', async () => /^True|NotOwned/.test(await ready(stage, `${theirs}/grab`)))
      await looks(stage)
      expect(await ready(stage, `${theirs}/grab`)).toBe('False NotOwned')
      expect(await ready(stage, `${home}/${shop}`)).toMatch(/^True /)
      expect(await marks(shop)).toEqual(before)
    },
  )

  it('drops no database by its comment and a Database that is deleted', async () => {
    const { stage, shop, guest } = await start()
    await stage.database('grab', { databaseName: shop, suspend: true, deletionPolicy: 'Delete' }, theirs)
    const { metadata } = (await stage.cluster.find(Database, `${theirs}/grab`)) ?? {}
    const mark = { uid: metadata?.uid, generation: 1, holder: `Database ${theirs}/grab` }
    await asGuest(stage, guest, `COMMENT ON DATABASE ${shop} IS 'konverge ${JSON.stringify(mark)}'`)
    await stage.cluster.patch(Database, `${theirs}/grab`, { spec: { suspend: false } })
    await stage.until('an answer', async () => /^True|NotOwned/.test(await ready(stage, `${theirs}/grab`)))
    await stage.cluster.delete(Database, `${theirs}/grab`)
    await looks(stage)
    expect(await server().byHand('SELECT "is" FROM secrets', { database: shop })).toEqual([{ is: 42 }])
  })

  it('reads nothing after the consent is withdrawn, with a suspended user and an open session', async () => {
    const { stage, shop, guest } = await start()
    await stage.cluster.patch(DatabaseUser, `${theirs}/${guest}`, { spec: { suspend: true } })
    const session = asGuest(stage, guest, 'SELECT pg_sleep(600)').then(String, String)
    const isIn = () =>
      server().byHand(
        `SELECT FROM pg_stat_activity WHERE datname = '${shop}' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`,
      )
    await stage.until('the session', async () => (await isIn()).length > 0)
    await consent(stage, shop, { names: ['other'] })
    await looks(stage)
    // PostgreSQL ends a session some time after the request.
    await stage.until('the session to end', async () => (await isIn()).length === 0)
    expect(await session).toMatch(/terminat/)
    await expect(asGuest(stage, guest, 'TABLE secrets')).rejects.toThrow(
      /permission denied for database|authentication failed/,
    )
    expect(await server().byHand(`SELECT pg_has_role('${guest}', '${shop}_owner', 'MEMBER') AS is`)).toEqual([
      { is: false },
    ])
    const note = `role ${guest} of DatabaseUser ${theirs}/${guest} has rights in database ${shop}`
    await stage.until('the Event', async () => (await stage.told()).some((event) => event.note.includes(note)))
  })

  it('reads nothing after the consent is withdrawn, with a database comment that is longer than the operator reads', async () => {
    const { stage, shop, guest } = await start()
    await stage.cluster.patch(DatabaseUser, `${theirs}/${guest}`, { spec: { suspend: true } })
    const comment = `EXECUTE format('COMMENT ON DATABASE ${shop} IS %L', repeat('x', 9000000))`
    await asGuest(stage, guest, `DO $$ BEGIN ${comment}; END $$`)
    await consent(stage, shop, null)
    await looks(stage)
    await expect(asGuest(stage, guest, 'TABLE secrets')).rejects.toThrow(/permission denied for database/)
    expect(await ready(stage, `${home}/${shop}`)).toMatch(/^True /)
  })

  it.each(['postgres', undefined])(
    'reads nothing after the consent is withdrawn, while a transaction in %s locks the database',
    async (database) => {
      const { stage, shop, guest } = await start()
      // One transaction revokes its CONNECT and the membership in the first user.
      const sibling = `second${made}`
      await become(stage, sibling, { databases: [{ name: shop, namespace: home, access: 'ReadWrite' }] })
      for (const name of [guest, sibling])
        await stage.cluster.patch(DatabaseUser, `${theirs}/${name}`, { spec: { suspend: true } })
      const hold = `BEGIN; ALTER DATABASE ${shop} CONNECTION LIMIT 77; SELECT pg_sleep(600)`
      await withdrawDespite({ stage, shop, guest }, hold, () => asGuest(stage, guest, hold, database))
    },
  )

  it('reads nothing after the consent is withdrawn, while a login without privileges locks the database by a function', async () => {
    const { stage, shop, guest } = await start()
    const [sibling, accomplice] = [`second${made}`, `accomplice${made}`]
    await become(stage, sibling, { databases: [{ name: shop, namespace: home, access: 'ReadWrite' }] })
    await server().byHand(`CREATE ROLE ${accomplice} LOGIN PASSWORD 'his'`)
    await asGuest(
      stage,
      guest,
      `CREATE FUNCTION hold() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        AS $$ BEGIN EXECUTE 'ALTER DATABASE ${shop} CONNECTION LIMIT 77'; END $$;
      GRANT CONNECT ON DATABASE ${shop} TO ${accomplice}; GRANT USAGE ON SCHEMA public TO ${accomplice}`,
    )
    for (const name of [guest, sibling])
      await stage.cluster.patch(DatabaseUser, `${theirs}/${name}`, { spec: { suspend: true } })
    const hold = 'BEGIN; SELECT public.hold(); SELECT pg_sleep(600)'
    await withdrawDespite({ stage, shop, guest }, hold, () =>
      server().byHand(hold, { user: accomplice, password: 'his', database: shop }),
    )
  })

  it('reads nothing after the consent is withdrawn, by a session that stays in authentication', async () => {
    const { stage, shop, guest } = await start()
    const { username: user = '', password = '' } = (await stage.keys(guest, theirs)) ?? {}
    const session = await onItsWayIn(server(), { user, password, database: shop })
    // Its login stays, so that only the Database ends the session.
    await stage.cluster.patch(DatabaseUser, `${theirs}/${guest}`, { spec: { suspend: true } })
    await consent(stage, shop, null)
    await looks(stage)
    expect(await session.outcome).toMatch(/terminat/)
  })

  it('reads nothing after the consent is withdrawn, by a second user that is a member of the first', async () => {
    const { stage, shop, guest } = await start()
    await stage.database(`own${made}`, {}, theirs)
    await stage.databaseReady(`own${made}`, theirs)
    const databases = [{ name: `own${made}`, access: 'Owner' as const }]
    await become(stage, `second${made}`, { databases, memberOf: [guest] })
    const read = () => asGuest(stage, `second${made}`, 'TABLE secrets', shop)
    expect(await read()).toEqual([{ is: 42 }])
    await consent(stage, shop, null)
    await stage.becomes(guest, 'Ready', 'False NotAllowed', { namespace: theirs })
    await looks(stage)
    await expect(read()).rejects.toThrow(/permission denied for database/)
  })

  it('reads nothing after the consent is withdrawn, as an accomplice with CONNECT from the guest', async () => {
    const { stage, shop, guest } = await start()
    await stage.database(`own${made}`, {}, theirs)
    await stage.databaseReady(`own${made}`, theirs)
    await become(stage, `second${made}`, { databases: [{ name: `own${made}`, access: 'ReadWrite' }] })
    await asGuest(
      stage,
      guest,
      `GRANT CONNECT ON DATABASE ${shop} TO second${made}; GRANT SELECT ON secrets TO second${made}`,
    )
    const read = () => asGuest(stage, `second${made}`, 'TABLE secrets', shop)
    expect(await read()).toEqual([{ is: 42 }])
    await stage.cluster.patch(DatabaseUser, `${theirs}/second${made}`, { spec: { suspend: true } })
    await consent(stage, shop, null)
    await looks(stage)
    await expect(read()).rejects.toThrow(/permission denied for database/)
    await consent(stage, shop, { names: [theirs] })
    await stage.becomes(guest, 'Ready', 'True InSync', { namespace: theirs })
    expect(await asGuest(stage, guest, 'TABLE secrets')).toEqual([{ is: 42 }])
  })

  it.each(['Correct', 'Report'])('leaves no template behind, with driftPolicy %s', async (driftPolicy) => {
    const { stage, shop, guest } = await start()
    await stage.database(`own${made}`, {}, theirs)
    await stage.databaseReady(`own${made}`, theirs)
    const databases = [{ name: `own${made}`, access: 'ReadWrite' as const }]
    await become(stage, `cloner${made}`, { databases, attributes: { createdb: true } })
    await stage.cluster.patch(Database, `${home}/${shop}`, { spec: { driftPolicy } })
    await stage.databaseReady(shop)
    await looks(stage)
    await asGuest(stage, guest, `ALTER DATABASE ${shop} IS_TEMPLATE true; ALTER DATABASE ${shop} CONNECTION LIMIT 77`)
    const flags = `SELECT datistemplate AS is, datconnlimit AS most FROM pg_database WHERE datname = '${shop}'`
    await looks(stage)
    const most = driftPolicy === 'Correct' ? -1 : 77
    expect(await server().byHand(flags)).toEqual([{ is: false, most }])
    await asGuest(stage, guest, `ALTER DATABASE ${shop} IS_TEMPLATE true`)
    await stage.cluster.patch(Database, `${home}/${shop}`, { spec: { allowedNamespaces: null } })
    await stage.becomes(guest, 'Ready', 'False NotAllowed', { namespace: theirs })
    const isCorrected = async () => JSON.stringify(await server().byHand(flags)).includes('false')
    await stage.until('the flag to be gone', isCorrected)
    await expect(asGuest(stage, `cloner${made}`, `CREATE DATABASE loot TEMPLATE ${shop}`)).rejects.toThrow(
      /permission denied to copy database/,
    )
    await stage.until('the Event', async () =>
      (await stage.told()).some(({ note }) => note.includes(`${shop} was a template`)),
    )
  })

  it('does not block the deletion of a Database', async () => {
    const { stage, shop, guest } = await start()
    await stage.cluster.patch(Database, `${home}/${shop}`, {
      spec: { deletionPolicy: 'Delete', allowedNamespaces: null },
    })
    await stage.becomes(guest, 'Ready', 'False NotAllowed', { namespace: theirs })
    await stage.cluster.delete(DatabaseUser, `${theirs}/${guest}`)
    await server().byHand(`ALTER DATABASE ${shop} IS_TEMPLATE true`)
    await stage.cluster.delete(Database, `${home}/${shop}`)
    const isGone = async () => (await stage.cluster.find(Database, `${home}/${shop}`)) === undefined
    await stage.until('the Database to be gone', isGone)
    expect(await server().byHand(`SELECT FROM pg_database WHERE datname = '${shop}'`)).toEqual([])
  })

  it('leaves no unnamed role after the consent is withdrawn', async () => {
    const { stage, shop, guest } = await start()
    await server().byHand(`CREATE ROLE "t-admin${made}" LOGIN`)
    onTestFinished(async () => {
      await server().byHand(`DROP ROLE "t-admin${made}"`)
    })
    const drifted = async () => {
      const found = await stage.cluster.condition(Database, `${home}/${shop}`, 'Drifted')
      return `${found?.status} ${found?.reason}: ${found?.message}`
    }
    await asGuest(stage, guest, `GRANT CONNECT ON DATABASE ${shop} TO "t-admin${made}"`)
    await looks(stage)
    expect(await drifted()).toMatch(/^True UnmanagedRoles: .*t-admin/)
    await consent(stage, shop, null)
    await stage.becomes(guest, 'Ready', 'False NotAllowed', { namespace: theirs })
    await looks(stage)
    const revocation = `REVOKE CONNECT ON DATABASE "${shop}" FROM "t-admin${made}"`
    expect(await drifted()).toContain(revocation)
    const told = (await stage.told()).filter(({ note }) => note.includes(revocation)).map(({ reason }) => reason)
    expect(new Set(told)).toEqual(new Set(['DriftCorrected', 'UnmanagedRoles']))
    await server().byHand(revocation)
    await looks(stage)
    expect(await drifted()).toMatch(/^False InSync/)
    await server().byHand(`GRANT CONNECT ON DATABASE ${shop} TO "t-admin${made}"`)
    await looks(stage)
    expect(await drifted()).toMatch(/^False InSync/)
    await server().byHand(revocation)
  })
})
