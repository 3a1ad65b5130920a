// Does the new server hold all rows of the old one, by a dump of it? A worker makes it anew with them; its Job is declared while the step
// Replicate or MigrateData is due.
import type { Sight } from '../../../index.ts'
import type { DatabaseServer } from '../../engines/engine.ts'
import { observeSide } from '../../upgrade/new-side-worker.ts'
import { filledSight } from '../../upgrade/upgrade-sights.ts'
import type { Filling } from '../../upgrade/upgrade-world.ts'
import { workerSight } from './provision-new-step.ts'
import { methodOf, orderOf, type Scene, type UpgradeCall } from './upgrade-scene.ts'

export class FillingByJob implements Filling<Scene> {
  readonly #newServer: (call: UpgradeCall) => DatabaseServer

  constructor(newServer: (call: UpgradeCall) => DatabaseServer) {
    this.#newServer = newServer
  }

  async look(call: UpgradeCall): Promise<Sight> {
    const sight = await this.#sight(call)
    const isUnderWay = sight.kind === 'missing' || (sight.kind === 'broken' && !sight.isTerminal)
    return isUnderWay ? workerSight(call, work) : sight
  }

  async #sight(call: UpgradeCall): Promise<Sight> {
    try {
      return filledSight(await observeSide(orderOf(call), this.#newServer(call)), methodOf(call))
    } catch (error) {
      // A server that has died over its rows tells nobody of them; the worker whose tries are over does.
      if (!hasFailed(call)) throw error
      return workerSight(call, work)
    }
  }
}

const work = 'a dump of the old server is restored'

function hasFailed({ facts }: UpgradeCall): boolean {
  const run = facts?.move?.prepare?.run
  return run?.kind === 'ended' && run.report.outcome !== 'Completed'
}
