// A backup beside one change of definitions, made directly before each statement that the backup sends. Invariant: the
// verified backup holds the database from before the change, or from after it.
import { expect, it, onTestFinished } from 'vitest'
import { makeBackup } from '../../src/controllers/backup/backup-worker.ts'
import { verifyBackup } from '../../src/controllers/backup/verification-worker.ts'
import { contentsDifference } from '../../src/controllers/engines/contents-difference.ts'
import type { DatabaseContents } from '../../src/controllers/engines/database-contents.ts'
import { type BackupStage, backupStage, makeDatabase, order, verification } from '../controllers/backup/backup-stage.ts'
import { never } from '../controllers/stores/contents.ts'
import { onPostgresOf } from '../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { type ProxyStatement, SqlProxy } from '../postgres/sql-proxy.ts'
import { definitionChanges, moreTables } from './definition-changes.ts'
import { besideOrder } from './order.ts'

/** The tools of this machine cannot dump newer servers. */
const newestTool = 15

const { isEvery = false } = besideOrder()
/** Each change runs before every Nth point. */
const pointsOfGate = 5

/** Points of a backup: directly before the first statement that matches. */
const points: readonly { readonly point: string; readonly statement: RegExp; readonly nth?: number }[] = [
  { point: 'the tables are locked', statement: /LOCK TABLE/ },
  { point: 'the snapshot is exported', statement: /pg_export_snapshot/ },
  { point: 'the catalog is read', statement: /'largeObjects'/ },
  { point: 'the rights of PUBLIC are read', statement: /'defaults', COALESCE/ },
  { point: 'the tool takes the snapshot over', statement: /SET TRANSACTION SNAPSHOT/ },
  { point: 'the tool reads the tables', statement: /FROM pg_class c|FROM pg_catalog.pg_class c/, nth: 4 },
  { point: 'the tool reads functions', statement: /pg_get_function_arguments/ },
  { point: 'the tool reads the first rows', statement: /^COPY / },
  { point: 'rows are counted', statement: /AS rows/ },
]

onPostgresOf(
  (major) => major <= newestTool,
  'a backup beside a change of definitions',
  (server) => {
    it.each(points.map((at, number) => ({ ...at, number })))(
      'holds one state, and is verified, when the change comes before $point',
      async (at) => {
        const failures: string[] = []
        const isMeant = (_: unknown, change: number) => isEvery || (change + at.number) % pointsOfGate === 0
        for (const change of definitionChanges.filter(isMeant)) {
          const failure = await failureOf(server(), change.sql, at)
          if (failure !== undefined) failures.push(`${change.title}: ${failure}`)
        }
        expect(failures).toEqual([])
      },
    )
  },
)

interface Point {
  readonly statement: RegExp
  readonly nth?: number
}

async function failureOf(
  server: PostgresServer,
  sql: string,
  { statement, nth = 1 }: Point,
): Promise<string | undefined> {
  await makeDatabase(server)
  await server.byHand(moreTables, { database: 'crm' })
  const proxy = await SqlProxy.start(server.access())
  onTestFinished(() => proxy.stop())
  const stage = await backupStage(server.access())
  const before = await contentsOf(stage, server)
  let left = nth
  proxy.hold = ({ text, connection }: ProxyStatement) => {
    if (connection === 0 || !statement.test(text)) return undefined
    left -= 1
    return left === 0 ? changeUnlessLocked(server, sql) : undefined
  }
  try {
    const made = await makeBackup(order, stage.backupTools({ access: proxy.access() }), never)
    if (left > 0) return 'the point was not reached'
    const after = await contentsOf(stage, server)
    const { contents } = made.manifest
    const [fromBefore, fromAfter] = [before, after].map((state) => difference(state, contents))
    if (fromBefore !== '' && fromAfter !== '') return `saved a state that never was: ${fromBefore}; after: ${fromAfter}`
    await verifyBackup({ ...verification, queries: [] }, stage.verificationTools(), never)
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    await proxy.stop()
  }
}

/** Makes the change; a change that the backup's locks reject has no effect. */
async function changeUnlessLocked(server: PostgresServer, sql: string): Promise<void> {
  const limited = `SET lock_timeout = '100ms'; BEGIN; ${sql}; COMMIT`
  await server.byHand(limited, { database: 'crm' }).catch((error: unknown) => {
    if (!String(error).includes('lock timeout')) throw error
  })
}

/** Sequences are not part of snapshots. The verification of a restore compares them. */
function difference(left: DatabaseContents, right: DatabaseContents): string {
  return contentsDifference({ ...left, sequences: [] }, { ...right, sequences: [] }, { rows: 'hashed' }).join('; ')
}

async function contentsOf(stage: BackupStage, server: PostgresServer): Promise<DatabaseContents> {
  const caller = { kind: 'Backup', namespace: 'shop', name: 'x' }
  const { engine } = stage.backupTools()
  const frozen = await engine.freeze({ access: server.access(), database: 'crm', caller, signal: never })
  try {
    return await frozen.contents({ hashUpToBytes: 1e12 })
  } finally {
    await frozen.release()
  }
}
