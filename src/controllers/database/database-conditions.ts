// Conditions of a Database from its last observation. Ready, Progressing and Degraded come from the runtime; some get a
// more specific reason here. A condition that was known and cannot be observed now is Unknown. Pure.
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import { type ConditionClaim, type ExternalReport, isBeingDeleted, type StatusContext } from '../../index.ts'
import { isUnrequested, unknownSince } from '../engines/unrequested.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { awaitedSentence } from './final-backup.ts'
import type { ObservedLogicalDatabase } from './logical-database.ts'
import type { ServerConnection } from './server-connection.ts'
import { isShared, unmanagedMessage } from './unmanaged-roles.ts'

export type DatabaseStatusContext = StatusContext<DatabaseSpec, DatabaseStatus, DatabaseFacts>
export type DatabaseReport = ExternalReport<ObservedLogicalDatabase>

export function databaseConditions(
  context: DatabaseStatusContext,
  given: DatabaseReport | undefined,
): readonly ConditionClaim[] {
  // No reconcile has observed it yet, or none can.
  const isUnseen =
    given?.reason === 'NotLookedAt' || (lostWay(context) !== undefined && !isBeingDeleted(context.object))
  const report = isUnseen ? undefined : given
  const known = [
    ...readyOf(context, report),
    ...(report === undefined ? [] : provisionedOf(context, report)),
    ...connectedOf(context, report),
    ...(report === undefined ? [] : [...configuredOf(report), ...driftedOf(context, report)]),
    ...deletionBlockedOf(context, report),
  ]
  return [...known, ...unknownOf(context, report, known)]
}

/**
 * Returns more specific reasons than the runtime's. Drift that is only reported does not prevent use of the database.
 */
function readyOf({ outcome }: DatabaseStatusContext, report: DatabaseReport | undefined): readonly ConditionClaim[] {
  if (outcome.kind === 'settled') {
    if (report === undefined || report.drift.length === 0)
      return [claim('Ready', 'True', 'InSync', 'the database is as declared')]
    return [claim('Ready', 'True', 'Drifted', messagesOf(report.drift))]
  }
  if (outcome.kind !== 'waiting' || report === undefined || report.state === 'available') return []
  return [
    claim('Ready', 'False', report.reason, report.message),
    claim('Progressing', 'True', report.reason, report.message),
  ]
}

/** Provisioned: the database exists and belongs to the resource. */
function provisionedOf({ object }: DatabaseStatusContext, report: DatabaseReport): readonly ConditionClaim[] {
  const { state, reason, message } = report
  switch (state) {
    case 'available':
      return [claim('Provisioned', 'True', 'Available', message)]
    case 'pending':
      return reason === 'ChangesPending'
        ? [claim('Provisioned', 'True', 'Available', message)]
        : [claim('Provisioned', 'False', 'Creating', message)]
    case 'failed':
      if (!isUnrequested(report) && object.status?.providerID !== undefined) {
        return [claim('Provisioned', 'True', 'Available', 'the database is there')]
      }
      // The database existed, and may still exist.
      return [claim('Provisioned', object.status?.providerID === undefined ? 'False' : 'Unknown', reason, message)]
    case 'none':
    case 'kept':
      return []
    default:
      return [claim('Provisioned', 'False', reason, message)]
  }
}

/** Connected: the server answers and accepts the admin's login. */
function connectedOf({ facts }: DatabaseStatusContext, report: DatabaseReport | undefined): readonly ConditionClaim[] {
  const connection = facts?.connection
  if (connection?.kind === 'unknown') return [claim('Connected', 'False', connection.reason, connection.message)]
  if (report === undefined || connection === undefined || untouched.has(report.state)) return []
  if (isUnrequested(report)) return [claim('Connected', 'False', report.reason, report.message)]
  const { host, port } = connection.access
  return [claim('Connected', 'True', 'Connected', `the server at ${host}:${port} answers`)]
}

/** States in which the operator did not query the server. */
const untouched: ReadonlySet<string> = new Set(['none', 'blocked', 'kept', 'gone'])

/** Configured: everything in the database is as declared. */
function configuredOf(report: DatabaseReport): readonly ConditionClaim[] {
  const { state, reason, message, drift } = report
  if (state === 'available') {
    return drift.length === 0
      ? [claim('Configured', 'True', 'Configured', 'owner, access, extensions and schemas are as declared')]
      : [claim('Configured', 'False', drift[0]?.reason ?? reason, messagesOf(drift))]
  }
  const isTried = reason === 'ChangesPending' || (state === 'failed' && !isUnrequested(report))
  return isTried ? [claim('Configured', 'False', reason, message)] : []
}

/** Drifted: manual changes that still differ, then unmanaged roles, which an administrator has to judge. */
function driftedOf(context: DatabaseStatusContext, report: DatabaseReport): readonly ConditionClaim[] {
  const { state, reason, message, observed } = report
  const database = state === 'available' ? observed?.database : undefined
  const roles = database && sharingOf(context, report) ? unmanagedMessage(database) : undefined
  const drift = [...report.drift, ...(roles === undefined ? [] : [{ reason: 'UnmanagedRoles', message: roles }])]
  const [first] = drift
  if (first !== undefined) return [claim('Drifted', 'True', first.reason, messagesOf(drift))]
  const isOther = state === 'vanished' || reason === 'IdentityChanged'
  if (isOther) return [claim('Drifted', 'True', reason, message)]
  return state === 'available' ? [claim('Drifted', 'False', 'InSync', '')] : []
}

/** Returns whether other namespaces share the database, or shared it and left unmanaged roles in it. */
export function sharingOf({ object, facts }: DatabaseStatusContext, report: DatabaseReport | undefined): boolean {
  return isShared({
    consents: facts?.consents,
    isWithdrawn: report?.corrected.some(({ reason }) => reason === 'ConsentWithdrawn') === true,
    wasShared: object.status?.shared === true,
    database: report?.observed?.database,
  })
}

/** Returns Unknown for known conditions of a database that cannot be observed now. */
function unknownOf(
  context: DatabaseStatusContext,
  report: DatabaseReport | undefined,
  known: readonly ConditionClaim[],
): readonly ConditionClaim[] {
  const { object } = context
  const why = lostWay(context) ?? (report !== undefined && isUnrequested(report) ? report : undefined)
  if (why === undefined || isBeingDeleted(object)) return []
  const types = ['Provisioned', 'Configured', 'Drifted'].filter((type) => !known.some((one) => one.type === type))
  return unknownSince(object.status, types, why)
}

/** Returns why the connection is unknown; undefined if it is known, or if the server does not exist yet. */
function lostWay({ facts }: DatabaseStatusContext): Extract<ServerConnection, { kind: 'unknown' }> | undefined {
  const connection = facts?.connection
  return connection?.kind === 'unknown' && connection.reason !== 'ServerNotMade' ? connection : undefined
}

function deletionBlockedOf(
  { object, facts }: DatabaseStatusContext,
  report: DatabaseReport | undefined,
): readonly ConditionClaim[] {
  const { users = [], finalBackup } = facts ?? {}
  if (finalBackup?.kind === 'awaited' && users.length === 0) {
    const reason = finalBackup.standing.kind === 'failed' ? 'SnapshotFailed' : 'SnapshotPending'
    const message = awaitedSentence(object, finalBackup)
    return (['Ready', 'DeletionBlocked'] as const).map((type) =>
      claim(type, type === 'Ready' ? 'False' : 'True', reason, message),
    )
  }
  if (report === undefined) return []
  const { state, reason, message } = report
  const isBlocked = isBeingDeleted(object) && (state === 'blocked' || state === 'failed' || state === 'broken')
  return isBlocked ? [claim('DeletionBlocked', 'True', blockedReasons.get(reason) ?? reason, message)] : []
}

/** Reasons of the API for errors of the server. */
const blockedReasons: ReadonlyMap<string, string> = new Map([
  ['DatabaseInUse', 'InUse'],
  ['DependentObjects', 'HasDependents'],
])

function messagesOf(changes: DatabaseReport['drift']): string {
  return changes.map(({ message }) => message).join('; ')
}

function claim(type: string, status: ConditionClaim['status'], reason: string, message: string): ConditionClaim {
  return { type, status, reason, message }
}
