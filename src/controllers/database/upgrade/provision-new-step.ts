// Step ProvisionNew: the target server beside the source server, with its roles and schema, without rows. Only the
// operator can connect to it. Its objects are declared while this step is in effect, and pruned when it is compensated.
import { childNamed, isBeingDeleted, type SagaStep, StatefulSet, type StepObservation } from '../../../index.ts'
import type { DatabaseServer } from '../../engines/engine.ts'
import { observeSide } from '../../upgrade/new-side-worker.ts'
import { provisionNew } from '../../upgrade/upgrade-world.ts'
import { atWork } from './desired-upgrade.ts'
import { orderOf, sidesOf, type UpgradeCall, type UpgradeResource } from './upgrade-resource.ts'

export class ProvisionNewStep implements SagaStep<UpgradeResource> {
  readonly name = provisionNew
  /** Images and schemas may be large. */
  readonly timeoutMs = 2 * 3_600_000
  readonly #newServer: (call: UpgradeCall) => DatabaseServer

  constructor(newServer: (call: UpgradeCall) => DatabaseServer) {
    this.#newServer = newServer
  }

  async verify(call: UpgradeCall): Promise<StepObservation> {
    return call.direction === 'back' ? leftOf(call) : (serverObservation(call) ?? (await this.#databaseSight(call)))
  }

  /** Prune deletes what is no longer declared. */
  async compensate(): Promise<void> {}

  async #databaseSight(call: UpgradeCall): Promise<StepObservation> {
    const server = this.#newServer(call)
    const wanted = call.input['to']
    const { majorVersion } = (await server.observe({})).server
    if (String(majorVersion) !== wanted) {
      const message = `the new server is of version ${majorVersion} instead of ${wanted}; give spec.provider.inCluster.image another`
      return { kind: 'broken', reason: 'VersionMismatch', message, isTerminal: true }
    }
    const standing = await observeSide(orderOf(call), server)
    switch (standing.kind) {
      case 'missing':
      case 'partial':
        return otherDatabaseObservation(call) ?? workerObservation(call, 'its schema is being made')
      case 'prepared':
      case 'opened':
        return { kind: 'done' }
      case 'refused':
        return { kind: 'broken', reason: standing.error.code, message: standing.error.message, isTerminal: true }
    }
  }
}

/** Returns undefined if the target server serves. */
function serverObservation(call: UpgradeCall): StepObservation | undefined {
  const { statefulSet } = sidesOf(call).next
  const server = childNamed(call, StatefulSet, statefulSet)
  if (server?.readiness.kind === 'ready') return undefined
  const trouble = call.facts?.beside?.volume.trouble
  const progress = trouble?.message ?? server?.readiness.message ?? 'it is about to be declared'
  return { kind: 'pending', progress: `the new server starts: ${progress}` }
}

/**
 * Waits for other work, whose changes of the schema during its copy one server would lack. Undefined if there is none.
 */
function otherDatabaseObservation({ facts }: UpgradeCall): StepObservation | undefined {
  const others = facts?.move?.others ?? []
  return others.length === 0 ? undefined : { kind: 'pending', progress: `${atWork(others)}, and ends first` }
}

/** Returns the report of the worker that creates roles and schema, or the whole database. */
export function workerObservation({ facts }: Pick<UpgradeCall, 'facts'>, work: string): StepObservation {
  const run = facts?.move?.prepare?.run
  if (run?.kind !== 'ended') {
    const last = run?.kind === 'active' && run.last?.message !== undefined ? `; its last try: ${run.last.message}` : ''
    return { kind: 'pending', progress: `${work}${last}` }
  }
  const { reason = 'PrepareFailed', message = 'the worker ended, and nothing of it is there' } = run.report
  return { kind: 'broken', reason, message, isTerminal: true }
}

/**
 * The data has to be deleted before another server can start under these names. During the Database's deletion it is
 * deleted with the Database.
 */
function leftOf(call: UpgradeCall): StepObservation {
  const { statefulSet, volumeClaim } = sidesOf(call).next
  if (isBeingDeleted(call.object)) return { kind: 'missing' }
  if (childNamed(call, StatefulSet, statefulSet) !== undefined) {
    return { kind: 'leaving', progress: `waiting for StatefulSet ${statefulSet} to go`, lookAfterMs: 1_000 }
  }
  if (call.facts?.move?.hasNextClaim === false) return { kind: 'missing' }
  return { kind: 'leaving', progress: `waiting for volume claim ${volumeClaim} to go`, lookAfterMs: 1_000 }
}
