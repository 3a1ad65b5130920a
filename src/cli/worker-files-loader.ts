// What does a worker find in the files that its pod mounts? Its order, and how a database of it is reached.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { withoutLineEnd } from '../controllers/database/secret-text.ts'
import type { ServerAccess } from '../controllers/engines/server-access.ts'
import { authorityKey, type OrderedDatabase } from '../controllers/migration/worker-order.ts'
import { CommandError } from './command-error.ts'

/** `folder`: that of all credentials. */
export async function loadAccess(
  database: Pick<OrderedDatabase, 'folder' | 'tls' | 'maintenanceDatabase' | 'hasAuthority' | 'dial'>,
  folder: string,
): Promise<ServerAccess> {
  const { tls, maintenanceDatabase, hasAuthority, dial } = database
  const value = async (key: string) => await loadValue(join(folder, database.folder, key))
  return {
    ...{ host: await value('host'), port: Number(await value('port')) },
    ...{ username: await value('username'), password: await value('password') },
    ...{ maintenanceDatabase, tls },
    ...(dial === undefined ? {} : { dial }),
    ...(hasAuthority ? { ca: await loadText(join(folder, database.folder, authorityKey)) } : {}),
  }
}

/** Without line breaks at the end, as the operator reads it. */
export async function loadValue(path: string): Promise<string> {
  return withoutLineEnd(await loadText(path))
}

/** The error names the file and says nothing of what is in it. */
export async function loadText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${messageOf(error)}`, 1)
  }
}
