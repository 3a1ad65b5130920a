// Where is a backup tried out? In a database of its own on the same server, owned by a role of its own that may do nothing else: whoever
// wrote the artifact can run anything as whoever restores it. Both bear the uid, so that what a dead worker left is known and goes. Pure.
import type { Token } from '../../index.ts'
import type { Change } from '../engines/change.ts'
import { isMarkedFor } from '../engines/mark-agreement.ts'
import type { ObservedDatabase, ObservedRole, ServerObservation } from '../engines/observed-server.ts'
import type { BackupError } from './backup-error.ts'
import { nameTaken } from './name-taken.ts'

/** Of the database, and of its role. */
export function scratchName(backupUid: string): string {
  return `_verify_${backupUid.replaceAll('-', '')}`.slice(0, 63)
}

export interface Leftovers {
  readonly database: boolean
  readonly role: boolean
}

/** What an earlier worker left there; a sentence where it is somebody else's. */
export function leftoversOf(observed: ServerObservation, name: string, token: Token): Leftovers | BackupError {
  const database = observed.databases.find((found) => found.name === name)
  const role = observed.roles.find((found) => found.name === name)
  if (database !== undefined && !isOurs(database, token)) return nameTaken('database', name)
  if (role !== undefined && role.token?.uid !== token.uid) return nameTaken('role', name)
  return { database: database !== undefined, role: role !== undefined }
}

/** Its owner bears the token from its first moment on; its own comment may have been missed. */
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
 * Whose tables may be filled by whoever wrote an artifact, as they are nothing but data. Those of others may be orders, as jobs that a
 * background worker runs as whom they name (TimescaleDB, pg_partman), or commands that somebody pastes into a shell (postgis_tiger_geocoder).
 */
const filledExtensions: readonly string[] = ['postgis', 'postgis_topology', 'address_standardizer_data_us']

export function isFilled(extension: string): boolean {
  return filledExtensions.includes(extension)
}

/** Made by the admin, as the role may not, in the order given: what is restored finds them there, and adds rows of tables of some. */
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
