// Steps of a logical replication. Each call observes both servers and creates the next missing part. Invariant: a call
// may end anywhere, and the next call observes its effect. The caller repeats calls.
import { type Clock, sleep, type Token } from '../../index.ts'
import { EngineError } from './engine-error.ts'
import type { LogPosition } from './log-position.ts'
import type { Publisher, PublisherAddress, Subscriber, TableName } from './replication.ts'
import {
  type BothSides,
  isAnythingLeft,
  type ReplicationState,
  replicationState,
  sidesOf,
} from './replication-state.ts'

export interface ReplicationTask {
  readonly publisher: Publisher
  readonly subscriber: Subscriber
  /** Ownership token of the objects on both servers. */
  readonly token: Token
  readonly address: PublisherAddress
  /** SCRAM verifier of the password in `address`. */
  readonly verifier: string
  /** Absent: all tables, with their sequences. */
  readonly tables?: readonly TableName[] | undefined
  /** Returns the source position whose rows the target holds completely. */
  readonly filledFrom: () => Promise<LogPosition | undefined>
}

export interface ReplicationPass {
  /** Observed before any change. */
  readonly sides: BothSides
  readonly standing: ReplicationState
}

export async function observeReplication(
  task: Pick<ReplicationTask, 'publisher' | 'subscriber' | 'token' | 'tables' | 'filledFrom'>,
): Promise<ReplicationPass> {
  // Read before the source is observed, so that a slot replaced meanwhile does not match.
  const filledFrom = await task.filledFrom()
  const [source, target] = await Promise.all([task.publisher.observe(), task.subscriber.observe()])
  const all = { source, target, filledFrom }
  const sides = task.tables === undefined ? all : sidesOf(task.tables, all)
  return { sides, standing: replicationState(sides, task.token) }
}

/**
 * Observes and creates one missing part. Call again immediately while the state is `incomplete`. Rejects with an
 * EngineError.
 */
export async function advanceReplication(task: ReplicationTask): Promise<ReplicationPass> {
  const pass = await observeReplication(task)
  await makeMissing(pass, task)
  return pass
}

/** Creates the part that was observed as missing, if any. */
export async function makeMissing({ standing, sides }: ReplicationPass, task: ReplicationTask): Promise<void> {
  if (standing.kind !== 'incomplete') return
  try {
    await make(standing.next, task, sides)
  } catch (error) {
    // Another client created it after the observation. The next observation finds its owner.
    if (!(error instanceof EngineError && error.code === 'AlreadyExists')) throw error
  }
}

/** A WAL sender may take a while to stop. */
const maxRemovals = 20
const removalPollMs = 500

/** Removes the replication from both servers, which have to be reachable. Resolves when no part is left on either. */
export async function removeReplication(
  { publisher, subscriber, token }: Pick<ReplicationTask, 'publisher' | 'subscriber' | 'token'>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (let removal = 1; ; removal += 1) {
    await subscriber.remove()
    try {
      await publisher.remove()
      const [source, target] = [await publisher.observe(), await subscriber.observe()]
      if (!isAnythingLeft({ source, target }, token)) return
    } catch (error) {
      const isInUse = error instanceof EngineError && error.code === 'DatabaseInUse'
      if (!isInUse || removal >= maxRemovals) throw error
    }
    await sleep(clock, removalPollMs, signal)
  }
}

type Part = Extract<ReplicationState, { readonly kind: 'incomplete' }>['next']

async function make(
  part: Part,
  { publisher, subscriber, address, verifier }: ReplicationTask,
  sides: BothSides,
): Promise<void> {
  switch (part) {
    case 'admit':
      return publisher.admit(verifier)
    case 'publish':
      return publisher.publish(sides.source.tables)
    case 'fill':
      return // The caller fills the target when it sees this state.
    case 'subscribe':
      return subscriber.subscribe(address)
  }
}
