// Scratch database of a verification, on the same server. The author of the artifact can run code as the role that
// restores it, so a role without further privileges owns the database. Both bear the uid of the Backup, which
// identifies leftovers of a dead worker. Pure.
import type { Token } from '../../index.ts'
import type { Change } from '../engines/change.ts'
import { isMarkedFor } from '../engines/mark-agreement.ts'
import type { ObservedDatabase, ObservedRole, ServerObservation } from '../engines/observed-server.ts'
import type { BackupError } from './backup-error.ts'
import { nameTaken } from './name-taken.ts'

/** Name of the database and of its role. */
export function scratchName(backupUid: string): string {
  return `_verify_${backupUid.replaceAll('-', '')}`.slice(0, 63)
}

export interface Leftovers {
  readonly database: boolean
  readonly role: boolean
}

/** Leftovers of an earlier worker; an error if another tool created them. */
export function leftoversOf(observed: ServerObservation, name: string, token: Token): Leftovers | BackupError {
  const database = observed.databases.find((found) => found.name === name)
  const role = observed.roles.find((found) => found.name === name)
  if (database !== undefined && !isOurs(database, token)) return nameTaken('database', name)
  if (role !== undefined && role.token?.uid !== token.uid) return nameTaken('role', name)
  return { database: database !== undefined, role: role !== undefined }
}

/** The owner bears the token from its creation on; the comment of the database itself may be missing. */
function isOurs(database: ObservedDatabase, { uid }: Token): boolean {
  return isMarkedFor(database, uid)
}

export interface ScratchRole {
  readonly name: ObservedRole['name']
  readonly token: Token
  readonly verifier: string
}

export function scratchRole({ name: role, token, verifier }: ScratchRole): readonly Change[] {
  return [{ kind: 'createRole', role, token, attributes: { canLogin: true, verifier } }]
}

/**
 * Extensions whose tables the author of an artifact may fill, because they hold only data. Tables of other extensions
 * may hold commands: jobs that a background worker runs as a named role (TimescaleDB, pg_partman), or commands for a
 * shell (postgis_tiger_geocoder).
 */
const filledExtensions: readonly string[] = ['postgis', 'postgis_topology', 'address_standardizer_data_us']

export function isFilled(extension: string): boolean {
  return filledExtensions.includes(extension)
}

/**
 * Extensions in the given order. The admin creates them, because the role may not; the restore adds rows to the tables
 * of some of them.
 */
export function scratchExtensions(
  extensions: readonly { readonly name: string; readonly schema: string }[],
  owner: string,
): { readonly schemas: readonly string[]; readonly changes: readonly Change[] } {
  const asked = extensions.filter(({ name }) => name !== 'plpgsql')
  const filled = asked.map(({ name }) => name).filter(isFilled)
  const schemas = [...new Set(asked.map(({ schema }) => schema))].filter(
    (schema) => schema !== 'public' && !schema.startsWith('pg_'),
  )
  return {
    schemas,
    changes: [
      ...schemas.map((schema) => ({ kind: 'createSchema', schema, owner }) as const),
      ...asked.map(
        ({ name: extension, schema }) => ({ kind: 'createExtension', extension, schema, isFresh: true }) as const,
      ),
      ...(filled.length === 0 ? [] : [{ kind: 'fillExtensions', role: owner, extensions: filled } as const]),
    ],
  }
}
