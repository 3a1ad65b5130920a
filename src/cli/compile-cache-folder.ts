// Where does Node keep what it compiled of this program? In a folder of the user's own: in the shared temporary one somebody
// else could lie in wait with code of his. Pure.
import { isAbsolute, join } from 'node:path'

/** Undefined where the environment names no place that is the user's; then nothing is kept. */
export function compileCacheFolder(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_CACHE_HOME: caches = '', HOME: home = '' } = environment
  // The base directory specification has relative paths ignored.
  if (isAbsolute(caches)) return join(caches, 'konverge', 'compiled')
  return isAbsolute(home) ? join(home, '.cache', 'konverge', 'compiled') : undefined
}
