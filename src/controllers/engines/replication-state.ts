// State of a logical replication and its next step, decided only from observations of both servers. Pure.
// Invariant: a replication that would break writers at the source, or silently lose rows, is rejected before it creates
// an object.
import { nameList, type Token } from '../../index.ts'
import { bytesBetween, hasReached, type LogPosition } from './log-position.ts'
import type { PublisherFacts, SubscriberFacts, TableName } from './replication.ts'

export type ReplicationState =
  /** Rejected: obstacles exist, or the names belong to objects of another owner. Nothing is created. */
  | { readonly kind: 'refused'; readonly obstacles: readonly Obstacle[] }
  /** `fill` creates the slot and copies all rows of its snapshot. */
  | { readonly kind: 'incomplete'; readonly next: 'admit' | 'publish' | 'fill' | 'subscribe' }
  | { readonly kind: 'following'; readonly lagBytes: bigint; readonly failures: number }
  /** Needs a restart: remove all parts and empty the target's tables. */
  | { readonly kind: 'broken'; readonly cause: Obstacle }

/** Cause of a rejected or broken replication: a reason in CamelCase and a sentence. */
export interface Obstacle {
  readonly reason: ObstacleReason
  readonly message: string
}

export type ObstacleReason =
  | 'WalLevelTooLow'
  | 'NoReplicaIdentity'
  | 'MissingReplicationRight'
  | 'ServerReadOnly'
  | 'TooManySlots'
  | 'UnloggedTables'
  | 'LargeObjects'
  | 'SequencesUnreadable'
  | 'TablesMissing'
  | 'TablesNotEmpty'
  | 'OwnersCode'
  | 'NotOwned'
  | 'SlotLost'
  | 'TablesChanged'
  | 'SubscriptionDisabled'

export interface BothSides {
  readonly source: PublisherFacts
  readonly target: SubscriberFacts
  /**
   * Position of the source at which the target has all rows; undefined: rows are missing. Ignored once the target has a
   * subscription.
   */
  readonly filledFrom: LogPosition | undefined
}

/** Returns the state of the replication whose parts carry `token`. */
export function replicationState(sides: BothSides, token: Token): ReplicationState {
  const { source, target } = sides
  const foreign = foreignParts(sides, token)
  if (foreign.length > 0) return { kind: 'refused', obstacles: foreign }
  if (target.subscription === undefined) {
    const obstacles = obstaclesTo(sides)
    if (obstacles.length > 0) return { kind: 'refused', obstacles }
    if (source.login?.canLogin !== true) return { kind: 'incomplete', next: 'admit' }
    if (source.publication === undefined) return { kind: 'incomplete', next: 'publish' }
    return fillingState(sides)
  }
  const cause = breakOf(sides)
  if (cause !== undefined) return { kind: 'broken', cause }
  const { failures } = target.subscription
  const confirmed = source.slot?.confirmed
  const lagBytes = confirmed === undefined ? 0n : bytesBetween(confirmed, source.position)
  return { kind: 'following', lagBytes: lagBytes < 0n ? 0n : lagBytes, failures }
}

/** A slot that starts at another position than the rows belongs to another attempt, and would skip changes. */
function fillingState({ source: { slot }, filledFrom: from }: BothSides): ReplicationState {
  if (from === undefined) return { kind: 'incomplete', next: 'fill' }
  if (slot !== undefined && slot.confirmed === from && !slot.isLost) return { kind: 'incomplete', next: 'subscribe' }
  const message =
    'the source no longer keeps what comes behind the rows that were copied; see its max_slot_wal_keep_size, and begin anew'
  return { kind: 'broken', cause: { reason: 'SlotLost', message } }
}

/**
 * Returns both sides reduced to these tables, without sequences and large objects. The caller handles other objects
 * that the tables need.
 */
export function sidesOf(tables: readonly TableName[], { source, target, filledFrom }: BothSides): BothSides {
  const wanted = new Set(tables.map(nameOf))
  const isWanted = (table: TableName) => wanted.has(nameOf(table))
  return {
    source: { ...source, tables: source.tables.filter(isWanted), sequences: [], largeObjects: 0 },
    target: { ...target, tables: target.tables.filter(isWanted), sequences: [] },
    filledFrom,
  }
}

/** Returns whether a part of this replication exists on an observed side. An unobserved side counts as empty. */
export function isAnythingLeft({ source, target }: Partial<Omit<BothSides, 'filledFrom'>>, { uid }: Token): boolean {
  const isOurs = (part: { readonly token: Token | undefined } | undefined) => part?.token?.uid === uid
  const isForeign =
    source !== undefined && [source.login, source.publication].some((part) => part !== undefined && !isOurs(part))
  const isAtSource = isOurs(source?.login) || isOurs(source?.publication) || (source?.slot !== undefined && !isForeign)
  return isAtSource || isOurs(target?.subscription)
}

/** Returns whether the target has confirmed all changes before `goal`, a WAL position of the source. */
export function hasCaughtUp(sides: BothSides, token: Token, goal: LogPosition): boolean {
  const confirmed = sides.source.slot?.confirmed
  if (confirmed === undefined || replicationState(sides, token).kind !== 'following') return false
  return hasReached(confirmed, goal)
}

/** Returns all obstacles to a start at once, so that an admin changes the server only once. */
function obstaclesTo({ source, target, filledFrom }: BothSides): readonly Obstacle[] {
  return [
    ...sourceObstacles(source),
    ...tableObstacles(source),
    ...targetObstacles(source, target),
    ...(filledFrom === undefined ? fullTables(source, target) : []),
  ]
}

function sourceObstacles(source: PublisherFacts): readonly Obstacle[] {
  const { admin, walLevel, canReplicate, canPublish, isReadOnly } = source
  return [
    ...when(isReadOnly, 'ServerReadOnly', 'the source is read only, so that nothing can be published there'),
    ...when(
      walLevel !== 'logical',
      'WalLevelTooLow',
      `the source has wal_level = ${walLevel}; set it to logical and restart that server`,
    ),
    ...when(
      !canReplicate,
      'MissingReplicationRight',
      `${quoted(admin)} may not replicate at the source; let a superuser do it, or ALTER ROLE ${quoted(admin)} REPLICATION BYPASSRLS CREATEROLE`,
    ),
    ...when(
      !canPublish,
      'MissingReplicationRight',
      `${quoted(admin)} may not publish all tables of the source; it needs CREATE on the database and has to be a member of the owner of each table`,
    ),
    ...when(
      source.slot === undefined && (source.freeSlots < 2 || source.freeSenders < 2),
      'TooManySlots',
      `the source has ${source.freeSlots} free slots and ${source.freeSenders} free senders, and at least two of each are needed; raise max_replication_slots or max_wal_senders`,
    ),
  ]
}

function tableObstacles({ tables, sequences, largeObjects }: PublisherFacts): readonly Obstacle[] {
  const unlogged = tables.filter(({ isUnlogged }) => isUnlogged)
  const nameless = tables.filter(({ isUnlogged, hasIdentity }) => !isUnlogged && !hasIdentity)
  const hidden = sequences.filter(({ isReadable }) => !isReadable)
  return [
    ...when(
      nameless.length > 0,
      'NoReplicaIdentity',
      `${namesOf(nameless)} of the source cannot tell rows apart; give each a primary key, or set REPLICA IDENTITY FULL`,
    ),
    ...when(
      unlogged.length > 0,
      'UnloggedTables',
      `${namesOf(unlogged)} of the source would stay behind; ALTER TABLE … SET LOGGED, or drop what is not needed`,
    ),
    ...when(
      largeObjects > 0,
      'LargeObjects',
      `${largeObjects} large ${largeObjects === 1 ? 'object' : 'objects'} of the source would stay behind; only a dump carries them`,
    ),
    ...when(hidden.length > 0, 'SequencesUnreadable', `${namesOf(hidden)} of the source may not be read by its admin`),
  ]
}

function targetObstacles({ tables }: PublisherFacts, target: SubscriberFacts): readonly Obstacle[] {
  const there = new Map(target.tables.map((table) => [nameOf(table), table]))
  const missing = tables.filter((table) => !there.has(nameOf(table)))
  const owners = tables.flatMap((table) => there.get(nameOf(table)) ?? []).filter(({ codeOf }) => codeOf !== null)
  return [
    ...when(target.isReadOnly, 'ServerReadOnly', 'the target is read only'),
    ...when(
      !target.canSubscribe,
      'MissingReplicationRight',
      `${quoted(target.admin)} may not subscribe at the target; it has to be a superuser, or since PostgreSQL 16 a member of pg_create_subscription with CREATE on the database`,
    ),
    ...when(
      target.freeWorkers < 2,
      'TooManySlots',
      `the target has ${target.freeWorkers} free workers, and at least two are needed; raise max_logical_replication_workers`,
    ),
    ...when(
      owners.length > 0,
      'OwnersCode',
      `${namesOf(owners)} of the target would run code of ${quoted(owners[0]?.codeOf ?? '')} with the rights of ${quoted(target.admin)}, as servers before PostgreSQL 16 do; use a newer server, or a dump`,
    ),
    ...when(missing.length > 0, 'TablesMissing', `${namesOf(missing)} are not at the target; the schema comes first`),
  ]
}

function fullTables({ tables }: PublisherFacts, target: SubscriberFacts): readonly Obstacle[] {
  const full = new Set(target.tables.filter(({ isEmpty }) => !isEmpty).map(nameOf))
  const named = tables.filter((table) => full.has(nameOf(table)))
  return when(named.length > 0, 'TablesNotEmpty', `${namesOf(named)} of the target are not empty; TRUNCATE them`)
}

/** Returns parts that have the names of this replication and lack its ownership marker. */
function foreignParts({ source, target }: BothSides, { uid }: Token): readonly Obstacle[] {
  const parts = { login: source.login, publication: source.publication, subscription: target.subscription }
  return Object.entries(parts).flatMap(([what, part]) =>
    when(
      part !== undefined && part.token?.uid !== uid,
      'NotOwned',
      `there is a ${what} of the wanted name that was not made for this`,
    ),
  )
}

function breakOf({ source, target }: BothSides): Obstacle | undefined {
  const unpublished = source.tables.filter(({ isPublished }) => !isPublished)
  const published = source.tables.filter(({ isPublished }) => isPublished)
  const followed = new Set(target.tables.filter(({ isFollowed }) => isFollowed).map(nameOf))
  const lost = published.filter((table) => !followed.has(nameOf(table)))
  const [cause] = [
    ...when(
      source.slot === undefined || source.slot.isLost,
      'SlotLost',
      'the source no longer keeps what the target has not taken yet; see its max_slot_wal_keep_size, and begin anew',
    ),
    ...when(source.publication === undefined, 'SlotLost', 'the publication at the source is gone; begin anew'),
    ...when(
      unpublished.length > 0,
      'TablesChanged',
      `${namesOf(unpublished)} came to the source since it began, and do not travel; begin anew`,
    ),
    ...when(lost.length > 0, 'TablesChanged', `${namesOf(lost)} are no longer followed by the target; begin anew`),
    ...when(
      target.subscription?.isEnabled === false,
      'SubscriptionDisabled',
      'somebody has disabled the subscription of the target; ALTER SUBSCRIPTION … ENABLE lets it go on',
    ),
  ]
  return cause
}

function when(holds: boolean, reason: ObstacleReason, message: string): readonly Obstacle[] {
  return holds ? [{ reason, message }] : []
}

const mostNamed = 5

/** Returns e.g. `shop.orders`, or `a.b, a.c and 7 more`. */
function namesOf(tables: readonly TableName[]): string {
  return nameList(tables.map(nameOf), mostNamed)
}

function nameOf({ schema, name }: TableName): string {
  return [schema, name].map((part) => (/^[a-z_][a-z0-9_]*$/.test(part) ? part : JSON.stringify(part))).join('.')
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
