// Everything that takes long is done; somebody, or the clock, says when writers are to be interrupted.
import type { SagaCall, SagaStep, Sight } from '../../index.ts'
import { awaitCutover, type UpgradeWorld } from './upgrade-world.ts'

export class AwaitCutoverStep<Scene> implements SagaStep<Scene> {
  readonly name = awaitCutover
  readonly timeoutMs = Number.POSITIVE_INFINITY
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<Sight> {
    // It has no effect that could be taken back.
    if (call.direction === 'back') return { kind: 'missing' }
    const progress = this.#world.cutoverWaitsFor(call)
    return progress === undefined ? { kind: 'done' } : { kind: 'pending', progress }
  }
}
