// Who brings a replication about? Whoever calls this again and again: each call looks at both sides, and makes the one thing that is
// missing. A call may die anywhere; the next one sees what it did.
import { type Clock, sleep, type Token } from '../../index.ts'
import { EngineError } from './engine-error.ts'
import type { LogPosition } from './log-position.ts'
import type { Publisher, PublisherAddress, Subscriber, TableName } from './replication.ts'
import {
  type BothSides,
  isAnythingLeft,
  type ReplicationStanding,
  replicationStanding,
  sidesOf,
} from './replication-standing.ts'

export interface ReplicationTask {
  readonly publisher: Publisher
  readonly subscriber: Subscriber
  /** That of both ends. */
  readonly token: Token
  readonly address: PublisherAddress
  /** Of the password in `address`. */
  readonly verifier: string
  /** Absent: all that there are, with their sequences. */
  readonly tables?: readonly TableName[] | undefined
  /** Of which moment the target holds all rows. */
  readonly filledFrom: () => Promise<LogPosition | undefined>
}

export interface ReplicationPass {
  /** Before anything was made. */
  readonly sides: BothSides
  readonly standing: ReplicationStanding
}

export async function observeReplication(
  task: Pick<ReplicationTask, 'publisher' | 'subscriber' | 'token' | 'tables' | 'filledFrom'>,
): Promise<ReplicationPass> {
  // Before the source is seen: a slot that is another one by then is found to be that.
  const filledFrom = await task.filledFrom()
  const [source, target] = await Promise.all([task.publisher.observe(), task.subscriber.observe()])
  const all = { source, target, filledFrom }
  const sides = task.tables === undefined ? all : sidesOf(task.tables, all)
  return { sides, standing: replicationStanding(sides, task.token) }
}

/** Call it again at once while it is `incomplete`. Rejects with an EngineError. */
export async function advanceReplication(task: ReplicationTask): Promise<ReplicationPass> {
  const pass = await observeReplication(task)
  await makeMissing(pass, task)
  return pass
}

/** The one part that was seen to be missing, if one was. */
export async function makeMissing({ standing, sides }: ReplicationPass, task: ReplicationTask): Promise<void> {
  if (standing.kind !== 'incomplete') return
  try {
    await make(standing.next, task, sides)
  } catch (error) {
    // Somebody made it since we looked, and the next look says who.
    if (!(error instanceof EngineError && error.code === 'AlreadyExists')) throw error
  }
}

/** A sender that was told to end may take a while. */
const maxRemovals = 20
const removalPollMs = 500

/** Both sides have to be reached. Resolves when nothing of it is left on either. */
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

type Part = Extract<ReplicationStanding, { readonly kind: 'incomplete' }>['next']

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
      return // Whoever fills it is told by the standing.
    case 'subscribe':
      return subscriber.subscribe(address)
  }
}
