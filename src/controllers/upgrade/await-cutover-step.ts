// Everything that takes long is done; somebody, or the clock, says when writers are to be interrupted. The new side has to follow meanwhile:
// for one that does not the old server keeps its log, until its disk is full.
import type { SagaCall, SagaStep, Sight } from '../../index.ts'
import { observeReplication } from '../engines/replication-runner.ts'
import { followingSight, overdueSight } from './upgrade-sights.ts'
import { awaitCutover, movesByDump, type UpgradeWorld } from './upgrade-world.ts'

/** It may wait for days. */
const lookAfterMs = 30_000

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
    const waitsFor = this.#world.cutoverWaitsFor(call)
    if (movesByDump(this.#world, call)) return waitsFor === undefined ? { kind: 'done' } : pending(waitsFor)
    const followed = await this.#followed(call)
    if (followed.kind === 'broken') return followed
    return waitsFor === undefined ? { kind: 'done' } : pending(`${followed.progress}; ${waitsFor}`)
  }

  async #followed(call: SagaCall<Scene>) {
    const task = this.#world.replication(call)
    // The old side alone tells this, where the new one does not answer any more.
    const overdue = overdueSight(await task.publisher.observe(), this.#world.mayLagBytes?.(call))
    return overdue ?? followingSight((await observeReplication(task)).sides, task.token)
  }
}

function pending(progress: string): Sight {
  return { kind: 'pending', progress, lookAfterMs }
}
