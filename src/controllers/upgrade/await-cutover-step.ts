// Step AwaitCutover: waits for the approval or the scheduled time of the cutover, and until the target server has
// caught up.
// The target must keep replicating meanwhile: the source server retains WAL for its slot, until the disk is full.
import type { Notes, SagaCall, SagaStep, StepObservation } from '../../index.ts'
import { observeReplication } from '../engines/replication-runner.ts'
import { cutoverObservation, overdueObservation } from './upgrade-observations.ts'
import { awaitCutover, movesByDump, type UpgradeWorld } from './upgrade-world.ts'

/** The step may wait for days. */
const lookAfterMs = 30_000

export class AwaitCutoverStep<Scene> implements SagaStep<Scene> {
  readonly name = awaitCutover
  readonly timeoutMs = Number.POSITIVE_INFINITY
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<StepObservation> {
    // The step has no effect to compensate.
    if (call.direction === 'back') return { kind: 'missing' }
    const waitsFor = this.#world.cutoverWaitsFor(call)
    if (movesByDump(this.#world, call)) {
      return waitsFor === undefined ? { kind: 'done' } : { kind: 'pending', progress: waitsFor, lookAfterMs }
    }
    const task = this.#world.replication(call)
    // The source server alone shows this, even if the target server does not answer.
    const overdue = overdueObservation(await task.publisher.observe(), this.#world.mayLagBytes?.(call))
    if (overdue !== undefined) return overdue
    const { sides } = await observeReplication(task)
    return cutoverObservation({ sides, goal: call.notes[this.name]?.['goal'], waitsFor }, task.token)
  }

  /** Position of the source server when the approval is complete. */
  async remember(call: SagaCall<Scene>): Promise<Notes> {
    return { goal: await this.#world.replication(call).publisher.milestone() }
  }

  /** Replication reaches the position without action. */
  async run(): Promise<void> {}
}
