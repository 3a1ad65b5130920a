// What does a Database tell of itself? What was last seen on the server, and conditions that say how far it is and what keeps it
// from there. What cannot be seen at the moment stays as it was told last, and the conditions say that. Pure.
import { databaseServerNames } from '../../../constructs/index.ts'
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import { type ConditionClaim, clippedTo, type EventReport, isBeingDeleted, type StatusReport } from '../../index.ts'
import {
  type DatabaseReport,
  type DatabaseStatusContext,
  databaseConditions,
  sharingOf,
} from './database-conditions.ts'
import { databaseNameOf } from './logical-database.ts'
import { sizeText } from './size-text.ts'

type Fields = Omit<DatabaseStatus, 'observedGeneration' | 'lastHandledReconcileAt' | 'conditions' | 'external'>

export function databaseStatus(
  context: DatabaseStatusContext,
  report: DatabaseReport | undefined,
): StatusReport<DatabaseStatus> {
  const conditions = databaseConditions(context, report)
  return {
    fields: {
      phase: phaseOf(context, report),
      ...placeOf(context),
      ...seenOf(context, report),
      ...correctionOf(context, report),
      ...(sharingOf(context, report) ? { shared: true } : {}),
    },
    conditions,
    events: newsOf(context.object, conditions),
  }
}

/** A summary of the conditions, for people; programs read those. */
function phaseOf(
  { object, outcome }: DatabaseStatusContext,
  report: DatabaseReport | undefined,
): NonNullable<DatabaseStatus['phase']> {
  if (isBeingDeleted(object)) return 'Deleting'
  switch (outcome.kind) {
    case 'stopped':
      return 'Failed'
    case 'settled':
      return 'Ready'
    case 'waiting':
    case 'deleting':
    case 'retry':
      if (isThere(report) || object.status?.providerID !== undefined) return 'Configuring'
      return report?.state === 'pending' || object.spec.provider.server === undefined ? 'Provisioning' : 'Pending'
  }
}

function isThere(report: DatabaseReport | undefined): boolean {
  return report?.state === 'available' || report?.reason === 'ChangesPending'
}

/** Which database, where, and by which Secret: known before anything is there. */
function placeOf({ object, facts }: DatabaseStatusContext): Fields {
  const { inCluster, server } = object.spec.provider
  const connection = facts?.connection
  const endpoint =
    connection?.kind === 'known'
      ? { host: connection.access.host, port: connection.access.port }
      : object.status?.endpoint
  // Only of a server that we made: of another, its Secret is its owner's, and we were given it.
  const binding = inCluster === undefined ? undefined : { name: databaseServerNames(object.metadata.name).adminSecret }
  return {
    databaseName: databaseNameOf(object),
    provider: inCluster !== undefined ? 'InCluster' : server !== undefined ? 'Server' : 'RDS',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(binding === undefined ? {} : { binding }),
  }
}

/** What was seen if it was ours; else what was told last, which is of the one that was ours. */
function seenOf({ object }: DatabaseStatusContext, report: DatabaseReport | undefined): Fields {
  const { database, server, contents } = report?.observed ?? {}
  const { providerID, serverVersion, identity, observed } = object.status ?? {}
  if (database === undefined || server === undefined) {
    return {
      ...(providerID === undefined ? {} : { providerID }),
      ...(serverVersion === undefined ? {} : { serverVersion }),
      ...(identity === undefined ? {} : { identity }),
      ...(observed === undefined ? {} : { observed }),
    }
  }
  const extensions = contents?.extensions.map(({ name, version, schema }) => ({ name, version, schema }))
  const schemas = contents?.schemas.map(({ name }) => name)
  return {
    ...(report?.providerID === undefined ? {} : { providerID: report.providerID }),
    serverVersion: server.version,
    identity: { systemIdentifier: server.systemIdentifier, databaseOID: database.oid },
    observed: {
      owner: database.owner,
      ...(extensions === undefined ? {} : { extensions }),
      ...(schemas === undefined ? {} : { schemas }),
      ...sizeOf(database.sizeBytes, observed),
    },
  }
}

/** Bytes are told anew only when people would see it: a database in use has another size at every look. */
function sizeOf(sizeBytes: number | undefined, told: DatabaseStatus['observed']): DatabaseStatus['observed'] {
  if (sizeBytes === undefined) return {}
  const size = sizeText(sizeBytes)
  return { sizeBytes: told?.size === size ? (told.sizeBytes ?? sizeBytes) : sizeBytes, size }
}

function correctionOf({ object }: DatabaseStatusContext, report: DatabaseReport | undefined): Fields {
  const told = object.status?.lastDriftCorrection
  if (report === undefined || report.corrected.length === 0 || report.seenAtMs === undefined) {
    return told === undefined ? {} : { lastDriftCorrection: told }
  }
  const time = new Date(report.seenAtMs).toISOString().replace(/\.\d+/, '')
  const message = report.corrected.map((change) => change.message).join('; ')
  return { lastDriftCorrection: { time, message: clippedTo(longestMessage, message) } }
}

/** Characters, as the definition has it: the messages quote names that a foreign server chooses. */
const longestMessage = 32_768

/** What people should hear of once, besides what the runtime tells of making, adopting and putting right. */
function newsOf(
  object: DatabaseStatusContext['object'],
  conditions: readonly ConditionClaim[],
): readonly EventReport[] {
  const drifted = conditions.find(({ type, status }) => type === 'Drifted' && status === 'True')
  const told = object.status?.conditions?.find(({ type }) => type === 'Drifted')
  if (drifted === undefined || (told?.status === 'True' && told.reason === drifted.reason)) return []
  return [{ type: 'Warning', reason: drifted.reason, action: 'Observe', note: drifted.message }]
}
