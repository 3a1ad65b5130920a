// DatabaseUsers with both controllers, an in-process cluster and real servers of all versions. Invariant: an
// application that reads the Secret can always log in.
import { describe, expect, it } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import { abandonAnnotation, Namespace, Secret } from '../../../src/index.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { secretText } from '../../taint/secret-text.ts'
import { home } from '../postgres-stage.ts'
import { UserStage } from './user-stage.ts'

const abandoned = { metadata: { annotations: { [abandonAnnotation]: 'true' } } }

const minute = 60_000

onEachPostgres(
  'a DatabaseUser',
  (server) => {
    let made = 0
    const nextName = () => `u${++made}`

    /** Returns an environment with a Database and its user of the same name, both Ready. */
    async function start(spec: object = {}) {
      const name = nextName()
      const stage = await UserStage.start(server(), `${name}db`)
      await stage.create(name, { databases: [{ name: `${name}db`, access: 'ReadWrite' }], ...spec })
      return { stage, name, database: `${name}db` }
    }

    async function startReady(spec: object = {}) {
      const started = await start(spec)
      await started.stage.becomes(started.name, 'Ready', 'True InSync')
      return started
    }

    const roles = (name: string) =>
      server().byHand(`SELECT rolname FROM pg_roles WHERE rolname ~ '^${name}(_[ab])?$' ORDER BY 1`)

    it('gets a Secret with which an application logs in, and reports its state', async () => {
      const { stage, name, database } = await startReady()
      expect(await stage.app(name, 'SELECT current_user AS is')).toEqual([{ is: name }])
      const keys = await stage.keys(name)
      expect(keys).toMatchObject({ type: 'postgresql', username: `${name}_a`, database })
      const status = await stage.status(name)
      expect(status).toMatchObject({
        groupRole: name,
        loginRoles: [{ name: `${name}_a`, active: true }],
        databases: 1,
        access: 'ReadWrite',
        binding: { name: `${name}-db` },
        passwordGeneration: 1,
        grants: { missing: 0, extra: 0 },
        lastVerifiedLogin: expect.stringMatching(/Z$/),
      })
      const found = await stage.cluster.find(Secret, `${home}/${name}-db`)
      expect(found?.['type']).toBe('servicebinding.io/postgresql')
      for (const type of ['SecretReady', 'RoleReady', 'GrantsInSync', 'LoginVerified']) {
        expect(await stage.condition(name, type), type).toMatchObject({ status: 'True' })
      }
      expect(JSON.stringify([status, stage.operator.lines])).not.toContain(keys?.['password'])
    })

    it('causes no request and no write while nothing changes, and two statements at each observation', async () => {
      const { stage, name } = await startReady()
      await stage.pass(20_000)
      const [statements, writes] = [stage.engines.statements.length, stage.operator.way.writes.length]
      await stage.pass(200_000)
      expect(stage.engines.statements.length - statements).toBe(0)
      await stage.look(name)
      const texts = stage.engines.statements.slice(statements).map(({ text }) => text.slice(0, 60))
      expect(texts).toHaveLength(2)
      const since = stage.operator.way.writes
        .slice(writes)
        .map(({ call }) => `${call.verb} ${call.resource}/${call.subresource}`)
      expect(since).toEqual(['patch databaseusers/status'])
    })

    it('waits for its Database, and continues when that is ready', async () => {
      const name = nextName()
      const stage = await UserStage.start(server())
      await stage.create(name, { databases: [{ name: `${name}db`, access: 'ReadOnly' }] })
      await stage.becomes(name, 'Ready', 'False DatabaseMissing')
      expect(await stage.keys(name)).toBeUndefined()
      await stage.database(`${name}db`)
      await stage.becomes(name, 'Ready', 'True InSync')
      await stage.app(name, 'SELECT 1')
    })

    describe('in another namespace than its Database', () => {
      it('needs the consent of the Database, reveals nothing without it, and loses its login when it is withdrawn', async () => {
        const name = nextName()
        const stage = await UserStage.start(server())
        await stage.namespace(`${name}-data`)
        const databases = [{ name: `${name}db`, namespace: `${name}-data`, access: 'ReadOnly' as const }]
        await stage.create(name, { databases })
        const missing = await stage.becomes(name, 'Ready', 'False NotAllowed')
        await stage.database(`${name}db`, {}, `${name}-data`)
        await stage.databaseReady(`${name}db`, `${name}-data`)
        await stage.look(name)
        expect(await stage.becomes(name, 'Ready', 'False NotAllowed')).toBe(missing)
        const consent = (allowedNamespaces: object | null) =>
          stage.cluster.patch(Database, `${name}-data/${name}db`, { spec: { allowedNamespaces } })
        await consent({ names: [home] })
        await stage.becomes(name, 'Ready', 'True InSync')
        const granted = () => server().byHand(`SELECT has_database_privilege('${name}', '${name}db', 'CONNECT') AS is`)
        const session = stage.app(name, 'SELECT pg_sleep(600)').then(String, String)
        const sessions = () => server().byHand(`SELECT FROM pg_stat_activity WHERE usename = '${name}_a'`)
        await stage.until('the session', async () => (await sessions()).length > 0)
        await consent({ names: ['other'] })
        await stage.becomes(name, 'Ready', 'False NotAllowed')
        await stage.until('the login to go', async () => (await roles(name)).length === 1)
        expect(await session).toMatch(/terminating connection|terminated/)
        await expect(stage.app(name, 'SELECT 1')).rejects.toThrow(/authentication failed/)
        await stage.until('his rights to go', async () => (await granted())[0]?.['is'] === false)
        const keys = await stage.keys(name)
        await stage.pass(30_000)
        expect(await stage.condition(name, 'Stalled')).toMatchObject({ status: 'True', reason: 'NotAllowed' })
        expect(await stage.condition(name, 'Reconciling')).toBeUndefined()
        expect(await stage.condition(name, 'Progressing')).toMatchObject({ status: 'False', reason: 'Stalled' })
        expect(await stage.condition(name, 'RoleReady')).toMatchObject({ status: 'False', reason: 'LoginRemoved' })
        expect(await stage.condition(name, 'GrantsInSync')).toMatchObject({ status: 'Unknown', reason: 'NotAllowed' })
        expect(await stage.condition(name, 'LoginVerified')).toMatchObject({ status: 'False', reason: 'LoginRemoved' })
        await consent({ names: [home] })
        await stage.becomes(name, 'Ready', 'True InSync')
        expect(await stage.keys(name)).toEqual(keys)
        await stage.app(name, 'SELECT 1')
        await consent({ names: ['other'] })
        await stage.becomes(name, 'Ready', 'False NotAllowed')
        await consent({ names: null, selector: { matchLabels: { team: 'shop' } } })
        await stage.pass(5_000)
        await stage.becomes(name, 'Ready', 'False NotAllowed')
        await stage.cluster.patch(Namespace, home, { metadata: { labels: { team: 'shop' } } })
        await stage.becomes(name, 'Ready', 'True InSync')
        await stage.delete(name)
        expect(await roles(name)).toEqual([])
      })

      it('gets no privileges beyond the database', async () => {
        const name = nextName()
        const stage = await UserStage.start(server())
        await stage.namespace(`${name}-data`)
        await stage.database(`${name}db`, { allowedNamespaces: { names: [home] } }, `${name}-data`)
        const databases = [{ name: `${name}db`, namespace: `${name}-data`, access: 'ReadOnly' as const }]
        await stage.create(name, { databases, memberOf: ['postgres_exporter'] })
        expect(await stage.becomes(name, 'Ready', 'False NotAllowed')).toContain('memberOf')
      })
    })

    describe('with a rotating password', () => {
      it('in place: the Secret has the new password when that works, and the old one is rejected', async () => {
        const { stage, name } = await startReady({ rotation: { interval: '24h' } })
        const before = await stage.keys(name)
        // A connected holder of the old password could set another one for the role.
        const session = stage.app(name, 'SELECT pg_sleep(600)').then(String, String)
        await expect
          .poll(() => server().byHand(`SELECT FROM pg_stat_activity WHERE usename = '${name}_a'`))
          .toHaveLength(1)
        await stage.patch(name, { rotation: { interval: '24h', trigger: 'leaked' } })
        await stage.until('the rotation', async () => (await stage.status(name)).passwordGeneration === 2)
        await stage.becomes(name, 'Ready', 'True InSync')
        const after = await stage.keys(name)
        expect(after).toMatchObject({ username: before?.['username'] })
        expect(after?.['password']).not.toBe(before?.['password'])
        expect(Object.keys(after ?? {})).not.toContain('password-next')
        expect(await session).toMatch(/terminat/)
        await stage.app(name, 'SELECT 1')
        await expect(stage.app(name, 'SELECT 1', before)).rejects.toThrow(/password authentication failed/)
        expect(await stage.status(name)).toMatchObject({ lastRotationTrigger: 'leaked' })
        expect((await stage.events(name)).join('\n')).toContain('PasswordRotated: the Secret has password number 2')
      })

      it('with two roles: the old password works until the overlap ends', async () => {
        const { stage, name } = await startReady({ rotation: { interval: '24h', strategy: 'DualRole', overlap: '5m' } })
        const before = await stage.keys(name)
        await stage.patch(name, { rotation: { interval: '24h', strategy: 'DualRole', overlap: '5m', trigger: 'now' } })
        await stage.until('the rotation', async () => (await stage.status(name)).passwordGeneration === 2)
        const after = await stage.keys(name)
        expect(after).toMatchObject({ username: `${name}_b` })
        await stage.becomes(name, 'Ready', 'True InSync')
        expect(await stage.condition(name, 'RotationDue')).toMatchObject({ status: 'True', reason: 'Overlap' })
        await stage.app(name, 'CREATE TEMP TABLE t (n int)', before)
        await stage.app(name, 'SELECT 1')
        await stage.cluster.advance(5 * minute)
        await stage.look(name)
        await stage.until('the old role to go', async () => (await roles(name)).length === 2)
        await stage.becomes(name, 'Ready', 'True InSync')
        expect(await roles(name)).toEqual([{ rolname: name }, { rolname: `${name}_b` }])
        await expect(stage.app(name, 'SELECT 1', before)).rejects.toThrow(/authentication failed/)
        expect(await stage.condition(name, 'RotationDue')).toBeUndefined()
      })

      it('with two roles and no overlap: reports when the sessions of the old password are gone', async () => {
        const rotation = { strategy: 'DualRole', overlap: '0s' }
        const { stage, name } = await startReady({ rotation })
        const before = await stage.keys(name)
        const session = stage.app(name, 'SELECT pg_sleep(600)').then(String, String)
        await expect
          .poll(() => server().byHand(`SELECT FROM pg_stat_activity WHERE usename = '${name}_a'`))
          .toHaveLength(1)
        await stage.patch(name, { rotation: { ...rotation, trigger: 'leaked' } })
        await stage.until('the rotation', async () => (await stage.status(name)).lastRotationTrigger === 'leaked')
        expect(await roles(name)).toEqual([{ rolname: name }, { rolname: `${name}_b` }])
        expect(await session).toMatch(/terminat/)
        await expect(stage.app(name, 'SELECT 1', before)).rejects.toThrow(/authentication failed/)
        await stage.app(name, 'SELECT 1')
      })

      it('in place within an overlap: also ends the sessions of the older password', async () => {
        const { stage, name } = await startReady({ rotation: { strategy: 'DualRole', overlap: '5m' } })
        const before = await stage.keys(name)
        await stage.patch(name, { rotation: { trigger: 'one' } })
        await stage.until('the rotation', async () => (await stage.status(name)).lastRotationTrigger === 'one')
        await stage.app(name, 'SELECT 1', before)
        await stage.patch(name, { rotation: { strategy: 'InPlace', trigger: 'two' } })
        await stage.until('the other', async () => (await stage.status(name)).lastRotationTrigger === 'two')
        await expect(stage.app(name, 'SELECT 1', before)).rejects.toThrow(/authentication failed/)
        await stage.app(name, 'SELECT 1')
      })

      it('on time, and ends the overlap on time, however long the cadence is', async () => {
        const rotation = { interval: '1h', strategy: 'DualRole', overlap: '10m' }
        const { stage, name, database } = await startReady({ rotation })
        // A jump of the clock leaves a server no time to answer, so no observation may run meanwhile.
        const rarely = { metadata: { annotations: { 'konverge.dev/reconcile-interval': '24h' } } }
        await stage.cluster.patch(Database, `${home}/${database}`, rarely)
        await stage.cluster.patch(DatabaseUser, `${home}/${name}`, rarely)
        await stage.pass(20_000)
        const untilMs = Date.parse((await stage.status(name)).nextRotationAt ?? '') - stage.cluster.clock.now()
        await stage.cluster.advance(untilMs - 10_000)
        expect((await stage.status(name)).passwordGeneration).toBe(1)
        await stage.until('the rotation', async () => (await stage.status(name)).passwordGeneration === 2)
        await stage.becomes(name, 'Ready', 'True InSync')
        const [, old] = (await stage.status(name)).loginRoles ?? []
        await stage.cluster.advance(Date.parse(old?.validUntil ?? '') - stage.cluster.clock.now() - 10_000)
        expect(await roles(name)).toHaveLength(3)
        await stage.until('the old role to go', async () => (await roles(name)).length === 2)
      })

      it('when its Secret is deleted: a new password is set and reported', async () => {
        const { stage, name } = await startReady()
        const before = await stage.keys(name)
        await stage.cluster.delete(Secret, `${home}/${name}-db`)
        await stage.until('a new Secret', async () => (await stage.status(name)).passwordGeneration === 2)
        await stage.becomes(name, 'Ready', 'True InSync')
        expect((await stage.keys(name))?.['password']).not.toBe(before?.['password'])
        await stage.app(name, 'SELECT 1')
        expect((await stage.events(name)).join('\n')).toContain('PasswordRemade')
      })

      it('when its Secret is edited, which may be a mistake', async () => {
        const { stage, name } = await startReady()
        await stage.secret(`${name}-db`, { password: secretText('by hand') })
        await stage.until('a new password', async () => (await stage.status(name)).passwordGeneration === 2)
        await stage.becomes(name, 'Ready', 'True InSync')
        await stage.app(name, 'SELECT 1')
      })

      it('also when the drift policy is Report', async () => {
        const { stage, name } = await startReady({ driftPolicy: 'Report' })
        await server().byHand(`ALTER ROLE ${name}_a CONNECTION LIMIT 7`)
        await stage.patch(name, { password: { generate: { length: 40 } }, rotation: { trigger: 'one' } })
        await stage.until('the rotation', async () => (await stage.status(name)).passwordGeneration === 2)
        await stage.cluster.delete(Secret, `${home}/${name}-db`)
        await stage.until('another', async () => (await stage.status(name)).passwordGeneration === 3)
        await stage.app(name, 'SELECT 1')
      })
    })

    describe('with a supplied password', () => {
      it('logs in with it, follows its changes, and reports when it is missing or unusable', async () => {
        const { stage, name } = await start({ password: { secretRef: { name: 'mine' } } })
        await stage.becomes(name, 'Ready', 'False SourceMissing')
        await stage.secret('mine', { password: 'first-password\n' })
        await stage.becomes(name, 'Ready', 'True InSync')
        expect(await stage.keys(name)).toMatchObject({ password: 'first-password' })
        await stage.secret('mine', { password: 'second-password' })
        await stage.until('the second', async () => (await stage.keys(name))?.['password'] === 'second-password')
        await stage.app(name, 'SELECT 1')
        await stage.secret('mine', { password: `naïve ${secretText('naïve')}` })
        await stage.becomes(name, 'Ready', 'False InvalidPassword')
        await stage.app(name, 'SELECT 1')
      })

      it('may have a verifier whose password is unknown', async () => {
        const { stage, name, database } = await start({ password: { secretRef: { name: 'verifier' } } })
        await stage.secret('verifier', { password: scramVerifier({ password: 'unseen', salt: Buffer.alloc(16, 3) }) })
        await stage.becomes(name, 'Ready', 'True InSync')
        expect(await stage.condition(name, 'LoginVerified')).toMatchObject({
          status: 'Unknown',
          reason: 'PasswordUnknown',
        })
        await server().byHand('SELECT 1', { user: `${name}_a`, password: 'unseen', database })
      })
    })

    it('has neither a login nor a Secret when logins are disabled', async () => {
      const { stage, name } = await startReady()
      await stage.patch(name, { password: { disabled: true } })
      await stage.becomes(name, 'Ready', 'True InSync')
      await stage.until('the Secret to go', async () => (await stage.keys(name)) === undefined)
      expect(await roles(name)).toEqual([{ rolname: name }])
    })

    it('leaves an unmanaged Secret of its name alone, and continues when that is gone', async () => {
      const name = nextName()
      const stage = await UserStage.start(server(), `${name}db`)
      await stage.secret(`${name}-db`, { password: secretText('theirs') })
      await stage.create(name, { databases: [{ name: `${name}db`, access: 'ReadOnly' }] })
      await stage.becomes(name, 'SecretReady', 'False NameConflict')
      expect(await stage.keys(name)).toEqual({ password: secretText('theirs') })
      expect(await roles(name)).toEqual([])
      await stage.cluster.delete(Secret, `${home}/${name}-db`)
      await stage.becomes(name, 'Ready', 'True InSync')
    })

    it('reports drift when the drift policy is Report', async () => {
      const { stage, name, database } = await startReady({ driftPolicy: 'Report' })
      await server().byHand(`REVOKE USAGE ON SCHEMA public FROM ${name}; GRANT CREATE ON SCHEMA public TO ${name}`, {
        database,
      })
      await stage.look(name)
      expect(await stage.becomes(name, 'Ready', 'False MissingGrants')).toContain('USAGE')
      await stage.patch(name, { driftPolicy: 'Correct' })
      await stage.becomes(name, 'Ready', 'True InSync')
    })

    describe('that is deleted', () => {
      it('is removed with its roles and its Secret', async () => {
        const { stage, name } = await startReady()
        await stage.delete(name)
        expect(await roles(name)).toEqual([])
        await stage.until('the Secret to go', async () => (await stage.keys(name)) === undefined)
      })

      it('reports what it owns when it may not give that away', async () => {
        const { stage, name, database } = await startReady({ ownedObjects: 'Block' })
        await server().byHand(`CREATE TABLE mine (n int); ALTER TABLE mine OWNER TO ${name}`, { database })
        await stage.cluster.delete(DatabaseUser, `${home}/${name}`)
        await stage.until('the block', async () => {
          const blocked = await stage.condition(name, 'DeletionBlocked')
          return (
            blocked?.reason === 'DependentObjects' && blocked.message.includes(`owns 1 objects in database ${database}`)
          )
        })
        await server().byHand('DROP TABLE mine', { database })
        await stage.until('it to go', async () => (await stage.find(name)) === undefined, 600_000)
        expect(await roles(name)).toEqual([])
      })

      it('is removed with its roles in either order of deletion, and its Database waits for it', async () => {
        const { stage, name, database } = await startReady()
        const key = `${home}/${database}`
        await stage.cluster.delete(Database, key)
        await stage.until('the Database to wait', async () => {
          const blocked = await stage.cluster.condition(Database, key, 'DeletionBlocked')
          return blocked?.reason === 'HasDependents' && blocked.message.includes(`${home}/${name}`)
        })
        await stage.app(name, 'SELECT 1')
        await stage.delete(name)
        expect(await roles(name)).toEqual([])
        await stage.until('the Database to go', async () => (await stage.cluster.find(Database, key)) === undefined)
        expect((await stage.events(name)).join('\n')).not.toContain('Kept')
      })

      it('is removed with its roles when it is deleted together with its Database', async () => {
        const { stage, name, database } = await startReady()
        await stage.cluster.delete(Database, `${home}/${database}`)
        await stage.delete(name)
        expect(await roles(name)).toEqual([])
      })

      it('does not block a Database that has not admitted it', async () => {
        const name = nextName()
        const stage = await UserStage.start(server())
        await stage.namespace(`${name}-data`)
        const key = `${name}-data/${name}db`
        await stage.database(`${name}db`, { allowedNamespaces: { names: ['other'] } }, `${name}-data`)
        await stage.databaseReady(`${name}db`, `${name}-data`)
        await stage.create(name, {
          databases: [{ name: `${name}db`, namespace: `${name}-data`, access: 'ReadOnly' as const }],
        })
        await stage.becomes(name, 'Ready', 'False NotAllowed')
        await stage.cluster.delete(Database, key)
        await stage.until('the Database to go', async () => (await stage.cluster.find(Database, key)) === undefined)
      })

      it('leaves its roles and reports it when its Database was abandoned', async () => {
        const { stage, name, database } = await startReady()
        const key = `${home}/${database}`
        await stage.cluster.patch(Database, key, { metadata: { annotations: { [abandonAnnotation]: 'true' } } })
        await stage.cluster.delete(Database, key)
        await stage.until('the Database to go', async () => (await stage.cluster.find(Database, key)) === undefined)
        await stage.becomes(name, 'Ready', 'False DatabaseMissing')
        await stage.app(name, 'SELECT 1')
        await stage.delete(name)
        expect((await stage.events(name)).join('\n')).toMatch(/Kept: .*there is no Database/)
        expect(await roles(name)).toHaveLength(2)
      })

      it('leaves its roles and reports where when it is abandoned itself', async () => {
        const { stage, name } = await startReady()
        const keys = await stage.keys(name)
        await stage.cluster.patch(DatabaseUser, `${home}/${name}`, abandoned)
        await stage.delete(name)
        expect((await stage.events(name)).join('\n')).toMatch(/Kept: .*stay on 127\.0\.0\.1:\d+ and can still log in/)
        await stage.app(name, 'SELECT 1', keys)
        expect(await roles(name)).toHaveLength(2)
      })

      it('in another namespace than its Database’s cannot be abandoned', async () => {
        const name = nextName()
        const stage = await UserStage.start(server())
        await stage.namespace(`${name}-data`)
        await stage.database(`${name}db`, { allowedNamespaces: { names: [home] } }, `${name}-data`)
        await stage.databaseReady(`${name}db`, `${name}-data`)
        const databases = [{ name: `${name}db`, namespace: `${name}-data`, access: 'ReadOnly' as const }]
        await stage.create(name, { databases })
        await stage.becomes(name, 'Ready', 'True InSync')
        await stage.cluster.patch(DatabaseUser, `${home}/${name}`, abandoned)
        await stage.cluster.delete(DatabaseUser, `${home}/${name}`)
        await stage.becomes(name, 'DeletionBlocked', 'True AbandonmentRefused')
        const taken = { metadata: { annotations: { [abandonAnnotation]: null } } }
        await stage.cluster.patch(DatabaseUser, `${home}/${name}`, taken)
        await stage.delete(name)
        expect(await roles(name)).toEqual([])
      })

      it('does not wait for a connection Secret that is gone', async () => {
        const { stage, name } = await startReady()
        await stage.cluster.delete(Secret, `${home}/server`)
        await stage.delete(name)
        expect((await stage.events(name)).join('\n')).toMatch(/Kept: .*Secret server/)
      })

      it('keeps its roles without a login when the policy is Retain', async () => {
        const { stage, name } = await startReady({ deletionPolicy: 'Retain' })
        const keys = await stage.keys(name)
        await stage.delete(name)
        expect(await roles(name)).toHaveLength(2)
        await expect(stage.app(name, 'SELECT 1', keys)).rejects.toThrow(/not permitted to log in/)
      })
    })
  },
  { settings: { log_statement: 'all' } },
)
