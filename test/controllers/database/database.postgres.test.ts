// Life of a Database on a real server: creation, drift, adoption, deletion.
import { describe, expect, it } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { home } from '../postgres-stage.ts'
import { DatabaseStage } from './database-stage.ts'
import { lastBackup, tellProven } from './told-backup.ts'

/** Observes every 10 s, the shortest interval, to find drift soon. */
const often = { metadata: { annotations: { 'konverge.dev/reconcile-interval': '10s' } } }

async function databaseOf(server: PostgresServer, name: string) {
  const [found] = await server.byHand(
    `SELECT oid::int, pg_get_userbyid(datdba) AS owner, datconnlimit AS limit, datallowconn AS "isOpen",
            EXISTS (SELECT FROM aclexplode(datacl) WHERE grantee = 0) OR datacl IS NULL AS "isPublic"
       FROM pg_database WHERE datname = $1`,
    { values: [name] },
  )
  return found
}

async function rolesLike(server: PostgresServer, pattern: string): Promise<readonly unknown[]> {
  const found = await server.byHand('SELECT rolname FROM pg_roles WHERE rolname LIKE $1 ORDER BY 1', {
    values: [pattern],
  })
  return found.map(({ rolname }) => rolname)
}

/** Returns the number of sessions without those of the operator. */
async function sessionsIn(server: PostgresServer, name: string): Promise<number> {
  const found = await server.byHand(
    `SELECT FROM pg_stat_activity WHERE datname = $1 AND application_name = 'by hand'`,
    { values: [name] },
  )
  return found.length
}

onEachPostgres('a Database', (server) => {
  it('is created with its own owner, is closed to all other roles, and is configured as requested', async () => {
    const stage = await DatabaseStage.start(server())
    const extensions = [{ name: 'pgcrypto', schema: 'api' }]
    await stage.create('made-1', { extensions, schemas: [{ name: 'api' }], connectionLimit: 20 })
    await stage.becomes('made-1', 'Ready', 'True InSync')
    expect(await databaseOf(server(), 'made_1')).toMatchObject({
      ...{ owner: 'made_1_owner', limit: 20, isOpen: true, isPublic: false },
    })
    const inside = { database: 'made_1' }
    const [schema] = await server().byHand(
      `SELECT nspowner::regrole::text AS owner FROM pg_namespace WHERE nspname = 'api'`,
      inside,
    )
    expect(schema).toEqual({ owner: 'made_1_owner' })
    const [extension] = await server().byHand(
      `SELECT extnamespace::regnamespace::text AS schema FROM pg_extension WHERE extname = 'pgcrypto'`,
      inside,
    )
    expect(extension).toEqual({ schema: 'api' })
    await server().byHand(`CREATE ROLE stranger LOGIN PASSWORD 'stranger'`)
    const stranger = { ...inside, user: 'stranger', password: 'stranger' }
    await expect(server().byHand('SELECT 1', stranger)).rejects.toThrow('permission denied for database')
    expect(await stage.status('made-1')).toMatchObject({
      ...{ phase: 'Ready', databaseName: 'made_1', provider: 'Server', observed: { owner: 'made_1_owner' } },
      endpoint: { host: '127.0.0.1', port: server().port },
    })
    expect(await stage.events('Created')).toEqual(['database "made_1" was created'])
  })

  it('costs two statements per observation and no write while nothing changes', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.create('rest', { extensions: [{ name: 'pgcrypto' }], schemas: [{ name: 'api' }] })
    await stage.becomes('rest', 'Ready', 'True InSync')
    await stage.pass(60_000)
    const [statements, writes] = [stage.engines.statements.length, stage.operator.way.writes.length]
    await stage.pass(240_000)
    expect(stage.engines.statements).toHaveLength(statements)
    await stage.pass(120_000)
    expect(stage.engines.statements.slice(statements)).toHaveLength(2)
    expect(stage.operator.way.writes).toHaveLength(writes)

    await stage.kill()
    await stage.live()
    await stage.pass(30_000)
    expect(stage.engines.statements.slice(statements + 2)).toHaveLength(2)
    expect(stage.operator.way.writes).toHaveLength(writes)
  })

  it('reports whether a Backup backs it up, as soon as the Backup reports it', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.create('saved')
    expect(await stage.becomes('saved', 'BackedUp', 'False Never')).toBe('no Backup saves it')
    const spec = { databaseRef: { name: 'saved' }, target: { pvc: { claimName: 'backups' } } }
    await stage.cluster.create(Backup, { metadata: { name: 'once', namespace: home }, spec })
    await tellProven(stage, await lastBackup(stage), 'saved')
    expect(await stage.becomes('saved', 'BackedUp', 'True LastBackupFresh')).toMatch(/^Backup once was complete at/)
    await stage.becomes('saved', 'Ready', 'True InSync')
    await stage.cluster.delete(Backup, `${home}/once`)
    await stage.becomes('saved', 'BackedUp', 'False Never')
  })

  it.each(['select', 'user', 'a-b', '_', `l${'o'.repeat(56)}`, '0'.padStart(3, 'x')])(
    'may have the name %s',
    async (databaseName) => {
      const stage = await DatabaseStage.start(server())
      await stage.create('named', { databaseName, deletionPolicy: 'Delete' })
      await stage.becomes('named', 'Ready', 'True InSync')
      expect(await databaseOf(server(), databaseName)).toMatchObject({ owner: `${databaseName}_owner` })
      await stage.delete('named')
      expect(await databaseOf(server(), databaseName)).toBeUndefined()
    },
  )

  describe('that is changed by hand', () => {
    const inside = 'drift'
    const drifts = [
      ['ALTER DATABASE drift OWNER TO postgres', '', 'database drift belongs to postgres instead of drift_owner'],
      ['ALTER DATABASE drift CONNECTION LIMIT 3', '', 'the connection limit is 3 instead of -1'],
      ['ALTER DATABASE drift ALLOW_CONNECTIONS false', '', 'database drift takes no connections'],
      ['GRANT CONNECT ON DATABASE drift TO PUBLIC', '', 'everybody has CONNECT on database drift'],
      [`COMMENT ON DATABASE drift IS 'mine'`, '', 'database drift does not say whose it is'],
      [`COMMENT ON ROLE drift_owner IS NULL`, '', 'role drift_owner does not say whose it is'],
      ['ALTER ROLE drift_owner LOGIN CREATEDB', '', 'role drift_owner may log in, create databases'],
      ['DROP EXTENSION pgcrypto', inside, 'extension pgcrypto is missing'],
      ['ALTER EXTENSION pgcrypto SET SCHEMA public', inside, 'extension pgcrypto is in schema public instead of api'],
      ['DROP SCHEMA api CASCADE', inside, 'schema api is missing; extension pgcrypto is missing'],
      ['ALTER SCHEMA api OWNER TO postgres', inside, 'schema api belongs to postgres instead of drift_owner'],
      ['GRANT CREATE ON SCHEMA public TO PUBLIC', inside, 'everybody may create objects in schema public'],
    ] as const

    it('is corrected, and the correction is reported', { timeout: 300_000 }, async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('drift', { extensions: [{ name: 'pgcrypto', schema: 'api' }], schemas: [{ name: 'api' }] })
      await stage.patch('drift', often)
      await stage.becomes('drift', 'Ready', 'True InSync')
      for (const [change, database, message] of drifts) {
        await server().byHand(change, database === '' ? {} : { database })
        const told = `database "drift" was put right: ${message}`
        await stage.until(told, async () =>
          (await stage.events('DriftCorrected')).some((note) => note.startsWith(told)),
        )
        expect((await stage.status('drift')).lastDriftCorrection?.message).toContain(message)
        const corrected = (await stage.events('DriftCorrected')).length
        await stage.pass(25_000)
        expect(await stage.events('DriftCorrected'), message).toHaveLength(corrected)
        expect(await stage.condition('drift', 'Ready')).toMatchObject({ reason: 'InSync' })
      }
    })

    it('is only reported when the policy is Report, and corrected with the next change of the spec', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('report', { driftPolicy: 'Report' })
      await stage.patch('report', often)
      await stage.becomes('report', 'Ready', 'True InSync')
      await server().byHand('ALTER DATABASE report CONNECTION LIMIT 3')
      await stage.becomes('report', 'Drifted', 'True ConnectionLimitChanged')
      expect(await stage.condition('report', 'Ready')).toMatchObject({ status: 'True', reason: 'Drifted' })
      expect(await stage.events('ConnectionLimitChanged')).toEqual(['the connection limit is 3 instead of -1'])
      await stage.pass(60_000)
      expect(await databaseOf(server(), 'report')).toMatchObject({ limit: 3 })
      await stage.patch('report', { spec: { connectionLimit: 7 } })
      await stage.becomes('report', 'Drifted', 'False InSync')
      expect(await databaseOf(server(), 'report')).toMatchObject({ limit: 7 })
      expect(await stage.events('DriftCorrected')).toEqual([])
    })

    it('keeps settings that the spec no longer names, and those it never named', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('kept', { extensions: [{ name: 'pgcrypto' }], schemas: [{ name: 'api' }] })
      await stage.patch('kept', often)
      await stage.becomes('kept', 'Ready', 'True InSync')
      await server()
        .byHand('CREATE SCHEMA own; CREATE EXTENSION citext', { database: 'kept' })
        .catch(() => undefined)
      await server().byHand('CREATE SCHEMA IF NOT EXISTS own', { database: 'kept' })
      await stage.patch('kept', { spec: { extensions: null, schemas: null } })
      await stage.until('both to be left', async () => (await stage.find('kept'))?.metadata.generation === 2)
      await stage.becomes('kept', 'Ready', 'True InSync')
      await stage.pass(30_000)
      const schemas = await server().byHand(
        `SELECT nspname FROM pg_namespace WHERE nspname IN ('api', 'own') ORDER BY 1`,
        { database: 'kept' },
      )
      expect(schemas).toEqual([{ nspname: 'api' }, { nspname: 'own' }])
      expect(
        await server().byHand(`SELECT FROM pg_extension WHERE extname = 'pgcrypto'`, { database: 'kept' }),
      ).toHaveLength(1)
    })
  })

  describe('that no longer exists', () => {
    it('is reported, and recreated only on request', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('gone')
      await stage.patch('gone', often)
      await stage.becomes('gone', 'Ready', 'True InSync')
      const { providerID } = await stage.status('gone')
      await server().byHand('DROP DATABASE gone WITH (FORCE)')
      expect(await stage.becomes('gone', 'Ready', 'False Vanished')).toContain(providerID)
      expect(await stage.condition('gone', 'Drifted')).toMatchObject({ status: 'True', reason: 'Vanished' })
      expect(await stage.condition('gone', 'Stalled')).toMatchObject({ status: 'True' })
      expect(await stage.events('Vanished')).toHaveLength(1)
      await stage.pass(60_000)
      expect(await databaseOf(server(), 'gone')).toBeUndefined()
      await stage.patch('gone', { spec: { recreateIfMissing: true } })
      await stage.becomes('gone', 'Ready', 'True InSync')
      expect(await databaseOf(server(), 'gone')).toMatchObject({ owner: 'gone_owner', isPublic: false })
      expect((await stage.status('gone')).providerID).not.toBe(providerID)
    })

    it('does not adopt a database of the same name, until that is requested', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('replaced')
      await stage.patch('replaced', often)
      await stage.becomes('replaced', 'Ready', 'True InSync')
      await server().byHand('DROP DATABASE replaced WITH (FORCE)')
      await server().byHand('CREATE DATABASE replaced OWNER replaced_owner')
      await stage.becomes('replaced', 'Ready', 'False IdentityChanged')
      await stage.pass(30_000)
      expect(await databaseOf(server(), 'replaced')).toMatchObject({ isPublic: true })
      await stage.patch('replaced', { spec: { adoptionPolicy: 'Adopt' } })
      await stage.becomes('replaced', 'Ready', 'True InSync')
      expect(await databaseOf(server(), 'replaced')).toMatchObject({ isPublic: false })
    })
  })

  describe('with a taken name', () => {
    it('leaves a role of that name alone, and continues when it is gone', async () => {
      const stage = await DatabaseStage.start(server())
      await server().byHand('CREATE ROLE taken_owner LOGIN')
      await stage.create('taken')
      await stage.patch('taken', often)
      expect(await stage.becomes('taken', 'Ready', 'False NotOwned')).toContain('role taken_owner on 127.0.0.1')
      expect(await databaseOf(server(), 'taken')).toBeUndefined()
      await server().byHand('DROP ROLE taken_owner')
      await stage.becomes('taken', 'Ready', 'True InSync')
    })

    it('leaves a database of that name alone, until it may be adopted', async () => {
      const stage = await DatabaseStage.start(server())
      await server().byHand('CREATE DATABASE foreign_one')
      await stage.create('foreign-one')
      await stage.becomes('foreign-one', 'Ready', 'False NotOwned')
      await stage.pass(30_000)
      expect(await databaseOf(server(), 'foreign_one')).toMatchObject({ owner: 'postgres', isPublic: true })
      await stage.patch('foreign-one', { spec: { adoptionPolicy: 'Adopt' } })
      await stage.becomes('foreign-one', 'Ready', 'True InSync')
      expect(await databaseOf(server(), 'foreign_one')).toMatchObject({ owner: 'foreign_one_owner', isPublic: false })
      expect(await stage.events('Adopted')).toHaveLength(1)
    })

    it('does not adopt a database with another encoding, which no change can correct', async () => {
      const stage = await DatabaseStage.start(server())
      await server().byHand(`CREATE DATABASE odd_one TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`)
      await stage.create('odd-one', { encoding: 'UTF8', adoptionPolicy: 'Adopt' })
      expect(await stage.becomes('odd-one', 'Ready', 'False EncodingDiffers')).toContain('LATIN1 instead of UTF8')
      expect(await databaseOf(server(), 'odd_one')).toMatchObject({ owner: 'postgres', isPublic: true })
      await stage.delete('odd-one')
      await stage.create('odd-one', { encoding: 'LATIN1', locale: 'POSIX', adoptionPolicy: 'Adopt' })
      await stage.becomes('odd-one', 'Ready', 'True InSync')
    })

    it('leaves it to the first Database of that name', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('first', { databaseName: 'both' })
      await stage.becomes('first', 'Ready', 'True InSync')
      await stage.create('second', { databaseName: 'both', deletionPolicy: 'Delete' })
      expect(await stage.becomes('second', 'Ready', 'False NotOwned')).toContain('belongs to Database shop/first (uid ')
      await stage.delete('second')
      expect(await databaseOf(server(), 'both')).toMatchObject({ owner: 'both_owner' })
      expect(await stage.condition('first', 'Ready')).toMatchObject({ reason: 'InSync' })
    })
  })

  describe('that is deleted', () => {
    it('stays when the policy is Retain, and can be adopted again', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('retained')
      await stage.becomes('retained', 'Ready', 'True InSync')
      await server().byHand('CREATE TABLE precious (id int)', { database: 'retained' })
      await stage.delete('retained')
      const [note] = await stage.events('Kept')
      expect(note).toMatch(
        /^database "retained" stays: on 127\.0\.0\.1:\d+, pg:.*adoptionPolicy Adopt and this name takes it up again$/,
      )
      await stage.create('retained')
      await stage.becomes('retained', 'Ready', 'False NotOwned')
      await stage.patch('retained', { spec: { adoptionPolicy: 'Adopt' } })
      await stage.becomes('retained', 'Ready', 'True InSync')
      expect(await server().byHand('SELECT FROM precious', { database: 'retained' })).toEqual([])
    })

    it('is removed with its sessions and its owner when the policy is Delete', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('dropped', { deletionPolicy: 'Delete', schemas: [{ name: 'api' }] })
      await stage.becomes('dropped', 'Ready', 'True InSync')
      const sleeper = server().byHand('SELECT pg_sleep(60)', { database: 'dropped' })
      await stage.until('somebody to be connected', async () => (await sessionsIn(server(), 'dropped')) > 0)
      const ended = expect(sleeper).rejects.toThrow('terminating connection due to administrator command')
      await stage.delete('dropped')
      await ended
      expect(await databaseOf(server(), 'dropped')).toBeUndefined()
      expect(await rolesLike(server(), 'dropped%')).toEqual([])
      expect(await stage.events('Removed')).toEqual(['database "dropped" was removed'])
    })

    it('waits for the DatabaseUsers that use it', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('used', { deletionPolicy: 'Delete' })
      await stage.becomes('used', 'Ready', 'True InSync')
      await stage.user('app', 'used')
      await stage.startDelete('used')
      expect(await stage.becomes('used', 'DeletionBlocked', 'True HasDependents')).toBe(
        'DatabaseUser shop/app use the database; delete them first',
      )
      await stage.pass(60_000)
      expect(await databaseOf(server(), 'used')).toBeDefined()
      await stage.deleteUser('app')
      await stage.until('used to be gone', async () => (await stage.find('used')) === undefined, 5_000)
      expect(await databaseOf(server(), 'used')).toBeUndefined()
    })

    it('waits while its owner owns objects elsewhere, and reports them', async () => {
      const stage = await DatabaseStage.start(server())
      await server().byHand('CREATE DATABASE elsewhere')
      await stage.create('owning', { deletionPolicy: 'Delete' })
      await stage.becomes('owning', 'Ready', 'True InSync')
      await server().byHand('CREATE TABLE theirs (id int); ALTER TABLE theirs OWNER TO owning_owner', {
        database: 'elsewhere',
      })
      await stage.startDelete('owning')
      expect(await stage.becomes('owning', 'DeletionBlocked', 'True HasDependents')).toContain(
        '1 object in database elsewhere',
      )
      await server().byHand('DROP TABLE theirs', { database: 'elsewhere' })
      await stage.until('owning to be gone', async () => (await stage.find('owning')) === undefined)
      expect(await rolesLike(server(), 'owning%')).toEqual([])
    })

    it('leaves nothing behind when it did not exist yet', async () => {
      const stage = await DatabaseStage.start(server())
      stage.engines.judge = ({ text }) => (text.startsWith('CREATE DATABASE') ? 'cutBefore' : 'pass')
      await stage.create('unborn', { deletionPolicy: 'Delete' })
      await stage.until('its owner to be there', async () => (await rolesLike(server(), 'unborn%')).length === 1)
      await stage.startDelete('unborn')
      await stage.until('unborn to be gone', async () => (await stage.find('unborn')) === undefined)
      expect(await rolesLike(server(), 'unborn%')).toEqual([])
    })

    it('is released when its server is gone and it is abandoned', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('lost', { deletionPolicy: 'Delete' })
      await stage.becomes('lost', 'Ready', 'True InSync')
      await stage.deleteSecret('server')
      await stage.startDelete('lost')
      await stage.becomes('lost', 'DeletionBlocked', 'True SecretNotFound')
      await stage.patch('lost', { metadata: { annotations: { 'konverge.dev/abandon-external': 'true' } } })
      await stage.until('lost to be gone', async () => (await stage.find('lost')) === undefined, 5_000)
      expect(await databaseOf(server(), 'lost')).toBeDefined()
      expect(await stage.events('Kept')).toHaveLength(1)
    })
  })
})
