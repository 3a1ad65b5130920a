// Which controllers does this program run? The flagship's, by the names that --controllers takes.
import { backup } from '../controllers/backup/backup.ts'
import { database } from '../controllers/database/database.ts'
import { databaseUser } from '../controllers/database-user/database-user.ts'
import type { DatabaseEngine } from '../controllers/engines/engine.ts'
import { postgresEngine } from '../controllers/engines/postgres/postgres-driver.ts'
import { migration } from '../controllers/migration/migration.ts'
import { labelledSecrets, type ReferencePolicy } from '../controllers/references/reference-policy.ts'
import { replicatedKvStore } from '../controllers/replicated-kv-store/replicated-kv-store.ts'
import type { Controller, ExternalTools } from '../index.ts'
import { CommandError } from './command-error.ts'
import { ownImage } from './own-image.ts'
import { ownReviewQueue } from './own-program.ts'

export interface FlagshipOptions {
  /** The operator's own, of which it makes workers. Default: the one that this version is released with. */
  readonly image?: string | undefined
  /** The rules for what resources name. */
  readonly policy?: ReferencePolicy
}

function flagshipOf({ image = ownImage(), policy = labelledSecrets }: FlagshipOptions = {}): readonly Controller[] {
  const engineFor = sharedEngines()
  return [
    replicatedKvStore({ policy }),
    database(engineFor, { image, policy }),
    databaseUser(engineFor, { policy }),
    migration({ engineFor, image, policy, review: ownReviewQueue() }),
    backup({ image, policy }),
  ]
}

export const flagshipControllers = flagshipOf()

/** Of an operator whose pods run on the local node. */
export const localControllers = flagshipOf({ policy: { ...labelledSecrets, dialsLocalAddresses: true } })

/** The named ones, each once, by resource (`replicatedkvstores`) or kind, in any case; all of them when no name is given. */
export function controllersNamed(names: readonly string[], options: FlagshipOptions = {}): readonly Controller[] {
  const flagship = flagshipOf(options)
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
