// The new server beside the old one, with the roles and the schema of the old one, without rows, and closed to everybody but the operator.
// Its objects are declared while this step is in effect, and pruned when it is taken back.
import { childNamed, isBeingDeleted, type SagaStep, StatefulSet, type StepObservation } from '../../../index.ts'
import type { DatabaseServer } from '../../engines/engine.ts'
import { observeSide } from '../../upgrade/new-side-worker.ts'
import { provisionNew } from '../../upgrade/upgrade-world.ts'
import { atWork } from './desired-upgrade.ts'
import { orderOf, sidesOf, type UpgradeCall, type UpgradeResource } from './upgrade-resource.ts'

export class ProvisionNewStep implements SagaStep<UpgradeResource> {
  readonly name = provisionNew
  /** Images may be large, and so may schemas. */
  readonly timeoutMs = 2 * 3_600_000
  readonly #newServer: (call: UpgradeCall) => DatabaseServer

  constructor(newServer: (call: UpgradeCall) => DatabaseServer) {
    this.#newServer = newServer
  }

  async verify(call: UpgradeCall): Promise<StepObservation> {
    return call.direction === 'back' ? leftOf(call) : (serverObservation(call) ?? (await this.#databaseSight(call)))
  }

  /** What is not declared any more goes by itself. */
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

/** Undefined: it serves. */
function serverObservation(call: UpgradeCall): StepObservation | undefined {
  const { statefulSet } = sidesOf(call).next
  const server = childNamed(call, StatefulSet, statefulSet)
  if (server?.readiness.kind === 'ready') return undefined
  const trouble = call.facts?.beside?.volume.trouble
  const progress = trouble?.message ?? server?.readiness.message ?? 'it is about to be declared'
  return { kind: 'pending', progress: `the new server starts: ${progress}` }
}

/** What changes a schema while it is copied would be missing on one side. Undefined: nobody does. */
function otherDatabaseObservation({ facts }: UpgradeCall): StepObservation | undefined {
  const others = facts?.move?.others ?? []
  return others.length === 0 ? undefined : { kind: 'pending', progress: `${atWork(others)}, and ends first` }
}

/** What the worker says that makes roles and schema, or all. */
export function workerObservation({ facts }: Pick<UpgradeCall, 'facts'>, work: string): StepObservation {
  const run = facts?.move?.prepare?.run
  if (run?.kind !== 'ended') {
    const last = run?.kind === 'active' && run.last?.message !== undefined ? `; its last try: ${run.last.message}` : ''
    return { kind: 'pending', progress: `${work}${last}` }
  }
  const { reason = 'PrepareFailed', message = 'the worker ended, and nothing of it is there' } = run.report
  return { kind: 'broken', reason, message, isTerminal: true }
}

/** Its data has to go before another one can begin under its names. With the Database it goes as everything of that does. */
function leftOf(call: UpgradeCall): StepObservation {
  const { statefulSet, volumeClaim } = sidesOf(call).next
  if (isBeingDeleted(call.object)) return { kind: 'missing' }
  if (childNamed(call, StatefulSet, statefulSet) !== undefined) {
    return { kind: 'leaving', progress: `waiting for StatefulSet ${statefulSet} to go`, lookAfterMs: 1_000 }
  }
  if (call.facts?.move?.hasNextClaim === false) return { kind: 'missing' }
  return { kind: 'leaving', progress: `waiting for volume claim ${volumeClaim} to go`, lookAfterMs: 1_000 }
}
