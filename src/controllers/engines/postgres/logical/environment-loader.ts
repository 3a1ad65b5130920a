// With which environment does one of PostgreSQL's programs get to the server of a call? Besides variables it needs a file with the
// authorities that are trusted.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import type { LogicalCall } from '../../logical-engine.ts'
import type { ServerAccess } from '../../server-access.ts'
import { applicationName } from '../postgres-driver.ts'
import { libpqEnvironment } from './libpq-environment.ts'

/** `folder`: for a file that goes with it. */
export async function environmentOf(call: LogicalCall, folder: string): Promise<Record<string, string>> {
  const { access, database, caller } = call
  return libpqEnvironment({
    access,
    database,
    applicationName: applicationName(caller),
    caFile: await writeAuthorities(access, folder),
  })
}

/** Without ones of its own, a server is checked against those that Node trusts, as everywhere else here. */
async function writeAuthorities({ tls, ca }: ServerAccess, folder: string): Promise<string | undefined> {
  if (tls === 'disable' || tls === 'require') return undefined
  const file = join(folder, 'authorities.pem')
  await writeFile(file, ca ?? rootCertificates.join('\n'))
  return file
}

/** For messages. */
export function placeOf({ access, database }: LogicalCall): string {
  return `database ${JSON.stringify(database)} of ${access.host}:${access.port}`
}
