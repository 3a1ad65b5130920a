// Observations of an upgrade's steps, from the facts of both databases and the notes of earlier steps. Pure.
import type { Notes, SagaCall, StepObservation, Token } from '../../index.ts'
import { bytesBetween } from '../engines/log-position.ts'
import type { PublisherFacts } from '../engines/replication.ts'
import {
  type BothSides,
  hasCaughtUp,
  isAnythingLeft,
  type Obstacle,
  type ReplicationState,
  replicationState,
} from '../engines/replication-state.ts'
import { type FreezeRecord, freezeState, stillAway, type WriterFacts } from '../engines/write-freeze.ts'

import type { SideState } from './new-side.ts'
import type { MoveMethod } from './upgrade-world.ts'

type Direction = SagaCall<unknown>['direction']

const missing: StepObservation = { kind: 'missing' }

/** Observes the roles, the database and the schema of the target. */
export function sideObservation(standing: SideState): StepObservation {
  switch (standing.kind) {
    case 'missing':
      return missing
    case 'partial':
      return { kind: 'broken', reason: 'Incomplete', message: 'a part of the new side is there', isTerminal: false }
    case 'prepared':
    case 'opened':
      return { kind: 'done' }
    case 'refused': {
      const { code: reason, message } = standing.error
      return { kind: 'broken', reason, message, isTerminal: true }
    }
  }
}

/** Like sideObservation, with rows of the source. The method Replication also needs their WAL position. */
export function filledObservation(standing: SideState, method: MoveMethod): StepObservation {
  if (standing.kind !== 'prepared') return sideObservation(standing)
  const { holds, from } = standing.ledger
  const hasRows = holds === 'rows' && (from !== undefined) === (method === 'Replication')
  return hasRows ? sideObservation(standing) : missing
}

/** Observes the replication. It is `missing` while no part exists; the attempt to create it reports rejections. */
export function replicationObservation(sides: BothSides, token: Token): StepObservation {
  if (!isAnythingLeft(sides, token)) return missing
  const standing = replicationState(sides, token)
  switch (standing.kind) {
    case 'refused':
      return brokenBy(standing.obstacles, true)
    case 'broken':
      return brokenBy([standing.cause], true)
    case 'incomplete':
      // The target has all rows, as intended. This is no failed attempt.
      if (standing.next === 'subscribe') return missing
      return { kind: 'broken', reason: 'Incomplete', message: `${standing.next} is due`, isTerminal: false }
    case 'following':
      return { kind: 'done' }
  }
}

/**
 * Returns the progress of replication before the freeze. An interrupted replication is terminal: it does not recover by
 * itself, and the source retains WAL for it.
 */
function followingObservation(sides: BothSides, token: Token): Followed | Broken {
  const standing = replicationState(sides, token)
  switch (standing.kind) {
    case 'following':
      return { kind: 'following', progress: behind(standing), lagBytes: standing.lagBytes }
    case 'refused':
      return brokenBy(standing.obstacles, true)
    case 'broken':
      return brokenBy([standing.cause], true)
    case 'incomplete': {
      const message = `somebody has taken away what it follows by: to ${standing.next} is due again`
      return { kind: 'broken', reason: 'ReplicationLost', message, isTerminal: true }
    }
  }
}

/**
 * Decides whether the freeze may start, so that clients wait only for the last changes. It needs the approval, a target
 * that has confirmed all writes before `goal`, and a small lag. A target that cannot apply changes, or is hours behind,
 * would keep clients waiting.
 */
export function cutoverObservation({ sides, goal, waitsFor }: Cutover, token: Token): StepObservation {
  const followed = followingObservation(sides, token)
  if (followed.kind === 'broken') return followed
  const { progress, lagBytes } = followed
  if (waitsFor !== undefined) return { kind: 'pending', progress: `${progress}; ${waitsFor}`, lookAfterMs: 30_000 }
  if (goal === undefined) return missing
  const isRunning = sides.target.subscription?.isRunning === true
  if (isRunning && lagBytes <= mostLagAtCutover && hasCaughtUp(sides, token, goal)) return { kind: 'done' }
  const why = 'applications are not turned away before it has caught up'
  return { kind: 'pending', progress: `${progress}; ${why}`, lookAfterMs: 1_000 }
}

/** Lag in bytes that a target applies in seconds, and more than a busy source writes between two confirmations. */
const mostLagAtCutover = 64n * 1_024n * 1_024n

export interface Cutover {
  readonly sides: BothSides
  /** WAL position of the source, noted when nothing else was pending. */
  readonly goal: string | undefined
  /** Pending approval or time; undefined: none. */
  readonly waitsFor: string | undefined
}

/** Returns undefined while the source retains at most the allowed WAL for the target. */
export function overdueObservation({ slot, position }: KeptLog, mayLagBytes: bigint | undefined): Broken | undefined {
  if (slot?.confirmed === undefined || mayLagBytes === undefined) return undefined
  const lagBytes = bytesBetween(slot.confirmed, position)
  if (lagBytes <= mayLagBytes) return undefined
  const message = `the old server keeps ${lagBytes} bytes of its log for the new one, which has not taken them; more than ${mayLagBytes} could fill its disk`
  return { kind: 'broken', reason: 'ReplicationLagging', message, isTerminal: true }
}

type Broken = Extract<StepObservation, { readonly kind: 'broken' }>
type KeptLog = Pick<PublisherFacts, 'slot' | 'position'>

interface Followed {
  readonly kind: 'following'
  /** Lag as a phrase for messages. */
  readonly progress: string
  readonly lagBytes: bigint
}

export function brokenBy(obstacles: readonly Obstacle[], isTerminal: boolean): Broken {
  const [first] = obstacles
  const message = obstacles.map((obstacle) => obstacle.message).join('; ')
  return { kind: 'broken', reason: first?.reason ?? 'Broken', message, isTerminal }
}

/**
 * Observes the freeze. `record` is noted before the first login is disabled. The compensation is complete when all
 * recorded roles may log in again.
 */
export function freezeObservation(
  record: FreezeRecord | undefined,
  facts: WriterFacts,
  direction: Direction,
): StepObservation {
  if (record === undefined) return missing
  const away = stillAway(record, facts)
  if (direction === 'back') {
    return away.length === 0 ? missing : { kind: 'done' }
  }
  const standing = freezeState(record, facts)
  switch (standing.kind) {
    case 'frozen':
      return { kind: 'done' }
    case 'draining':
      // The process that disabled the logins may have died before it terminated their sessions.
      if (facts.sessions > 0)
        return { kind: 'broken', reason: 'Incomplete', message: standing.message, isTerminal: false }
      return { kind: 'pending', progress: standing.message, lookAfterMs: 250 }
    case 'open': {
      if (standing.unrecorded.length > 0) {
        const message = `${standing.unrecorded.join(', ')} may log in since the freeze began; begin again`
        return { kind: 'broken', reason: 'WriterCame', message, isTerminal: true }
      }
      if (away.length === 0) return missing
      const message = `${standing.recorded.join(', ')} may still log in`
      return { kind: 'broken', reason: 'Incomplete', message, isTerminal: false }
    }
  }
}

/** Returns undefined if the target has caught up and the freeze held, so that both sides can be compared. */
export function catchUpObservation(seen: CatchUp, token: Token): StepObservation | undefined {
  const { sides, goal, record, writers } = seen
  if (goal === undefined) return missing
  const lost = freezeLost(record, writers)
  if (lost !== undefined) return lost
  const standing = replicationState(sides, token)
  if (standing.kind === 'broken') return brokenBy([standing.cause], true)
  if (hasCaughtUp(sides, token, goal)) return undefined
  const progress = standing.kind === 'following' ? behind(standing) : 'it does not follow yet'
  return { kind: 'pending', progress, lookAfterMs: 250 }
}

function behind({ lagBytes, failures }: Extract<ReplicationState, { readonly kind: 'following' }>): string {
  const failing = failures === 0 ? '' : `, ${failures} failed attempts, of which the log of the new server tells why`
  return `${lagBytes} bytes behind${failing}`
}

export function freezeLost(record: FreezeRecord | undefined, writers: WriterFacts): StepObservation | undefined {
  if (record !== undefined && freezeState(record, writers).kind === 'frozen') return undefined
  const message = 'somebody may write to the old side again, or does'
  return { kind: 'broken', reason: 'WriteFreezeLost', message, isTerminal: true }
}

export interface CatchUp {
  readonly sides: BothSides
  /** WAL position of the source, noted when it was frozen. */
  readonly goal: string | undefined
  readonly record: FreezeRecord | undefined
  readonly writers: WriterFacts
}

/** Returns the record as notes of a step. */
export function freezeNotes({ logins }: FreezeRecord): Notes {
  return { logins: JSON.stringify(logins) }
}

export function freezeRecordIn(notes: Notes | undefined): FreezeRecord | undefined {
  const text = notes?.['logins']
  // Sound: only freezeNotes writes it.
  return text === undefined ? undefined : { logins: JSON.parse(text) as readonly string[] }
}
