// Environment with which a PostgreSQL program connects to the server of a call: variables, and a file with the trusted
// CAs.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import type { LogicalCall } from '../../logical-engine.ts'
import type { ServerAccess } from '../../server-access.ts'
import { applicationName } from '../postgres-driver.ts'
import { libpqEnvironment } from './libpq-environment.ts'

/** Returns the environment. `folder`: location of the CA file. */
export async function environmentOf(call: LogicalCall, folder: string): Promise<Record<string, string>> {
  const { access, database, caller } = call
  return libpqEnvironment({
    access,
    database,
    applicationName: applicationName(caller),
    caFile: await writeAuthorities(access, folder),
  })
}

/** Without its own CA, a server is checked against Node's root certificates, as everywhere in the operator. */
async function writeAuthorities({ tls, ca }: ServerAccess, folder: string): Promise<string | undefined> {
  if (tls === 'disable' || tls === 'require') return undefined
  const file = join(folder, 'authorities.pem')
  await writeFile(file, ca ?? rootCertificates.join('\n'))
  return file
}

/** Returns database and server for messages. */
export function placeOf({ access, database }: LogicalCall): string {
  return `database ${JSON.stringify(database)} of ${access.host}:${access.port}`
}
