// Fills the target server with all rows of the source server, from a dump. A worker creates the database there again,
// with the rows. Its Job is declared during the step Replicate or MigrateData.
import type { StepObservation } from '../../../index.ts'
import type { DatabaseServer } from '../../engines/engine.ts'
import { observeSide } from '../../upgrade/new-side-worker.ts'
import { filledObservation } from '../../upgrade/upgrade-observations.ts'
import type { Filling } from '../../upgrade/upgrade-world.ts'
import { workerObservation } from './provision-new-step.ts'
import { methodOf, orderOf, type UpgradeCall, type UpgradeResource } from './upgrade-resource.ts'

export class FillingByJob implements Filling<UpgradeResource> {
  readonly #newServer: (call: UpgradeCall) => DatabaseServer

  constructor(newServer: (call: UpgradeCall) => DatabaseServer) {
    this.#newServer = newServer
  }

  async look(call: UpgradeCall): Promise<StepObservation> {
    const sight = await this.#sight(call)
    const isUnderWay = sight.kind === 'missing' || (sight.kind === 'broken' && !sight.isTerminal)
    return isUnderWay ? workerObservation(call, work) : sight
  }

  async #sight(call: UpgradeCall): Promise<StepObservation> {
    try {
      return filledObservation(await observeSide(orderOf(call), this.#newServer(call)), methodOf(call))
    } catch (error) {
      // A server that crashed because of its rows cannot be observed. The worker reports it after its last try.
      if (!hasFailed(call)) throw error
      return workerObservation(call, work)
    }
  }
}

const work = 'a dump of the old server is restored'

function hasFailed({ facts }: UpgradeCall): boolean {
  const run = facts?.move?.prepare?.run
  return run?.kind === 'ended' && run.report.outcome !== 'Completed'
}
