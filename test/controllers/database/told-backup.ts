// Plays the controller of Backup for a Database's own Backup: finds it and writes its status.
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import type { LiveObject } from '../../../src/index.ts'
import type { TestCluster } from '../../../src/testing/index.ts'
import { home } from '../postgres-stage.ts'

const said = { message: 'so', lastTransitionTime: '2026-01-01T00:00:00Z' }

export interface ToldStage {
  readonly cluster: TestCluster
  until(what: string, isSo: () => Promise<boolean>): Promise<void>
}

/** Waits for a Backup that is not being deleted. */
export async function lastBackup(stage: ToldStage): Promise<LiveObject> {
  let found: LiveObject | undefined
  await stage.until('the last backup', async () => {
    found = (await stage.cluster.list(Backup, home)).find(({ metadata }) => metadata.deletionTimestamp === undefined)
    return found !== undefined
  })
  return found as LiveObject // The loop above has found it.
}

export async function tellFailed(stage: ToldStage, backup: LiveObject, reason: string): Promise<void> {
  const conditions = ['Stalled', 'Degraded'].map((type) => ({ ...said, type, status: 'True', reason }))
  await tell(stage, backup, { phase: 'Failed', conditions })
}

/** `database`: its name. */
export async function tellProven(stage: ToldStage, backup: LiveObject, database: string): Promise<void> {
  const found = await stage.cluster.find(Database, `${home}/${database}`)
  const source = { databaseUID: found?.metadata.uid, systemIdentifier: '7', serverVersion: '15', snapshotLSN: '0/1' }
  const artifact = { uri: 'pvc://b', bytes: 1, sha256: 'a', manifestSha256: 'b', format: 'f', toolVersion: '15' }
  const conditions = ['Ready', 'Completed', 'Verified'].map((type) => ({
    ...{ ...said, type, status: 'True', reason: 'RestoreVerified' },
  }))
  const completedAt = new Date(stage.cluster.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  await tell(stage, backup, {
    phase: 'Completed',
    completedAt,
    source: { ...source, tables: 1, rows: 1 },
    artifact,
    conditions,
  })
}

async function tell({ cluster }: ToldStage, { metadata: { name } }: LiveObject, status: object): Promise<void> {
  const { signal } = new AbortController()
  const patch = { type: 'merge', body: JSON.parse(JSON.stringify({ status })) } as const
  const options = { fieldManager: 'test', subresource: 'status' } as const
  await cluster.client.patch(Backup, { namespace: home, name }, patch, options, signal)
}
