// Folder of Node's compile cache for this program. Invariant: the folder belongs to the user, because others could
// place code in the shared temporary folder. Pure.
import { isAbsolute, join } from 'node:path'

/** Returns undefined if the environment names no folder of the user; then nothing is cached. */
export function compileCacheFolder(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_CACHE_HOME: caches = '', HOME: home = '' } = environment
  // The XDG Base Directory Specification requires programs to ignore relative paths.
  if (isAbsolute(caches)) return join(caches, 'konverge', 'compiled')
  return isAbsolute(home) ? join(home, '.cache', 'konverge', 'compiled') : undefined
}
