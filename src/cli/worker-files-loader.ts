// Loader of the files that a worker's pod mounts: its order, and the access to a database.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { withoutLineEnd } from '../controllers/database/secret-text.ts'
import type { ServerAccess } from '../controllers/engines/server-access.ts'
import { authorityKey, type OrderedDatabase } from '../controllers/migration/worker-order.ts'
import { CommandError } from './command-error.ts'

/** Loads the access to a database; `folder` contains all credentials. */
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

/** Loads a value without line breaks at its end, as the operator reads it. */
export async function loadValue(path: string): Promise<string> {
  return withoutLineEnd(await loadText(path))
}

/** Loads a text. The error names the file and quotes none of its contents. */
export async function loadText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${messageOf(error)}`, 1)
  }
}
