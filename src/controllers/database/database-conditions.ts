// Which conditions follow from how a database was last found? Those of the kind; Ready, Progressing and Degraded are the runtime's
// but for a better word here and there. What was known and is not now is Unknown. Pure.
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
  // No turn has come to it yet, or none can.
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

/** Where the runtime has but one word for all kinds. What is only reported keeps nobody from using the database. */
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

/** Is it there, and ours? */
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
      // It was there, and may still be.
      return [claim('Provisioned', object.status?.providerID === undefined ? 'False' : 'Unknown', reason, message)]
    case 'none':
    case 'kept':
      return []
    default:
      return [claim('Provisioned', 'False', reason, message)]
  }
}

/** Does the server answer, and let us in? */
function connectedOf({ facts }: DatabaseStatusContext, report: DatabaseReport | undefined): readonly ConditionClaim[] {
  const connection = facts?.connection
  if (connection?.kind === 'unknown') return [claim('Connected', 'False', connection.reason, connection.message)]
  if (report === undefined || connection === undefined || untouched.has(report.state)) return []
  if (isUnrequested(report)) return [claim('Connected', 'False', report.reason, report.message)]
  const { host, port } = connection.access
  return [claim('Connected', 'True', 'Connected', `the server at ${host}:${port} answers`)]
}

/** Nothing was asked of the server. */
const untouched: ReadonlySet<string> = new Set(['none', 'blocked', 'kept', 'gone'])

/** Is everything in it as declared? */
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

/** Drifted: what was changed by hand and still differs, and last the unmanaged roles, which people have to judge. */
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

/** True for a database that other namespaces share, or shared and left unmanaged roles in. */
export function sharingOf({ object, facts }: DatabaseStatusContext, report: DatabaseReport | undefined): boolean {
  return isShared({
    consents: facts?.consents,
    isWithdrawn: report?.corrected.some(({ reason }) => reason === 'ConsentWithdrawn') === true,
    wasShared: object.status?.shared === true,
    database: report?.observed?.database,
  })
}

/** What was told before of a database that nobody can look at now. */
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

/** What keeps us from knowing how the server is reached; nothing where it is only to be made yet. */
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

/** The words of the contract for what a server says. */
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
