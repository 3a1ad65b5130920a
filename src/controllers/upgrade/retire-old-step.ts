// Step RetireOld: the source server retains no WAL for the target any more, and stays frozen while it is kept.
import type { SagaCall, SagaStep, StepObservation } from '../../index.ts'
import { isAnythingLeft } from '../engines/replication-state.ts'
import { movesByDump, type UpgradeWorld } from './upgrade-world.ts'

export class RetireOldStep<Scene> implements SagaStep<Scene> {
  readonly name = 'RetireOld'
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<StepObservation> {
    if (movesByDump(this.#world, call)) return { kind: 'done' }
    const { publisher, token } = this.#world.replication(call)
    return isAnythingLeft({ source: await publisher.observe() }, token) ? { kind: 'missing' } : { kind: 'done' }
  }

  async run(call: SagaCall<Scene>): Promise<void> {
    await this.#world.replication(call).publisher.remove()
  }
}
