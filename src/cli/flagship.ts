// Which controllers does this program run? The flagship's, by the names that --controllers takes.
import { database } from '../controllers/database/database.ts'
import { databaseUser } from '../controllers/database-user/database-user.ts'
import type { DatabaseEngine } from '../controllers/engines/engine.ts'
import { postgresEngine } from '../controllers/engines/postgres/postgres-driver.ts'
import { replicatedKvStore } from '../controllers/replicated-kv-store/replicated-kv-store.ts'
import type { Controller, ExternalTools } from '../index.ts'
import { CommandError } from './command-error.ts'

const engineFor = sharedEngines()

export const flagshipControllers: readonly Controller[] = [
  replicatedKvStore,
  database(engineFor),
  databaseUser(engineFor),
]

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

/** One engine for all controllers of an operator, so that they share the sessions of a server. */
function sharedEngines(): (tools: ExternalTools) => DatabaseEngine {
  const engines = new WeakMap<ExternalTools, DatabaseEngine>()
  return (tools) => {
    const engine = engines.get(tools) ?? postgresEngine(tools)
    engines.set(tools, engine)
    return engine
  }
}
