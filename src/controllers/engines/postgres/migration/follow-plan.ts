// Next action of a logical copy, from the state of both servers, the position to reach and the target's failures. Pure.
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
  /** Copy all rows of one snapshot, and create a slot that begins there. */
  | { readonly kind: 'fill' }
  | { readonly kind: 'wait' }
  /** All rows are there. Determine the source position at which the target has caught up. */
  | { readonly kind: 'aim' }
  | { readonly kind: 'compare' }
  /** The copy cannot complete. */
  | { readonly kind: 'fail'; readonly message: string }

export interface FollowKnown {
  readonly tables: readonly TableName[]
  readonly goal: LogPosition | undefined
  /** The target's failures at its last progress. */
  readonly failuresBefore: number
}

/** The target retries every 5 s, also while the source restarts. */
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

/**
 * Returns why the target cannot run a logical copy. Before PostgreSQL 16, a target runs code of table owners as its
 * admin: defaults, checks, triggers that always fire.
 */
export function targetProblem(majorVersion: number): string | undefined {
  return majorVersion >= 16
    ? undefined
    : `mode Logical needs PostgreSQL 16 or newer at the target, which has ${majorVersion}; use mode Snapshot`
}

export interface FollowPlace {
  /** Identity of the target among all servers, and its database. */
  readonly site: string
  readonly database: string
  readonly target: StatementServer
  readonly majorVersion: number
  readonly migration: string
}

export interface Followed {
  readonly step: string
  /** Name of the source Database. */
  readonly source: string
}

/** Returns the same id for every attempt and every worker of the step. */
export function replicationId(
  { site, migration }: Pick<FollowPlace, 'site' | 'migration'>,
  { step, source }: Followed,
): string {
  return createHash('sha256')
    .update(JSON.stringify([site, migration, step, source]))
    .digest('hex')
    .slice(0, 32)
}

/** Both ends of the replication, found by name. */
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

/** Text of the column `leftovers`, written with the intent. A later worker removes the replication by it. */
export function followText(source: string): string {
  return JSON.stringify([{ kind: 'replication', source }])
}

/** Returns the source in such a text. Undefined if the step did not replicate. */
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
