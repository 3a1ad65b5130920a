// Restore of extensions that require each other, and of rows that users added to extension tables. Two small extensions
// stand in for PostGIS.
import { expect, inject, it, onTestFinished } from 'vitest'
import { makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import { extendedHome } from '../../postgres/extended-home.ts'
import { onPostgresOf } from '../../postgres/on-each-postgres.ts'
import { PostgresServer } from '../../postgres/postgres-server.ts'
import { never } from '../stores/contents.ts'
import { backupStage, makeDatabase, order, verification } from './backup-stage.ts'
import { anew } from './restore-stage.ts'

/** The tools of this machine cannot dump newer servers. */
const newestTool = 15

/** An extension with a configuration table. It has the name of a real one. */
const zones = {
  name: 'postgis',
  control: [],
  script: `
    CREATE TABLE zone (id int PRIMARY KEY, name text);
    INSERT INTO zone VALUES (1, 'comes with it');
    CREATE SEQUENCE turns;
    SELECT pg_catalog.pg_extension_config_dump('zone', 'WHERE id > 1');
    SELECT pg_catalog.pg_extension_config_dump('turns', '');
    GRANT SELECT ON zone, turns TO PUBLIC;`,
}

/** Its name sorts before the name of the extension that it requires. */
const atlas = {
  name: 'address_standardizer_data_us',
  control: ["requires = 'postgis'"],
  script:
    'CREATE TABLE page (n int); CREATE SCHEMA atlas_own; CREATE TABLE atlas_own.plan (n int); ' +
    "SELECT pg_catalog.pg_extension_config_dump('atlas_own.plan', ''); GRANT SELECT ON atlas_own.plan TO PUBLIC;" +
    'GRANT USAGE ON SCHEMA atlas_own TO PUBLIC',
}

/** Extension whose rows a background worker runs. */
const jobs = {
  name: 'jobs',
  control: [],
  script: `CREATE TABLE job (owner name, command text); SELECT pg_catalog.pg_extension_config_dump('job', '');
    GRANT SELECT ON job TO PUBLIC`,
}

/** The script creates its schema and grants it to PUBLIC. The schema is not a member of the extension. */
const tolls = {
  name: 'tolls',
  control: ["schema = 'tolls'"],
  script: 'CREATE TABLE toll (n int); GRANT USAGE ON SCHEMA tolls TO PUBLIC',
}

const queries = [
  { sql: "SELECT string_agg(id || ' ' || name, ', ' ORDER BY id) FROM ext.zone", expect: '1 comes with it, 2 added' },
  { sql: 'SELECT last_value FROM ext.turns', expect: '7' },
  { sql: 'SELECT n FROM atlas_own.plan', expect: '5' },
]

onPostgresOf(
  (major) => major <= newestTool,
  'a backup of a database with extensions',
  (like, version) => {
    it('a restore creates extensions with their requirements, and restores the rows in their tables', async () => {
      const home = await extendedHome(inject('postgresHome'), like(), [zones, atlas])
      const server = await PostgresServer.start(home, { version })
      onTestFinished(() => server.remove())
      await makeDatabase(server)
      await server.byHand(
        `CREATE EXTENSION postgis SCHEMA ext; CREATE EXTENSION address_standardizer_data_us SCHEMA ext; INSERT INTO ext.zone VALUES (2, 'added');
        SELECT setval('ext.turns', 7); INSERT INTO atlas_own.plan VALUES (5)`,
        { database: 'crm' },
      )
      const stage = await backupStage(server.access())
      const { manifest } = await makeBackup(order, stage.backupTools(), never)
      expect(manifest.contents.extensions.map(({ name }) => name)).toEqual([
        ...['plpgsql', 'pgcrypto', zones.name, atlas.name],
      ])
      await verifyBackup({ ...verification, queries }, stage.verificationTools(), never)
      await server.byHand('DROP DATABASE crm')
      await server.byHand('DROP ROLE crm_owner')
      const source = { ...anew.source, queries } as const
      await restoreDatabase({ ...anew, source }, stage.verificationTools(), never)
      // The role that restored it keeps no privilege.
      const held =
        "SELECT count(*)::int AS of FROM aclexplode((SELECT relacl FROM pg_class WHERE oid = 'ext.zone'::regclass))"
      expect(await server.byHand(`${held} WHERE privilege_type = 'INSERT'`, { database: 'crm' })).toEqual([{ of: 1 }])
    })

    it('a restore writes to no table of an extension that may act upon its rows', async () => {
      const home = await extendedHome(inject('postgresHome'), like(), [jobs])
      const server = await PostgresServer.start(home, { version })
      onTestFinished(() => server.remove())
      await makeDatabase(server)
      await server.byHand("CREATE EXTENSION jobs SCHEMA ext; INSERT INTO ext.job VALUES ('postgres', 'DROP TABLE x')", {
        database: 'crm',
      })
      const stage = await backupStage(server.access())
      await makeBackup(order, stage.backupTools(), never)
      await expect(verifyBackup(verification, stage.verificationTools(), never)).rejects.toMatchObject({
        code: 'RestoreFailed',
        message: expect.stringMatching(/permission denied for table job/),
      })
    })

    it('a restore revokes from PUBLIC what the extension grants and the source had revoked', async () => {
      const home = await extendedHome(inject('postgresHome'), like(), [tolls])
      const server = await PostgresServer.start(home, { version })
      onTestFinished(() => server.remove())
      await makeDatabase(server)
      await server.byHand('CREATE EXTENSION tolls; REVOKE USAGE ON SCHEMA tolls FROM PUBLIC', { database: 'crm' })
      const stage = await backupStage(server.access())
      await makeBackup(order, stage.backupTools(), never)
      await verifyBackup(verification, stage.verificationTools(), never)
    })
  },
)
