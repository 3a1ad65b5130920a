// A new server that bootstraps from the copy of another one, on real servers. Invariant: it starts with the complete
// copy or not at all.
// The worker fills the volume, a server starts on it as its StatefulSet would, and the test compares the contents.
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { clearVolume } from '../../../src/controllers/backup/fill-worker.ts'
import { readPhysicalManifest } from '../../../src/controllers/backup/physical-manifest.ts'
import { onPostgresOf, startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { noDisks, smallDisk } from '../../postgres/small-disk.ts'
import { never } from '../stores/contents.ts'
import { makeDatabase } from './backup-stage.ts'
import { flipped } from './disturbance.ts'
import { type FillStage, fillOrder, fillStage, password } from './fill-stage.ts'
import { fillVolume } from './fill-volume.ts'
import { type Files, filesOf, newestTool } from './physical-stage.ts'

/** Returns the rows of the tables and their owners. */
const sight = (database: string) =>
  [
    `SELECT count(*)::int AS orders, sum(id)::int AS ids, md5(string_agg(note, ',' ORDER BY id)) AS notes FROM public.orders`,
    `SELECT count(*)::int AS people, md5(string_agg(p::text, ',' ORDER BY id)) AS rows FROM api.people p`,
    `SELECT pg_get_userbyid(relowner) AS owner, count(*)::int FROM pg_class WHERE relnamespace::regnamespace::text = 'api' GROUP BY 1`,
  ].map((sql) => [sql, { database }] as const)

async function seen(server: PostgresServer, database: string): Promise<readonly unknown[]> {
  return await Promise.all(sight(database).map(([sql, at]) => server.byHand(sql, at)))
}

async function manifestIn({ at }: FillStage) {
  const reading = readPhysicalManifest(await readFile(join(at, 'manifest.json'), 'utf8'))
  if (reading.kind === 'refused') throw new Error(reading.fault)
  return reading.manifest
}

onPostgresOf(
  (major) => major <= newestTool,
  'a volume that is filled with a copy',
  (server, version) => {
    it('a filled volume holds a server with the same rows, which belongs to the new Database', async () => {
      const stage = await fillStage(server())
      const identity = await fillVolume(fillOrder(version), stage.tools, never)
      const { source } = await manifestIn(stage)
      expect(identity).toEqual({ systemIdentifier: source.systemIdentifier, databaseOid: source.databaseOid })
      expect(await stage.left()).toEqual(['pgdata'])
      const woken = await stage.wakeUp()
      const [before, after] = [await seen(server(), 'crm'), await seen(woken, 'copy')]
      expect(JSON.stringify(after)).toBe(JSON.stringify(before).replaceAll('crm_owner', 'copy_owner'))
      const [marked] = await woken.byHand(
        `SELECT pg_get_userbyid(datdba) AS owner, shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = 'copy'`,
      )
      expect(marked).toMatchObject({ owner: 'copy_owner', mark: expect.stringContaining('uid-of-copy') })
      expect(await woken.byHand(`SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname LIKE 'c%owner'`)).toEqual([
        { rolname: 'copy_owner', rolcanlogin: false },
      ])
      expect(woken.password).toBe(password)
      await expect(woken.byHand('SELECT 1', { password: server().password })).rejects.toThrow('password authentication')
    })

    it('a filled volume is left alone when a worker runs again', async () => {
      const stage = await fillStage(server())
      const first = await fillVolume(fillOrder(version), stage.tools, never)
      await writeFile(join(stage.volume, 'pgdata', 'since'), 'then')
      expect(await fillVolume(fillOrder(version), stage.tools, never)).toEqual(first)
      expect(await clearVolume(fillOrder(version), stage.volume)).toEqual(first)
      expect(await readFile(join(stage.volume, 'pgdata', 'since'), 'utf8')).toBe('then')
    })

    it('a volume is left alone when it holds files that are not from this restore', async () => {
      const stage = await fillStage(server())
      await mkdir(join(stage.volume, 'pgdata'))
      await writeFile(join(stage.volume, 'pgdata', 'PG_VERSION'), '15')
      const refused = {
        code: 'VolumeInUse',
        remedy: 'stop',
        message: /data-copy-postgres-0 holds data that this restore/,
      }
      const { message, ...words } = refused
      await expect(fillVolume(fillOrder(version), stage.tools, never)).rejects.toMatchObject({
        ...words,
        message: expect.stringMatching(message),
      })
      expect(await clearVolume(fillOrder(version), stage.volume)).toBeUndefined()
      expect(await readdir(join(stage.volume, 'pgdata'))).toEqual(['PG_VERSION'])
    })

    it('a volume is left alone when another Database has filled it', async () => {
      const stage = await fillStage(server())
      const order = fillOrder(version)
      await fillVolume(order, stage.tools, never)
      const other = { ...order, database: { ...order.database, uid: 'another' } }
      await expect(fillVolume(other, stage.tools, never)).rejects.toMatchObject({ code: 'VolumeInUse' })
      expect(await clearVolume(other, stage.volume)).toBeUndefined()
    })

    it('a volume loses the files that a dead worker has left', async () => {
      const stage = await fillStage(server())
      await mkdir(join(stage.volume, 'lost+found'))
      await mkdir(join(stage.volume, 'konverge-restore-dead', 'data'), { recursive: true })
      await fillVolume(fillOrder(version), stage.tools, never)
      expect(await stage.left()).toEqual(['lost+found', 'pgdata'])
    })

    it.each<[string, (files: Files) => Promise<unknown>, string, RegExp]>([
      [
        'was cut off',
        ({ artifact, bytes }) => truncate(artifact, bytes.length - 1),
        'ChecksumMismatch',
        /bytes instead of/,
      ],
      [
        'was cut off in the middle',
        ({ artifact, bytes }) => truncate(artifact, bytes.length >> 1),
        'ChecksumMismatch',
        /bytes instead of/,
      ],
      [
        'has another bit',
        ({ artifact, bytes }) => writeFile(artifact, flipped(bytes, bytes.length >> 1)),
        'ChecksumMismatch',
        /was changed/,
      ],
      [
        'has bytes behind its end',
        ({ artifact, bytes }) => writeFile(artifact, Buffer.concat([bytes, Buffer.from('more')])),
        'ChecksumMismatch',
        /has more than \d+ bytes/,
      ],
      [
        'is something else',
        ({ replace }) => replace(Buffer.from('no copy')),
        'ManifestRefused',
        /is as it was stored, and cannot be unpacked by gzip/,
      ],
      [
        'is of another version',
        ({ seal, manifest }) => seal({ source: { ...manifest.source, majorVersion: 14 } }),
        'VersionMismatch',
        /of a server of version 14, whose files .* make the Database with version '14'/,
      ],
      [
        'is of a database that is not in it',
        ({ seal, manifest }) => seal({ source: { ...manifest.source, database: 'gone' } }),
        'SourceIdentityChanged',
        /"gone" that was saved is not in the copy/,
      ],
      [
        'has a file that is not what its list says',
        ({ change }) => change((data) => writeFile(join(data, 'PG_VERSION'), '15\n\n')),
        'RestoreFailed',
        /pg_verifybackup failed/,
      ],
    ])('a volume is left empty when the copy %s', async (_what, damage, code, message) => {
      const stage = await fillStage(server())
      await damage(await filesOf(stage.at, await manifestIn(stage)))
      await expect(fillVolume(fillOrder(version), stage.tools, never)).rejects.toMatchObject({
        ...{ code, remedy: 'stop' },
        message: expect.stringMatching(message),
      })
      expect(await stage.left()).toEqual([])
    })

    it('a volume is left empty when a query on the copy returns another result', async () => {
      const stage = await fillStage(server())
      const order = { ...fillOrder(version), queries: [{ sql: 'SELECT 1', expect: '2' }] }
      await expect(fillVolume(order, stage.tools, never)).rejects.toMatchObject({ code: 'QueryFailed' })
      expect(await stage.left()).toEqual([])
    })

    it('filling a volume reports when the volume has no space', async ({ skip }) => {
      const small = await smallDisk('8m')
      if (small === undefined) return skip(noDisks)
      const stage = await fillStage(server())
      await expect(fillVolume(fillOrder(version), { ...stage.tools, volume: small }, never)).rejects.toMatchObject({
        ...{ code: 'VolumeFull', remedy: 'stop' },
        message: expect.stringMatching(/larger provider.inCluster.storage.size/),
      })
      expect(await readdir(small)).toEqual([])
    })

    it('a filled server gives the database to a new owner when its owner was a superuser, who stays superuser', async () => {
      const own = await startPostgres({ version })
      const stage = await fillStage(own, async (made) => {
        await makeDatabase(made)
        await made.byHand('ALTER DATABASE crm OWNER TO postgres')
      })
      await fillVolume({ ...fillOrder(version), queries: [] }, stage.tools, never)
      const woken = await stage.wakeUp()
      const roles = await woken.byHand(
        `SELECT rolname, rolsuper, rolcanlogin FROM pg_roles WHERE rolname IN ('postgres', 'copy_owner') ORDER BY 1`,
      )
      expect(roles).toEqual([
        { rolname: 'copy_owner', rolsuper: false, rolcanlogin: false },
        { rolname: 'postgres', rolsuper: true, rolcanlogin: true },
      ])
    })

    it('a filled server has none of the subscriptions of the copied server', async () => {
      const own = await startPostgres({ version })
      const stage = await fillStage(own, async (made) => {
        await makeDatabase(made)
        const sql = `CREATE SUBSCRIPTION follows CONNECTION 'host=127.0.0.1 port=1' PUBLICATION p WITH (connect = false)`
        await made.byHand(sql, { database: 'crm' })
      })
      await fillVolume(fillOrder(version), stage.tools, never)
      expect(await (await stage.wakeUp()).byHand('SELECT subname FROM pg_subscription')).toEqual([])
    })
  },
)
