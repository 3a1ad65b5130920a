// What comes next for tables that follow those of another database? Decided from how both sides stand, and from how long they have
// been different. Pure.
import { createHash } from 'node:crypto'
import type { Token } from '../../../../index.ts'
import type { StatementServer } from '../../engine.ts'
import { hasReached, type LogPosition } from '../../log-position.ts'
import type { TableName } from '../../migration-step.ts'
import type { ReplicationEnd } from '../../replication.ts'
import type { ReplicationPass, ReplicationTask } from '../../replication-runner.ts'
import { jsonAnswer } from '../json-answer.ts'
import { PublisherClient } from '../replication/publisher-client.ts'
import { SubscriberClient } from '../replication/subscriber-client.ts'
import type { CopySource } from './copy-source-client.ts'
import { tableText } from './copy-statements.ts'

export type FollowNext =
  | { readonly kind: 'make' }
  /** With all rows of one moment, and a slot that begins there. */
  | { readonly kind: 'fill' }
  | { readonly kind: 'wait' }
  /** All rows are there: from which place of the source's log on would it have caught up? */
  | { readonly kind: 'aim' }
  | { readonly kind: 'compare' }
  /** It will not come to its end. */
  | { readonly kind: 'fail'; readonly message: string }

export interface FollowKnown {
  readonly tables: readonly TableName[]
  readonly goal: LogPosition | undefined
  /** What the target had failed when it last got on. */
  readonly failuresBefore: number
}

/** Servers try again every five seconds, also while the other one begins anew. */
const maxFailures = 60

export function followNext({ standing, sides }: ReplicationPass, known: FollowKnown): FollowNext {
  switch (standing.kind) {
    case 'refused':
      return { kind: 'fail', message: standing.obstacles.map(({ message }) => message).join('; ') }
    case 'broken':
      return { kind: 'fail', message: standing.cause.message }
    case 'incomplete': {
      const there = new Set(sides.source.tables.map(tableText))
      const partitioned = known.tables.find((table) => !there.has(tableText(table)))
      if (partitioned === undefined) return { kind: standing.next === 'fill' ? 'fill' : 'make' }
      const message = `table ${tableText(partitioned)} holds no rows itself in the source; name its partitions instead, or use mode Snapshot`
      return { kind: 'fail', message }
    }
    case 'following': {
      const failures = standing.failures - known.failuresBefore
      if (failures >= maxFailures) {
        const message = `the target has failed ${failures} times to apply rows; its log says why`
        return { kind: 'fail', message }
      }
      if (known.goal === undefined) return { kind: 'aim' }
      const confirmed = sides.source.slot?.confirmed
      const isThere = confirmed !== undefined && hasReached(confirmed, known.goal)
      return { kind: isThere ? 'compare' : 'wait' }
    }
  }
}

/** Older ones run as their admin what owners of tables have written: defaults, checks, triggers that always fire. */
export function targetProblem(majorVersion: number): string | undefined {
  return majorVersion >= 16
    ? undefined
    : `mode Logical needs PostgreSQL 16 or newer at the target, which has ${majorVersion}; use mode Snapshot`
}

export interface FollowPlace {
  /** The target among all servers, and its database there. */
  readonly site: string
  readonly database: string
  readonly target: StatementServer
  readonly majorVersion: number
  readonly migration: string
}

export interface Followed {
  readonly step: string
  /** The name of the source. */
  readonly source: string
}

/** The same for every attempt of the step, whichever worker makes it. */
export function replicationId(
  { site, migration }: Pick<FollowPlace, 'site' | 'migration'>,
  { step, source }: Followed,
): string {
  return createHash('sha256')
    .update(JSON.stringify([site, migration, step, source]))
    .digest('hex')
    .slice(0, 32)
}

/** Both ends, as they are found by name. */
export function endsOf(
  place: FollowPlace,
  followed: Followed,
  source: CopySource,
): Pick<ReplicationTask, 'publisher' | 'subscriber' | 'token'> {
  const id = replicationId(place, followed)
  const { database } = source
  const end: ReplicationEnd = { database, id, token: tokenOf(place, id) }
  const subscriber = subscriberOf(place, { id, sourceDatabase: database })
  return { publisher: new PublisherClient(source.server, end), subscriber, token: end.token }
}

export function subscriberOf(
  place: FollowPlace,
  { id, sourceDatabase }: { readonly id: string; readonly sourceDatabase: string },
): SubscriberClient {
  const { majorVersion, database, target } = place
  return new SubscriberClient(target, { id, token: tokenOf(place, id), database, sourceDatabase, majorVersion })
}

function tokenOf({ migration }: FollowPlace, id: string): Token {
  return { uid: id, generation: 1, holder: `Migration ${migration}` }
}

/** What is written down with the intent, so that whoever comes next can remove it. */
export function followText(source: string): string {
  return JSON.stringify([{ kind: 'replication', source }])
}

/** The source that was followed, if one was. */
export function followedIn(text: string | null | undefined): string | undefined {
  if (text == null) return undefined
  const found = jsonAnswer(text, 'what a step follows')
  const items: readonly unknown[] = Array.isArray(found) ? found : []
  for (const item of items) {
    if (typeof item !== 'object' || item === null || !('kind' in item) || !('source' in item)) continue
    if (item.kind === 'replication' && typeof item.source === 'string') return item.source
  }
  return undefined
}
