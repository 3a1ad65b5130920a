// Which controllers does this program run? The flagship's, by the names that --controllers takes.
import { backup } from '../controllers/backup/backup.ts'
import { database } from '../controllers/database/database.ts'
import { databaseUser } from '../controllers/database-user/database-user.ts'
import type { DatabaseEngine } from '../controllers/engines/engine.ts'
import { postgresEngine } from '../controllers/engines/postgres/postgres-driver.ts'
import { migration } from '../controllers/migration/migration.ts'
import { replicatedKvStore } from '../controllers/replicated-kv-store/replicated-kv-store.ts'
import type { Controller, ExternalTools } from '../index.ts'
import { CommandError } from './command-error.ts'
import { ownImage } from './own-image.ts'
import { ownReviewer } from './own-program.ts'

/** `image`: the operator's own, of which it makes workers. */
function flagshipOf(image: string): readonly Controller[] {
  const engineFor = sharedEngines()
  return [
    replicatedKvStore,
    database(engineFor, { image }),
    databaseUser(engineFor),
    migration({ engineFor, image, review: ownReviewer() }),
    backup({ image }),
  ]
}

export const flagshipControllers = flagshipOf(ownImage())

/** The named ones, each once, by resource (`replicatedkvstores`) or kind, in any case; all of them when no name is given. */
export function controllersNamed(names: readonly string[], image = ownImage()): readonly Controller[] {
  const flagship = flagshipOf(image)
  if (names.length === 0) return flagship
  const named = names.map((name) => {
    const found = flagship.find(({ resource: { plural, kind } }) =>
      [plural, kind.toLowerCase()].includes(name.toLowerCase()),
    )
    if (found !== undefined) return found
    const known = flagship.map(({ resource }) => resource.plural).join(', ')
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
