// The new side holds what the old one held when it was frozen: all rows, sequences where they stood, nothing else. Nothing to take back, as the
// steps before it remove the new side as a whole.
import { durationMs, type Notes, type SagaCall, type SagaStep, type StepObservation } from '../../index.ts'
import { observeReplication } from '../engines/replication-runner.ts'
import { scaleDownOld } from './scale-down-old-step.ts'
import { catchUpObservation, freezeLost, freezeRecordIn } from './upgrade-observations.ts'
import { migrateData, movesByDump, type UpgradeWorld } from './upgrade-world.ts'

export class MigrateDataStep<Scene> implements SagaStep<Scene> {
  readonly name = migrateData
  /** Writers wait meanwhile. */
  readonly timeoutMs = ({ maxWait }: Notes) => durationMs(maxWait ?? '') ?? 15 * 60_000
  /** Each server that begins anew may cost one for each of its sessions, and takes a while. */
  readonly attempts = 6
  readonly backoff = { baseMs: 500, capMs: 5_000 }
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<StepObservation> {
    if (call.direction === 'back') return { kind: 'missing' }
    const sight = movesByDump(this.#world, call) ? await this.#filled(call) : await this.#caughtUp(call)
    if (sight !== undefined) return sight
    const differences = await this.#world.differences(call)
    if (differences.length === 0) return { kind: 'done' }
    const message = `the new side is another than the old one: ${differences.join('; ')}`
    return { kind: 'broken', reason: 'ManifestMismatch', message, isTerminal: false }
  }

  /** Undefined, as below: both sides can be compared. */
  async #caughtUp(call: SagaCall<Scene>): Promise<StepObservation | undefined> {
    const task = this.#world.replication(call)
    const record = freezeRecordIn(call.notes[scaleDownOld])
    const writers = await this.#world.writers(call).observe(record)
    const { sides } = await observeReplication(task)
    const goal = call.notes[this.name]?.['goal']
    return catchUpObservation({ sides, goal, record, writers }, task.token)
  }

  async #filled(call: SagaCall<Scene>): Promise<StepObservation | undefined> {
    const record = freezeRecordIn(call.notes[scaleDownOld])
    const lost = freezeLost(record, await this.#world.writers(call).observe(record))
    if (lost !== undefined) return lost
    const sight = await this.#world.filling.look(call)
    return sight.kind === 'done' ? undefined : sight
  }

  /** Everything that was acknowledged comes before it, as writers have been turned away. */
  async remember(call: SagaCall<Scene>): Promise<Notes> {
    if (movesByDump(this.#world, call)) return {}
    return { goal: await this.#world.replication(call).publisher.milestone() }
  }

  /** By a dump too: sequences of the old side may be ahead of it, as a server that begins anew skips numbers. */
  async run(call: SagaCall<Scene>): Promise<void> {
    if (movesByDump(this.#world, call)) {
      const { filling } = this.#world
      if ((await filling.look(call)).kind !== 'done') return await filling.run?.(call)
    }
    const { publisher, subscriber } = this.#world.replication(call)
    await subscriber.setSequences(await publisher.sequencePositions())
  }
}
