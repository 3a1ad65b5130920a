// Switch of applications from the source server to the target server: one Service, whose pods `desired` names, and
// logins on the target server. The first login that the target server allows is the point of no return. The Service,
// which leads nowhere until then, follows at once.
import { databaseServerNames } from '../../../../constructs/index.ts'
import { childNamed, isBeingDeleted, Service, type StepObservation } from '../../../index.ts'
import type { DatabaseEngine } from '../../engines/engine.ts'
import { EngineError } from '../../engines/engine-error.ts'
import type { FreezeRecord } from '../../engines/write-freeze.ts'
import { Opening } from '../../upgrade/opening-client.ts'
import { scaleDownOld } from '../../upgrade/scale-down-old-step.ts'
import { freezeRecordIn } from '../../upgrade/upgrade-observations.ts'
import type { Traffic } from '../../upgrade/upgrade-world.ts'
import { isLedTo } from '../terminating-server.ts'
import { orderOf, secretsOf, sideAccess, sidesOf, type UpgradeCall, type UpgradeResource } from './upgrade-resource.ts'

export class DatabaseTraffic implements Traffic<UpgradeResource> {
  readonly #engine: DatabaseEngine

  constructor(engine: DatabaseEngine) {
    this.#engine = engine
  }

  async look(call: UpgradeCall): Promise<StepObservation> {
    const sight = await this.#opening(call).look(turnedAway(call))
    // During the Database's deletion, the Service follows only once no move is in progress.
    if (sight.kind !== 'done' || isLedThere(call) || isBeingDeleted(call.object)) return sight
    return { kind: 'pending', progress: 'the Service follows', lookAfterMs: 250 }
  }

  async rehearse(call: UpgradeCall): Promise<void> {
    try {
      await this.#opening(call).rehearse(turnedAway(call), call.object.spec.upgrade?.verifyQueries ?? [])
    } catch (error) {
      // A retry would not help the query, and writers wait.
      if (!(error instanceof EngineError) || !willNotPass.has(error.code)) throw error
      throw new EngineError({ code: error.code, message: error.message, remedy: 'stop' })
    }
  }

  async lead(call: UpgradeCall): Promise<void> {
    await this.#opening(call).open(turnedAway(call))
  }

  #opening(call: UpgradeCall): Opening {
    const sides = { old: sideAccess(call, 'old'), new: sideAccess(call, 'next') }
    const tools = { engine: this.#engine, ...sides, secrets: secretsOf(call, 'rehearsal') }
    return new Opening(orderOf(call), tools, call.signal)
  }
}

/** Errors of a user's query that no retry resolves. */
const willNotPass: ReadonlySet<string> = new Set(['NotFound', 'InsufficientPrivilege', 'StatementFailed'])

function turnedAway({ notes }: UpgradeCall): FreezeRecord {
  return freezeRecordIn(notes[scaleDownOld]) ?? { logins: [] }
}

function isLedThere(call: UpgradeCall): boolean {
  const { clientService } = databaseServerNames(call.object.metadata.name)
  const service = childNamed(call, Service, clientService)?.object
  return service !== undefined && isLedTo(service, sidesOf(call).next)
}
