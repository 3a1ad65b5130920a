// Folders that may contain PostgreSQL's programs: Debian's folder for each version, and those of PATH. Pure.
import { delimiter } from 'node:path'
import type { ToolPlaces } from '../controllers/engines/postgres/logical/tool-loader.ts'

/** Folder with one subfolder for each version, named after it. */
export const debianVersions = '/usr/lib/postgresql'

export function toolPlaces(environment: Readonly<Record<string, string | undefined>>): ToolPlaces {
  return { versions: debianVersions, folders: (environment['PATH'] ?? '').split(delimiter).filter(Boolean) }
}
