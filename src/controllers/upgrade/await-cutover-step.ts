// Everything that takes long is done; somebody, or the clock, says when writers are to be interrupted, and the new side has caught up until
// then. It has to follow meanwhile: for one that does not the old server keeps its log, until its disk is full.
import type { Notes, SagaCall, SagaStep, Sight } from '../../index.ts'
import { observeReplication } from '../engines/replication-runner.ts'
import { cutoverSight, overdueSight } from './upgrade-sights.ts'
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
    if (movesByDump(this.#world, call)) {
      return waitsFor === undefined ? { kind: 'done' } : { kind: 'pending', progress: waitsFor, lookAfterMs }
    }
    const task = this.#world.replication(call)
    // The old side alone tells this, where the new one does not answer any more.
    const overdue = overdueSight(await task.publisher.observe(), this.#world.mayLagBytes?.(call))
    if (overdue !== undefined) return overdue
    const { sides } = await observeReplication(task)
    return cutoverSight({ sides, goal: call.notes[this.name]?.['goal'], waitsFor }, task.token)
  }

  /** Of the moment at which nobody has to be asked any more. */
  async remember(call: SagaCall<Scene>): Promise<Notes> {
    return { goal: await this.#world.replication(call).publisher.milestone() }
  }

  /** The new side gets there by itself. */
  async run(): Promise<void> {}
}
