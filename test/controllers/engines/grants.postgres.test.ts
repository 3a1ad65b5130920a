// Plans of grants on real servers, as a superuser and as an admin without superuser. Invariant: after one plan is
// executed, observation finds nothing missing and nothing extra.
// One statement observes, and the pure function plans.
import { describe, expect, it } from 'vitest'
import type { DatabaseServer } from '../../../src/controllers/engines/engine.ts'
import type { DesiredGrant } from '../../../src/controllers/engines/grant.ts'
import { planGrants } from '../../../src/controllers/engines/grants.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { atOnce } from './at-once.ts'

const token = { uid: '5f1c', generation: 1 }
const password = 'grants'
const verifier = scramVerifier({ password, salt: Buffer.alloc(16, 9) })

onEachPostgres('grants', (server, version) => {
  describe.each(['superuser', 'plain admin'] as const)('by a %s', (who) => {
    const database = who === 'superuser' ? 'sdb' : 'pdb'
    const [owner, role] = [`${database}_owner`, `${database}_user`]
    const wish: DesiredGrant = {
      role,
      database,
      access: 'ReadWrite',
      schemas: ['app', `odd "schema'; --`],
      grants: [],
      creators: [owner],
    }

    it('grant what an access level includes, also on later objects, and revoke the rest', async () => {
      const at = engineHere().at(await accessOf(who))
      await makeDatabase(at)
      await reach(at, wish)
      const asUser = (text: string) => server().byHand(text, { database, user: role, password })
      await asUser("INSERT INTO app.orders VALUES (1); SELECT * FROM app.orders; SELECT nextval('app.numbers')")
      expect(await asUser('SELECT app.area(2), count(*) FROM "odd ""schema\'; --"."odd "" table\'; --"')).toHaveLength(
        1,
      )
      await expect(asUser('CREATE TABLE app.mine (n int)')).rejects.toMatchObject({ code: '42501' })
      await asOwner('CREATE TABLE app.later (n int)')
      await asUser('INSERT INTO app.later VALUES (1)')
      expect(await planOf(at, wish)).toMatchObject({ missing: [], extra: [], notFound: [] })

      const readOnly: DesiredGrant = { ...wish, access: 'ReadOnly' }
      const { missing, extra } = await planOf(at, readOnly)
      expect(missing).toEqual([])
      expect(extra.length).toBeGreaterThan(3)
      await reach(at, readOnly)
      await asUser('SELECT * FROM app.orders')
      await expect(asUser('INSERT INTO app.orders VALUES (1)')).rejects.toMatchObject({ code: '42501' })
      await asOwner('CREATE TABLE app.later_still (n int)')
      await expect(asUser('INSERT INTO app.later_still VALUES (1)')).rejects.toMatchObject({ code: '42501' })

      await reach(at, { ...wish, access: 'Owner' })
      await asUser('CREATE TABLE app.mine (n int); TRUNCATE app.orders')
      await asUser('DROP TABLE app.mine')
      if (version >= 17) await asUser('VACUUM app.orders')
    })

    it('grant what is listed, by name and by signature, and report what does not exist', async () => {
      const at = engineHere().at(await accessOf(who))
      await makeDatabase(at)
      const custom: DesiredGrant = {
        ...wish,
        access: 'Custom',
        schemas: ['app', 'nowhere'],
        grants: [
          { objectType: 'Database', privileges: ['CONNECT'] },
          { objectType: 'Schema', privileges: ['USAGE'] },
          { objectType: 'Table', names: ['orders', 'missing'], privileges: ['SELECT', 'UPDATE'] },
          { objectType: 'Sequence', privileges: ['USAGE'] },
          { objectType: 'Function', names: ['area(integer)', 'other'], privileges: ['EXECUTE'] },
        ],
      }
      await reach(at, custom)
      const plan = await planOf(at, custom)
      expect(plan.notFound).toEqual(['schema nowhere', 'table missing'])
      expect(plan.held).toBe(plan.desired)
      const { groups, defaults } = await at.observeGrants(database, { roles: [role], schemas: [] })
      expect(groups.map(({ on, names, privileges }) => [on, names, privileges])).toEqual([
        ['Database', [database], ['CONNECT']],
        ['Function', ['area(integer)', 'other(text, integer[])'], ['EXECUTE']],
        ['Schema', ['app'], ['USAGE']],
        ['Sequence', ['numbers'], ['USAGE']],
        ['Table', ['orders'], ['SELECT', 'UPDATE']],
      ])
      expect(defaults).toEqual([{ role, creator: owner, schema: 'app', on: 'Sequence', privileges: ['USAGE'] }])
      await reach(at, { ...custom, grants: [{ objectType: 'Database', privileges: ['CONNECT'] }] })
    })

    it('find and correct changes by hand: on columns, in other schemas, with grant option', async () => {
      const at = engineHere().at(await accessOf(who))
      await makeDatabase(at)
      await reach(at, wish)
      await asOwner(`GRANT SELECT (n), UPDATE (n) ON app.orders TO "${role}";
        GRANT SELECT ON other.things TO "${role}"; GRANT USAGE ON SCHEMA other TO "${role}";
        GRANT INSERT ON app.orders TO "${role}" WITH GRANT OPTION;
        REVOKE DELETE ON app.orders FROM "${role}"; REVOKE USAGE ON SCHEMA app FROM "${role}";
        ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO "${role}";
        ALTER DEFAULT PRIVILEGES IN SCHEMA app REVOKE SELECT ON TABLES FROM "${role}"`)
      const plan = await planOf(at, wish)
      const told = (changes: typeof plan.missing) =>
        changes.map(({ kind, on, schema, privileges }) => `${kind} ${privileges.join(',')} on ${on} of ${schema}`)
      expect(told(plan.missing)).toEqual([
        'grant USAGE on Schema of ',
        'grant DELETE on Table of app',
        'grantDefault SELECT on Table of app',
      ])
      expect(told(plan.extra)).toEqual([
        'revoke SELECT,UPDATE on Column of app',
        'revoke USAGE on Schema of ',
        'revoke SELECT on Table of other',
        'revokeOption INSERT on Table of app',
        'revokeDefault SELECT on Table of ',
      ])
      await reach(at, wish)
    })

    it('are not needed on what the role owns, and are dropped with the role', async () => {
      const at = engineHere().at(await accessOf(who))
      await makeDatabase(at)
      await reach(at, wish)
      await server().byHand(`ALTER TABLE app.orders OWNER TO "${role}"`, { database })
      expect(await planOf(at, wish)).toMatchObject({ missing: [], extra: [] })
      await expect(at.change([{ kind: 'dropRole', role }])).rejects.toMatchObject({ code: 'DependentObjects' })
      const { roles } = await at.observe({ roles: [{ name: role }] })
      expect(roles[0]?.dependents.find((one) => one.database === database)?.owned).toBe(1)
      await at.change(
        [
          { kind: 'reassignOwned', role, to: owner },
          { kind: 'dropOwned', role },
        ],
        { database },
      )
      await at.change([{ kind: 'dropRole', role }])
      expect(await server().byHand('SELECT count(*)::int AS n FROM app.orders', { database })).toEqual([{ n: 0 }])
    })

    /** Creates the database again, with objects of all kinds. */
    async function makeDatabase(at: DatabaseServer): Promise<void> {
      await at.dropDatabase(database, { force: true })
      await at.change([role, owner].map((name) => ({ kind: 'dropRole', role: name })))
      await at.change([
        { kind: 'createRole', role: owner, token, attributes: { canLogin: true, verifier } },
        { kind: 'createRole', role, token, attributes: { canLogin: true, verifier } },
      ])
      await at.createDatabase({ name: database, owner, token })
      await at.change([{ kind: 'hardenDatabase', database }])
      await asOwner(`CREATE SCHEMA app; CREATE SCHEMA other; CREATE SCHEMA "odd ""schema'; --";
        CREATE TABLE app.orders (n int, m int); CREATE VIEW app.view AS SELECT 1; CREATE SEQUENCE app.numbers;
        CREATE FUNCTION app.area(integer) RETURNS integer LANGUAGE sql AS 'SELECT $1';
        CREATE FUNCTION app.other(text, integer[]) RETURNS integer LANGUAGE sql AS 'SELECT 1';
        CREATE PROCEDURE app.run() LANGUAGE sql AS 'SELECT 1';
        CREATE TYPE app."odd) TO x; --" AS (n int);
        CREATE FUNCTION app."odd"" (name'; --"(app."odd) TO x; --") RETURNS integer LANGUAGE sql AS 'SELECT 1';
        CREATE TABLE other.things (n int);
        CREATE TABLE "odd ""schema'; --"."odd "" table'; --" ("odd "" column'" int)`)
    }

    async function asOwner(text: string): Promise<void> {
      await server().byHand(text, { database, user: owner, password })
    }

    async function planOf(at: DatabaseServer, of: DesiredGrant) {
      const question = { roles: [of.role], schemas: of.schemas, creators: of.creators }
      return atOnce(planGrants(of, await at.observeGrants(database, question)))
    }

    /** Executes the plan, and expects an empty plan afterwards. */
    async function reach(at: DatabaseServer, of: DesiredGrant): Promise<void> {
      const { missing, extra } = await planOf(at, of)
      await at.change([...extra, ...missing], { database })
      expect(await planOf(at, of)).toMatchObject({ missing: [], extra: [] })
    }
  })

  async function accessOf(who: 'superuser' | 'plain admin') {
    if (who === 'superuser') return server().access()
    await server().byHand(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'op') THEN
        CREATE ROLE op LOGIN CREATEDB CREATEROLE PASSWORD 'op-secret';
      END IF; END $$`)
    return server().access({ username: 'op', password: 'op-secret' })
  }
})
