// Step ScaleDownOld: no client writes to the source server, which stays readable. Its compensation lets exactly the
// former roles log in.
import type { Notes, SagaCall, SagaStep, StepObservation } from '../../index.ts'
import { recordOf } from '../engines/write-freeze.ts'
import { freezeNotes, freezeObservation, freezeRecordIn } from './upgrade-observations.ts'
import { movesByDump, type UpgradeWorld } from './upgrade-world.ts'

export const scaleDownOld = 'ScaleDownOld'

export class ScaleDownOldStep<Scene> implements SagaStep<Scene> {
  readonly name = scaleDownOld
  /** A session that does not end in this time blocks all other clients. */
  readonly timeoutMs = 60_000
  /** High enough that the timeout applies first: each attempt terminates remaining sessions. */
  readonly attempts = 1_000
  /** Roles stay locked out until the compensation succeeds, and nothing else does it. */
  readonly backTimeoutMs = Number.POSITIVE_INFINITY
  readonly backAttempts = Number.POSITIVE_INFINITY
  readonly backoff = { baseMs: 500, capMs: 5_000 }
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<StepObservation> {
    const record = freezeRecordIn(call.notes[this.name])
    const facts = await this.#world.writers(call).observe(record)
    return freezeObservation(record, facts, call.direction)
  }

  async remember(call: SagaCall<Scene>): Promise<Notes> {
    return freezeNotes(recordOf(await this.#world.writers(call).observe(undefined)))
  }

  async run(call: SagaCall<Scene>): Promise<void> {
    const record = freezeRecordIn(call.notes[this.name])
    if (record !== undefined) await this.#world.writers(call).freeze(record)
  }

  async compensate(call: SagaCall<Scene>): Promise<void> {
    const record = freezeRecordIn(call.notes[this.name])
    if (record === undefined) return
    try {
      await this.#world.writers(call).thaw(record)
    } catch (error) {
      // Earlier steps are compensated after this one, perhaps never: the slot must not retain WAL until then.
      if (!movesByDump(this.#world, call)) await this.#world.replication(call).publisher.remove().catch(ignored)
      throw error
    }
  }
}

/** Its own step compensates it again. */
function ignored(): void {}
