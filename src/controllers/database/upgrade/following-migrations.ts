// Migrations that replicate tables to or from a database. Their replication continues without a worker. A move would
// leave slot and subscription behind on the source server. Pure.
import type { MigrationSpec, MigrationStatus } from '../../../../imports/wire/migration.ts'
import type { LiveObject } from '../../../index.ts'

/** Returns their names. */
export function followingMigrations(
  { metadata: { namespace, name } }: LiveObject,
  migrations: readonly LiveObject[],
): readonly string[] {
  return migrations
    .filter((migration) => {
      if (migration.metadata.namespace !== namespace) return false
      const { spec, status } = migration as LiveObject<MigrationSpec, MigrationStatus> // A Migration.
      const sources = (status?.steps ?? []).flatMap(({ source }) => source ?? [])
      const isTarget = spec?.databaseRef.name === name && sources.length > 0
      return isTarget || sources.includes(`${namespace}/${name}`)
    })
    .map(({ metadata }) => metadata.name)
}
