// Step SwitchTraffic: applications use the target. It is the pivot, because from the first login on the target may hold
// data that the source lacks. Before it, the step verifies the freeze again, ends the subscription and rehearses.
import { CodedError, type SagaCall, type SagaStep, type StepObservation } from '../../index.ts'
import { freezeState } from '../engines/write-freeze.ts'
import { scaleDownOld } from './scale-down-old-step.ts'
import { freezeRecordIn } from './upgrade-observations.ts'
import { movesByDump, type UpgradeWorld } from './upgrade-world.ts'

export const switchTraffic = 'SwitchTraffic'

export class SwitchTrafficStep<Scene> implements SagaStep<Scene> {
  readonly name = switchTraffic
  readonly timeoutMs = 15 * 60_000
  readonly backoff = { baseMs: 500, capMs: 30_000 }
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<StepObservation> {
    return await this.#world.traffic.look(call)
  }

  async run(call: SagaCall<Scene>): Promise<void> {
    const { traffic } = this.#world
    // A partial switch is completed without these checks, because their conditions hold only before the switch.
    if ((await traffic.look(call)).kind === 'missing') await this.#makeSure(call)
    await traffic.lead(call)
  }

  async #makeSure(call: SagaCall<Scene>): Promise<void> {
    const record = freezeRecordIn(call.notes[scaleDownOld])
    const writers = await this.#world.writers(call).observe(record)
    if (record === undefined || freezeState(record, writers).kind !== 'frozen') {
      const message = 'somebody may write to the old side again, or does'
      throw new CodedError({ code: 'WriteFreezeLost', message, remedy: 'stop' })
    }
    if (!movesByDump(this.#world, call)) await this.#world.replication(call).subscriber.remove()
    await this.#world.traffic.rehearse(call)
  }
}
