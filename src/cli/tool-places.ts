// Where may PostgreSQL's programs be on this machine? Debian's folders, one for each version, and those of the PATH. Pure.
import { delimiter } from 'node:path'
import type { ToolPlaces } from '../controllers/engines/postgres/logical/tool-loader.ts'

/** Has a folder for each version, named after it. */
export const debianVersions = '/usr/lib/postgresql'

export function toolPlaces(environment: Readonly<Record<string, string | undefined>>): ToolPlaces {
  return { versions: debianVersions, folders: (environment['PATH'] ?? '').split(delimiter).filter(Boolean) }
}
