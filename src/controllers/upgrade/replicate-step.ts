// The new side follows the old one, which is written to as before. Taken back, nothing of it is left on either side: also when one of
// them is dead, as a slot that nobody takes from fills the disk of the other.
import { CodedError, type Notes, type SagaCall, type SagaStep, type Sight } from '../../index.ts'
import { advanceReplication, observeReplication, type ReplicationTask } from '../engines/replication-runner.ts'
import { isAnythingLeft } from '../engines/replication-standing.ts'
import { brokenBy, replicationSight } from './upgrade-sights.ts'
import { movesByDump, type UpgradeWorld } from './upgrade-world.ts'

/** Login, publication, slot, subscription, and a look at the end. */
const maxPasses = 5

export class ReplicateStep<Scene> implements SagaStep<Scene> {
  readonly name = 'Replicate'
  /** Tables may be large. */
  readonly timeoutMs = 24 * 3_600_000
  readonly attempts = 10
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<Sight> {
    if (movesByDump(this.#world, call)) return { kind: call.direction === 'back' ? 'missing' : 'done' }
    const task = this.#world.replication(call)
    if (call.direction === 'back') return await leftOf(task)
    return replicationSight((await observeReplication(task)).sides, task.token)
  }

  async run(call: SagaCall<Scene>): Promise<void> {
    const task = this.#world.replication(call)
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const { standing } = await advanceReplication(task)
      if (standing.kind === 'refused') {
        const { reason, message } = brokenBy(standing.obstacles, true)
        throw new CodedError({ code: reason, message, remedy: 'stop' })
      }
      if (standing.kind !== 'incomplete') return
    }
  }

  /** By it the slots are found with which the new side copied tables, should it die meanwhile. */
  async remember(call: SagaCall<Scene>): Promise<Notes> {
    const { systemIdentifier } = await this.#world.replication(call).subscriber.observe()
    return { subscriber: systemIdentifier }
  }

  async compensate(call: SagaCall<Scene>): Promise<void> {
    const { publisher, subscriber } = this.#world.replication(call)
    const ends = [subscriber.remove(), publisher.remove({ subscriber: subscriberIn(call.notes) })]
    for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
  }
}

/** The identifier of the new server, as this step has noted it. */
export function subscriberIn(notes: SagaCall<unknown>['notes']): string | undefined {
  return notes['Replicate']?.['subscriber']
}

/** What is seen on one side has to go, whatever is with the other one. */
async function leftOf(task: ReplicationTask): Promise<Sight> {
  const [source, target] = await Promise.allSettled([task.publisher.observe(), task.subscriber.observe()])
  const seen = {
    ...(source.status === 'fulfilled' ? { source: source.value } : {}),
    ...(target.status === 'fulfilled' ? { target: target.value } : {}),
  }
  if (isAnythingLeft(seen, task.token)) return { kind: 'done' }
  for (const side of [source, target]) if (side.status === 'rejected') throw side.reason
  return { kind: 'missing' }
}
