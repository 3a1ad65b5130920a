// Step Replicate: the target replicates from the source while clients write. Its compensation removes everything on
// both servers, even if one of them is dead, because an unused slot fills the disk of the other one.
import { CodedError, type SagaCall, type SagaStep, type StepObservation } from '../../index.ts'
import { EngineError } from '../engines/engine-error.ts'
import { advanceReplication, observeReplication, type ReplicationTask } from '../engines/replication-runner.ts'
import { isAnythingLeft } from '../engines/replication-state.ts'
import { brokenBy, overdueObservation, replicationObservation } from './upgrade-observations.ts'
import { movesByDump, replicate, type UpgradeWorld } from './upgrade-world.ts'

/** Login, publication, rows with their slot, subscription, and a last observation. */
const maxPasses = 5

export class ReplicateStep<Scene> implements SagaStep<Scene> {
  readonly name = replicate
  /** Tables may be large. */
  readonly timeoutMs = 24 * 3_600_000
  readonly attempts = 10
  readonly #world: UpgradeWorld<Scene>

  constructor(world: UpgradeWorld<Scene>) {
    this.#world = world
  }

  async verify(call: SagaCall<Scene>): Promise<StepObservation> {
    if (movesByDump(this.#world, call)) return { kind: call.direction === 'back' ? 'missing' : 'done' }
    const task = this.#world.replication(call)
    if (call.direction === 'back') return await leftOf(task, this.#world.newServerGoes)
    return (
      (await this.#unfilled(call, task)) ?? replicationObservation((await observeReplication(task)).sides, task.token)
    )
  }

  /** Observation while the target is being filled and may be incomplete; undefined if it can be observed as a whole. */
  async #unfilled(call: SagaCall<Scene>, { publisher }: ReplicationTask): Promise<StepObservation | undefined> {
    const source = await publisher.observe()
    const overdue = overdueObservation(source, this.#world.mayLagBytes?.(call))
    if (overdue !== undefined) return overdue
    if (source.publication === undefined) return undefined
    const sight = await this.#world.filling.look(call)
    return sight.kind === 'done' ? undefined : sight
  }

  async run(call: SagaCall<Scene>): Promise<void> {
    const task = this.#world.replication(call)
    if ((await this.#unfilled(call, task)) !== undefined) await this.#world.filling.run?.(call)
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const { standing } = await advanceReplication(task)
      if (standing.kind === 'refused') {
        const { reason, message } = brokenBy(standing.obstacles, true)
        throw new CodedError({ code: reason, message, remedy: 'stop' })
      }
      if (standing.kind !== 'incomplete') return
      // After the publication a worker fills the target; wait until it is complete.
      if (standing.next !== 'publish' && standing.next !== 'fill') continue
      if (this.#world.filling.run === undefined) return
      await this.#world.filling.run(call)
    }
  }

  async compensate(call: SagaCall<Scene>): Promise<void> {
    const task = this.#world.replication(call)
    const ends = [task.publisher.remove()]
    if (this.#world.newServerGoes !== true) ends.push(task.subscriber.remove().catch(unlessGone))
    for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
  }
}

/** Leftovers on one server are removed, whatever the state of the other one. */
async function leftOf(task: ReplicationTask, newServerGoes = false): Promise<StepObservation> {
  const { publisher, token } = task
  if (newServerGoes) {
    return isAnythingLeft({ source: await publisher.observe() }, token) ? { kind: 'done' } : { kind: 'missing' }
  }
  const [source, target] = await Promise.allSettled([publisher.observe(), task.subscriber.observe()])
  const seen = {
    ...(source.status === 'fulfilled' ? { source: source.value } : {}),
    ...(target.status === 'fulfilled' ? { target: target.value } : {}),
  }
  if (isAnythingLeft(seen, token)) return { kind: 'done' }
  if (source.status === 'rejected') throw source.reason
  if (target.status === 'rejected') unlessGone(target.reason)
  return { kind: 'missing' }
}

/** A database that does not exist, because a worker died before filling it, has no subscription. */
function unlessGone(error: unknown): void {
  if (!(error instanceof EngineError && error.sqlState === '3D000')) throw error
}
