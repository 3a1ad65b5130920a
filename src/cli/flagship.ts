// Which controllers does this program run? The flagship's, by the names that --controllers takes.
import { replicatedKvStore } from '../controllers/replicated-kv-store/replicated-kv-store.ts'
import type { Controller } from '../index.ts'
import { CommandError } from './command-error.ts'

export const flagshipControllers: readonly Controller[] = [replicatedKvStore]

/** The named ones, each once, by resource (`replicatedkvstores`) or kind, in any case; all of them when no name is given. */
export function controllersNamed(names: readonly string[]): readonly Controller[] {
  if (names.length === 0) return flagshipControllers
  const named = names.map((name) => {
    const found = flagshipControllers.find(({ resource: { plural, kind } }) =>
      [plural, kind.toLowerCase()].includes(name.toLowerCase()),
    )
    if (found !== undefined) return found
    const known = flagshipControllers.map(({ resource }) => resource.plural).join(', ')
    throw new CommandError(`--controllers: there is no controller '${name}'; choose from ${known}`, 2)
  })
  return [...new Set(named)]
}
