// Restores with a fault of the artifact, the store, the tool or a disk. Invariant: the restore reports the fault in one
// sentence, the database stays unchanged and open, and nothing is left behind.
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Manifest, manifestText, newManifest, readManifest } from '../../../src/controllers/backup/manifest.ts'
import type { RestoreTools } from '../../../src/controllers/backup/restore-worker.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { giveToServer, noDisks, smallDisk } from '../../postgres/small-disk.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { never, sha256Of } from '../stores/contents.ts'
import { verification } from './backup-stage.ts'
import { makeLive, makeSmallDatabase, type RestoreStage, restoreStage, sightOf } from './restore-stage.ts'

/** A fault and the expected error. */
interface Fault {
  readonly does: (files: Files) => Promise<unknown>
  readonly code: string
  readonly told: RegExp
}

interface Files {
  readonly artifact: string
  readonly bytes: Buffer
  readonly manifest: Manifest
  writeManifest(changes: Partial<Manifest>): Promise<void>
  writeText(text: string): Promise<void>
}

const faults: Readonly<Record<string, Fault>> = {
  'was cut off': {
    does: ({ artifact, bytes }) => truncate(artifact, bytes.length - 1),
    code: 'ChecksumMismatch',
    told: /bytes instead of/,
  },
  'has another bit': {
    does: ({ artifact, bytes }) => writeFile(artifact, flipped(bytes, bytes.length >> 1)),
    code: 'ChecksumMismatch',
    told: /was changed/,
  },
  'is gone': { does: ({ artifact }) => rm(artifact), code: 'NotStored', told: /data-one\.dump/ },
  'is no dump, though its manifest says so': {
    does: async ({ artifact, manifest, writeManifest }) => {
      const bytes = Buffer.from('-- SQL of somebody')
      await writeFile(artifact, bytes)
      const { length: sizeBytes } = bytes
      await writeManifest({ artifact: { ...manifest.artifact, sizeBytes, sha256: sha256Of(bytes) } })
    },
    code: 'RestoreFailed',
    told: /pg_restore failed/,
  },
  'was cut off before its manifest was written': {
    does: async ({ artifact, bytes, manifest, writeManifest }) => {
      const half = bytes.subarray(0, bytes.length - 200)
      await writeFile(artifact, half)
      await writeManifest({ artifact: { ...manifest.artifact, sizeBytes: half.length, sha256: sha256Of(half) } })
    },
    code: 'RestoreFailed',
    told: /pg_restore failed/,
  },
  'is of another database': {
    does: ({ manifest, writeManifest }) =>
      writeManifest({ contents: { ...manifest.contents, tables: manifest.contents.tables.slice(1) } }),
    code: 'ManifestMismatch',
    told: /was not saved/,
  },
  'was written by a newer tool': {
    does: ({ manifest, writeManifest }) => writeManifest({ artifact: { ...manifest.artifact, toolVersion: '99.1' } }),
    code: 'VersionMismatch',
    told: /is too old for an artifact of version 99/,
  },
  'has a manifest of a later form': {
    does: ({ manifest, writeText }) =>
      writeText(manifestText(manifest).replace('konverge/logical-backup/1', 'konverge/logical-backup/2')),
    code: 'ManifestRefused',
    told: /which this version cannot read/,
  },
  'has a manifest that somebody edited': {
    does: ({ manifest, writeText }) => writeText(manifestText(manifest).replace('"rows": "1000"', '"rows": "1"')),
    code: 'ManifestRefused',
    told: /was changed/,
  },
  'has no manifest': {
    does: ({ writeText }) => writeText(''),
    code: 'ManifestRefused',
    told: /manifest/,
  },
}

onEachPostgres('a restore', (server) => {
  it('changes nothing when the artifact cannot be restored', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const before = await sightOf(server())
    const order = await stage.inPlace()
    const files = await filesOf(stage)
    for (const [title, { does, code, told }] of Object.entries(faults)) {
      await does(files)
      const failure = await failureOf(order, stage.verificationTools())
      expect({ title, ...failure }).toMatchObject({ title, code, message: expect.stringMatching(told) })
      expect({ title, sight: await sightOf(server()) }).toEqual({ title, sight: before })
      await files.writeManifest({})
      await writeFile(files.artifact, files.bytes)
    }
    await restoreDatabase(order, stage.verificationTools(), never)
  })

  it('reports that the tool is missing', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const tools = stage.verificationTools()
    const places = { versions: '/nowhere', folders: [] }
    const logical = postgresLogicalEngine({ clock: tools.clock, places, workFolder: stage.workFolder })
    const failure = await failureOf(await stage.inPlace(), { ...tools, logical })
    expect(failure).toMatchObject({ code: 'LogicalToolMissing', remedy: 'stop' })
    expect(await sightOf(server())).toMatchObject({ live: { sentinel: true } })
  })

  it('stops a tool that hangs', async () => {
    const proxy = await SqlProxy.start(server().access())
    try {
      const stage = await restoreStage(server(), proxy.access())
      await makeLive(server())
      const order = await stage.inPlace()
      for (const text of [/^COPY public\.orders/, /CREATE TABLE public\.orders/]) {
        proxy.judge = (statement) => (text.test(statement.text) ? 'hang' : 'pass')
        const failure = await failureOf(order, stage.verificationTools({ stallMs: 2_000 }))
        proxy.judge = () => 'pass'
        expect({ text, ...failure }).toMatchObject({
          ...{ text, code: 'RestoreFailed', remedy: 'retry' },
          message: expect.stringMatching(/^nothing has happened in database "crm_new_r1" for 2 s/),
        })
        expect((await sightOf(server())).databases).toMatchObject([{ datname: 'crm', open: true }])
      }
      await restoreDatabase(order, stage.verificationTools(), never)
    } finally {
      await proxy.stop()
    }
  })

  it('reports that the worker has no disk space', async ({ skip }) => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const workFolder = (await smallDisk('4k')) ?? skip(noDisks)
    const failure = await failureOf(await stage.inPlace(), stage.verificationTools({ workFolder }))
    expect(failure).toMatchObject({ code: 'WorkFolderFull', remedy: 'retry' })
    expect(await sightOf(server())).toMatchObject({ live: { sentinel: true } })
  })
})

it('a restore reports that the server has no disk space, and leaves the database unchanged', async ({ skip }) => {
  const server = await startPostgres({ version: 15 })
  const stage = await restoreStage(server, server.access(), makeBulkyDatabase)
  await makeLive(server)
  const folder = (await smallDisk('2m')) ?? skip(noDisks)
  await giveToServer(folder)
  await server.byHand(`CREATE TABLESPACE small LOCATION '${folder}'`)
  await server.byHand('GRANT CREATE ON TABLESPACE small TO PUBLIC')
  await server.byHand('ALTER ROLE ALL SET default_tablespace = small')
  const order = await stage.inPlace()
  const unqueried = { ...order, source: { ...order.source, queries: [] } } as typeof order
  expect(await failureOf(unqueried, stage.verificationTools())).toMatchObject({ code: 'StorageFull', remedy: 'retry' })
  expect((await sightOf(server)).databases).toMatchObject([{ datname: 'crm', open: true }])
  await server.byHand('ALTER ROLE ALL RESET default_tablespace')
  await restoreDatabase(unqueried, stage.verificationTools(), never)
  expect(await sightOf(server)).toMatchObject({ live: { orders: 4000, sentinel: false } })
})

/** Makes a database of about four megabytes. */
async function makeBulkyDatabase(server: PostgresServer): Promise<void> {
  await makeSmallDatabase(server)
  await server.byHand('INSERT INTO orders SELECT n, repeat(md5(n::text), 40) FROM generate_series(1001, 4000) n', {
    database: 'crm',
  })
}

async function failureOf(order: Parameters<typeof restoreDatabase>[0], tools: RestoreTools): Promise<object> {
  const failure = await restoreDatabase(order, tools, never).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof Error)) throw new Error('It has not failed.')
  return { ...failure, message: failure.message }
}

async function filesOf(stage: RestoreStage): Promise<Files> {
  const folder = join(stage.storeFolder, verification.folder)
  const path = join(folder, 'manifest.json')
  const reading = readManifest(await readFile(path, 'utf8'))
  if (reading.kind === 'refused') throw new Error(reading.fault)
  const { form: _, ...manifest } = reading.manifest
  const artifact = join(folder, manifest.artifact.file)
  const writeText = (text: string) => writeFile(path, text)
  return {
    artifact,
    bytes: await readFile(artifact),
    manifest: reading.manifest,
    writeManifest: (changes) => writeText(manifestText(newManifest({ ...manifest, ...changes }))),
    writeText,
  }
}

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}
