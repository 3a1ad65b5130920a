// Which Migrations have tables of a database follow others by replication, or others follow its? What the servers do for them goes on without a
// worker, and a database that moves takes neither the slot nor the subscription along: they would be left behind, where nobody looks for them. Pure.
import type { MigrationSpec, MigrationStatus } from '../../../../imports/wire/migration.ts'
import type { LiveObject } from '../../../index.ts'

/** Their names. */
export function followingMigrations(
  { metadata: { namespace, name } }: LiveObject,
  migrations: readonly LiveObject[],
): readonly string[] {
  return migrations
    .filter((migration) => {
      if (migration.metadata.namespace !== namespace) return false
      const { spec, status } = migration as LiveObject<MigrationSpec, MigrationStatus> // Of its kind.
      const sources = (status?.steps ?? []).flatMap(({ source }) => source ?? [])
      const isTarget = spec?.databaseRef.name === name && sources.length > 0
      return isTarget || sources.includes(`${namespace}/${name}`)
    })
    .map(({ metadata }) => metadata.name)
}
