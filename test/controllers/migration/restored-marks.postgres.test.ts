// Applied markers of Migrations in a restored database. Invariant: they equal the backup and belong to the
// administrator.
// The owner of the database cannot use them to run code as the administrator.
import { expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import type { MigrationStep } from '../../../src/controllers/engines/migration-step.ts'
import { loadMarks } from '../../../src/controllers/engines/postgres/migration/mark-loader.ts'
import { takeMigrationTarget } from '../../../src/controllers/engines/postgres/migration/migration-target-client.ts'
import { loadSqlParser } from '../../../src/controllers/engines/postgres/review/parser-loader.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { runMigration } from '../../../src/controllers/migration/migration-runner.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { makeLive, makeSmallDatabase, restoreStage } from '../backup/restore-stage.ts'
import { never } from '../stores/contents.ts'
import { sqlStep } from './steps.ts'

const first = sqlStep('CREATE TABLE api.first ()', { name: 'first' })
const second = sqlStep('CREATE TABLE api.second ()', { name: 'second' })

async function migrate(access: ServerAccess, steps: readonly MigrationStep[]) {
  const tools = { clock: systemClock, secrets: systemSecrets, parser: await loadSqlParser() }
  const place = { access, database: 'crm', owner: 'crm_owner', applicationName: 'konverge/test' }
  const options = { ...tools, ...place, migration: 'default/shop', lock: 'shop', holder: 'worker' }
  return runMigration(
    {
      order: {
        steps,
        onFailure: 'Stop',
        adoptsBaseline: false,
        retryToken: '',
        maxAttempts: 1,
        approval: { kind: 'Auto' },
      },
      ...{ findings: [], isRehearsed: false, isParting: false, clock: systemClock, onNews: () => undefined },
      patience: { lockWaitMs: 0, lockPollMs: 5, firstRetryMs: 5, maxLosses: 0 },
      take: (signal) => takeMigrationTarget(options, signal),
    },
    never,
  )
}

async function makeMigrated(server: PostgresServer): Promise<void> {
  await makeSmallDatabase(server)
  await migrate(server.access(), [first])
}

/** The owner of the database prepares them before its first Migration. */
async function makePrepared(server: PostgresServer): Promise<void> {
  await makeMigrated(server)
  const here = { database: 'crm' }
  await server.byHand(
    `ALTER SCHEMA _konverge OWNER TO crm_owner; ALTER TABLE _konverge.migration_steps OWNER TO crm_owner;
     ALTER TABLE _konverge.migration_lease OWNER TO crm_owner; ALTER TABLE _konverge.copy_progress OWNER TO crm_owner;
     SET ROLE crm_owner; CREATE TABLE public.caught (who text);
     CREATE FUNCTION public.catch() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN INSERT INTO public.caught VALUES (session_user); RETURN NEW; END $$;
     CREATE TRIGGER bait BEFORE INSERT OR UPDATE ON _konverge.migration_lease FOR EACH ROW EXECUTE FUNCTION public.catch()`,
    here,
  )
}

const marks = `SELECT c.relname AS name, pg_get_userbyid(c.relowner) AS owner, c.relacl IS NULL OR NOT EXISTS (
    SELECT FROM aclexplode(c.relacl) x WHERE x.grantee <> c.relowner) AS private
  FROM pg_class c WHERE c.relnamespace = '_konverge'::regnamespace AND c.relkind = 'r'
  UNION ALL SELECT n.nspname, pg_get_userbyid(n.nspowner), true FROM pg_namespace n WHERE n.nspname = '_konverge' ORDER BY 1`

onEachPostgres('marks in a database that was restored', (server) => {
  async function restored(make: (server: PostgresServer) => Promise<void>, access = server().access()) {
    const stage = await restoreStage(server(), access, make)
    await makeLive(server(), make)
    if (access.username !== 'postgres') await server().byHand(`GRANT crm_owner TO ${access.username} WITH ADMIN OPTION`)
    await restoreDatabase(await stage.inPlace(), stage.verificationTools(), never)
  }

  const marksOf = (access = server().access()) =>
    loadMarks(engineHere().at(access), { database: 'crm', migration: 'default/shop', admin: access.username })

  it('equal the backup, and belong to the administrator', async () => {
    await restored(makeMigrated)
    const names = ['_konverge', 'copy_progress', 'migration_lease', 'migration_steps']
    expect(await server().byHand(marks, { database: 'crm' })).toEqual(
      names.map((name) => ({ name, owner: 'postgres', private: true })),
    )
    expect(await marksOf()).toMatchObject([{ name: 'first', state: 'Applied' }])
    expect(await migrate(server().access(), [first, second])).toEqual({ kind: 'Completed' })
    expect((await marksOf()).map(({ name, state }) => `${name} ${state}`)).toEqual(['first Applied', 'second Applied'])
    const bait = 'SET ROLE crm_owner; CREATE RULE bait AS ON UPDATE TO _konverge.migration_lease DO ALSO SELECT 1'
    await expect(server().byHand(bait, { database: 'crm' })).rejects.toThrow(/permission denied|must be owner/)
  })

  it('belong also to an administrator that is not a superuser', async () => {
    await server().byHand(`CREATE ROLE humble LOGIN CREATEDB CREATEROLE PASSWORD 'of-the-test'`)
    const access = { ...server().access(), username: 'humble', password: 'of-the-test' }
    try {
      await restored(makeMigrated, access)
      const owners = await server().byHand(marks, { database: 'crm' })
      expect(new Set(owners.map(({ owner }) => owner))).toEqual(new Set(['humble']))
      expect(await migrate(access, [first, second])).toEqual({ kind: 'Completed' })
    } finally {
      await server().byHand('DROP DATABASE IF EXISTS crm WITH (FORCE)')
      await server().byHand('DROP DATABASE IF EXISTS crm_old_r1 WITH (FORCE); ')
      await server().byHand('DROP ROLE IF EXISTS crm_owner; DROP ROLE humble')
    }
  })

  it('are not trusted when the owner has prepared them, and none is lost', async () => {
    await restored(makePrepared)
    const refusal = {
      code: 'UntrustedMarks',
      message: expect.stringContaining('schema _konverge belongs to crm_owner'),
    }
    await expect(marksOf()).rejects.toMatchObject(refusal)
    await expect(migrate(server().access(), [first, second])).rejects.toMatchObject(refusal)
    expect(await server().byHand('SELECT who FROM caught', { database: 'crm' })).toEqual([])
    const kept = 'SELECT name FROM _konverge.migration_steps'
    expect(await server().byHand(kept, { database: 'crm' })).toEqual([{ name: 'first' }])
  })
})
