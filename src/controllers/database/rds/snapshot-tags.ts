// Ownership and source of a snapshot, in its tags. The keys differ from those of instances, because RDS may copy an
// instance's tags to its snapshots.
import type { Tag } from '@aws-sdk/client-rds'
import type { Token } from '../../../index.ts'
import type { DesiredSnapshot, SnapshotSource } from './snapshot.ts'

const keys = {
  uid: 'konverge.dev/backup-uid',
  generation: 'konverge.dev/backup-generation',
  label: 'konverge.dev/backup',
  instance: 'konverge.dev/source-instance',
  database: 'konverge.dev/source-database',
  databaseUID: 'konverge.dev/source-database-uid',
  databaseName: 'konverge.dev/source-database-name',
  systemIdentifier: 'konverge.dev/source-system-identifier',
} as const

export function snapshotTags({ uid, generation }: Token, { label, source }: DesiredSnapshot): Tag[] {
  const { instance, database, databaseUID, databaseName, systemIdentifier } = source
  const values = {
    ...{ uid, generation: String(generation), label, instance, database, databaseUID, databaseName, systemIdentifier },
  }
  // Keys as listed above.
  return Object.entries(values).map(([word, Value]) => ({ Key: keys[word as keyof typeof keys], Value }))
}

export function snapshotOwner(tags: readonly Tag[] | undefined): Token | undefined {
  const uid = valueUnder(tags, keys.uid)
  return uid === undefined ? undefined : { uid, generation: Number(valueUnder(tags, keys.generation) ?? 0) }
}

export function snapshotSource(tags: readonly Tag[] | undefined): SnapshotSource | undefined {
  const instance = valueUnder(tags, keys.instance)
  const database = valueUnder(tags, keys.database)
  const databaseUID = valueUnder(tags, keys.databaseUID)
  const databaseName = valueUnder(tags, keys.databaseName)
  const systemIdentifier = valueUnder(tags, keys.systemIdentifier)
  if (instance === undefined || database === undefined || databaseUID === undefined) return undefined
  if (databaseName === undefined || systemIdentifier === undefined) return undefined
  return { instance, database, databaseUID, databaseName, systemIdentifier }
}

function valueUnder(tags: readonly Tag[] | undefined, key: string): string | undefined {
  return tags?.find(({ Key }) => Key === key)?.Value
}
