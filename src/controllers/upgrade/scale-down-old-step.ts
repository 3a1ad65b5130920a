// Nobody writes to the old side any more, which stays up to be read from. Taken back, exactly those may log in again who could before.
import type { Notes, SagaCall, SagaStep, Sight } from '../../index.ts'
import { recordOf } from '../engines/write-freeze.ts'
import { freezeNotes, freezeRecordIn, freezeSight } from './upgrade-sights.ts'
import { movesByDump, type UpgradeWorld } from './upgrade-world.ts'

export const scaleDownOld = 'ScaleDownOld'

export class ScaleDownOldStep<Scene> implements SagaStep<Scene> {
  readonly name = scaleDownOld
  /** Whoever cannot be turned away in this time keeps everybody else from working. */
  readonly timeoutMs = 60_000
  /** So many that the time ends it first: each ends the sessions that are still there. */
  readonly attempts = 1_000
  /** Who was turned away stays away until this has been done, and nobody else does it. */
  readonly backTimeoutMs = Number.POSITIVE_INFINITY
  readonly backAttempts = Number.POSITIVE_INFINITY
  readonly backoff = { baseMs: 500, capMs: 5_000 }
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<Sight> {
    const record = freezeRecordIn(call.notes[this.name])
    const facts = await this.#world.writers(call).observe(record)
    return freezeSight(record, facts, call.direction)
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
      // What was before this step is taken back after it, which may never come: a slot must not keep the server's log until then.
      if (!movesByDump(this.#world, call)) await this.#world.replication(call).publisher.remove().catch(ignored)
      throw error
    }
  }
}

/** It is taken back once more by the step whose it is. */
function ignored(): void {}
