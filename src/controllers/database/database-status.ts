// Status of a Database: the last observation of the server, and conditions. Fields that cannot be observed now keep
// their previous values, which the conditions indicate. Pure.
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
    events: eventsOf(context.object, conditions),
  }
}

/** Summary of the conditions for people. Programs read the conditions. */
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

/** Database, address and Secret, which are known before the database exists. */
function placeOf({ object, facts }: DatabaseStatusContext): Fields {
  const { inCluster, server } = object.spec.provider
  const connection = facts?.connection
  const endpoint =
    connection?.kind === 'known'
      ? { host: connection.access.host, port: connection.access.port }
      : object.status?.endpoint
  // Only for a server of the operator. For another server, the Secret is its owner's and is part of the spec.
  const binding = inCluster === undefined ? undefined : { name: databaseServerNames(object.metadata.name).adminSecret }
  return {
    databaseName: databaseNameOf(object),
    provider: inCluster !== undefined ? 'InCluster' : server !== undefined ? 'Server' : 'RDS',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(binding === undefined ? {} : { binding }),
  }
}

/** The observation if the database belongs to this Database, else the previous values. */
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

/** Updates the bytes only when the rounded size changes, because a database in use changes at every observation. */
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

/** Characters, as in the CRD. Messages quote names that the server chooses. */
const longestMessage = 32_768

/** Events in addition to the runtime's Events about creation, adoption and correction. */
function eventsOf(
  object: DatabaseStatusContext['object'],
  conditions: readonly ConditionClaim[],
): readonly EventReport[] {
  const drifted = conditions.find(({ type, status }) => type === 'Drifted' && status === 'True')
  const told = object.status?.conditions?.find(({ type }) => type === 'Drifted')
  if (drifted === undefined || (told?.status === 'True' && told.reason === drifted.reason)) return []
  return [{ type: 'Warning', reason: drifted.reason, action: 'Observe', note: drifted.message }]
}
