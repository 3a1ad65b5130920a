// Step MigrateData: the target holds exactly what the source held at the freeze, all rows and sequence positions.
// It has no compensation, because compensations of earlier steps remove the whole target.
import { durationMs, type Notes, type SagaCall, type SagaStep, type StepObservation } from '../../index.ts'
import { observeReplication } from '../engines/replication-runner.ts'
import { scaleDownOld } from './scale-down-old-step.ts'
import { catchUpObservation, freezeLost, freezeRecordIn } from './upgrade-observations.ts'
import { migrateData, movesByDump, type UpgradeWorld } from './upgrade-world.ts'

export class MigrateDataStep<Scene> implements SagaStep<Scene> {
  readonly name = migrateData
  /** Limits how long clients wait. */
  readonly timeoutMs = ({ maxWait }: Notes) => durationMs(maxWait ?? '') ?? 15 * 60_000
  /** A restart of a server can cost one attempt per session, and takes a while. */
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

  /** Returns undefined if both sides can be compared; so does `#filled`. */
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

  /** Notes the WAL position to reach. All acknowledged writes precede it, because the writers are frozen. */
  async remember(call: SagaCall<Scene>): Promise<Notes> {
    if (movesByDump(this.#world, call)) return {}
    return { goal: await this.#world.replication(call).publisher.milestone() }
  }

  /** Sets sequences after a dump too: a restart of the source skips numbers, so its sequences may be ahead of it. */
  async run(call: SagaCall<Scene>): Promise<void> {
    if (movesByDump(this.#world, call)) {
      const { filling } = this.#world
      if ((await filling.look(call)).kind !== 'done') return await filling.run?.(call)
    }
    const { publisher, subscriber } = this.#world.replication(call)
    await subscriber.setSequences(await publisher.sequencePositions())
  }
}
