// Does the new server hold all rows of the old one, by a dump of it? A worker makes it anew with them; its Job is declared while the step
// Replicate or MigrateData is due.
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
      // A server that has died over its rows tells nobody of them; the worker whose tries are over does.
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
