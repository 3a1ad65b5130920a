// Who brings a replication about? Whoever calls this again and again: each call looks at both sides, and makes the one thing that is
// missing. A call may die anywhere; the next one sees what it did.
import type { Token } from '../../index.ts'
import { EngineError } from './engine-error.ts'
import type { Publisher, PublisherAddress, Subscriber } from './replication.ts'
import { type BothSides, type ReplicationStanding, replicationStanding } from './replication-standing.ts'

export interface ReplicationTask {
  readonly publisher: Publisher
  readonly subscriber: Subscriber
  /** That of both ends. */
  readonly token: Token
  readonly address: PublisherAddress
  /** Of the password in `address`. */
  readonly verifier: string
}

export interface ReplicationPass {
  /** Before anything was made. */
  readonly sides: BothSides
  readonly standing: ReplicationStanding
}

export async function observeReplication(
  task: Pick<ReplicationTask, 'publisher' | 'subscriber' | 'token'>,
): Promise<ReplicationPass> {
  const [source, target] = await Promise.all([task.publisher.observe(), task.subscriber.observe()])
  const sides = { source, target }
  return { sides, standing: replicationStanding(sides, task.token) }
}

/** Call it again at once while it is `incomplete`. Rejects with an EngineError. */
export async function advanceReplication(task: ReplicationTask): Promise<ReplicationPass> {
  const pass = await observeReplication(task)
  if (pass.standing.kind !== 'incomplete') return pass
  try {
    await make(pass.standing.next, task, pass.sides)
  } catch (error) {
    // Somebody made it since we looked, and the next look says who.
    if (!(error instanceof EngineError && error.code === 'AlreadyExists')) throw error
  }
  return pass
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
    case 'retain':
      return publisher.retain()
    case 'subscribe':
      return subscriber.subscribe(address)
  }
}
