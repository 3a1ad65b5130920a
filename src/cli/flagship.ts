// Controllers of the flagship, konverge's own operator.
import { backup } from '../controllers/backup/backup.ts'
import { database } from '../controllers/database/database.ts'
import { databaseUser } from '../controllers/database-user/database-user.ts'
import type { DatabaseEngine } from '../controllers/engines/engine.ts'
import { postgresEngine } from '../controllers/engines/postgres/postgres-driver.ts'
import { migration } from '../controllers/migration/migration.ts'
import { labelledSecrets, type ReferencePolicy } from '../controllers/references/reference-policy.ts'
import { replicatedKvStore } from '../controllers/replicated-kv-store/replicated-kv-store.ts'
import type { Controller, ExternalTools } from '../index.ts'
import { ownImage } from './own-image.ts'
import { ownReviewQueue } from './own-program.ts'

export interface FlagshipOptions {
  /** Image of the operator; its workers use it too. Default: that of this version's release. */
  readonly image?: string | undefined
  /** Rules for references of resources to Secrets, images, endpoints and StorageClasses. */
  readonly policy?: ReferencePolicy
}

export function flagshipOf({
  image = ownImage(),
  policy = labelledSecrets,
}: FlagshipOptions = {}): readonly Controller[] {
  const engineFor = sharedEngines()
  return [
    replicatedKvStore({ policy }),
    database(engineFor, { image, policy }),
    databaseUser(engineFor, { policy }),
    migration({ engineFor, image, policy, review: ownReviewQueue() }),
    backup({ image, policy }),
  ]
}

/** Controllers of an operator whose pods run on the local node. */
export const localControllers = flagshipOf({ policy: { ...labelledSecrets, dialsLocalAddresses: true } })

/** Returns one engine for all controllers of an operator, so that they share the sessions of a server. */
function sharedEngines(): (tools: ExternalTools) => DatabaseEngine {
  const engines = new WeakMap<ExternalTools, DatabaseEngine>()
  return (tools) => {
    const engine = engines.get(tools) ?? postgresEngine(tools)
    engines.set(tools, engine)
    return engine
  }
}
