// Status of a Database on RDS, in addition to that of every Database. Its two parts can fail separately: the instance,
// and the database on it. The instance decides whether there is a server, and the conditions that follow. Pure.
import { databaseServerNames } from '../../../../constructs/index.ts'
import type { DatabaseStatus } from '../../../../imports/wire/database.ts'
import { type ConditionClaim, type ExternalReport, isBeingDeleted, type StatusReport } from '../../../index.ts'
import type { DatabaseStatusContext } from '../database-conditions.ts'
import type { ObservedInstance } from './instance.ts'
import { instanceGate } from './instance-gate.ts'

type InstanceReport = ExternalReport<ObservedInstance>

/** `status`: status of the database alone. A Database of another provider keeps it. */
export function withInstance(
  status: StatusReport<DatabaseStatus>,
  { object, outcome }: DatabaseStatusContext,
  report: InstanceReport | undefined,
): StatusReport<DatabaseStatus> {
  if (object.spec.provider.rds === undefined || report === undefined) return status
  const { fields, conditions } = status
  const isComing = fields.phase === 'Configuring' && instanceGate(report) !== undefined
  const endpoint = report.observed?.endpoint ?? fields.endpoint
  const providerID = report.providerID ?? object.status?.providerID
  const { providerID: _, endpoint: __, ...others } = fields
  const own = isBeingDeleted(object) ? deletionClaims(report) : claimsOf(report, conditions)
  return {
    ...status,
    fields: {
      ...others,
      ...(isComing && outcome.kind !== 'stopped' ? { phase: 'Provisioning' } : {}),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(providerID === undefined ? {} : { providerID }),
      provisioning: provisioningOf(object.status, report),
      binding: { name: databaseServerNames(object.metadata.name).adminSecret },
    },
    conditions: [...conditions.filter(({ type }) => !own.some((claim) => claim.type === type)), ...own],
  }
}

function provisioningOf(
  told: DatabaseStatus | undefined,
  report: InstanceReport,
): NonNullable<DatabaseStatus['provisioning']> {
  const record = told?.external?.find(({ name }) => name === report.name)
  const lastObservedState = report.observed?.state ?? /RDS says ([a-z-]+)/.exec(report.message)?.[1]
  return {
    ...(record === undefined
      ? {}
      : { token: `${record.token.uid}-${record.token.generation}`, startedAt: record.requestedAt }),
    ...(lastObservedState === undefined ? {} : { lastObservedState }),
  }
}

function claimsOf(report: InstanceReport, conditions: readonly ConditionClaim[]): readonly ConditionClaim[] {
  return [provisioned(report), ...driftedOf(report, conditions)]
}

/** Provisioned: there is a server to connect to. */
function provisioned(report: InstanceReport): ConditionClaim {
  const { state, observed, message } = report
  const gate = instanceGate(report)
  if (gate !== undefined) {
    const reason = state === 'pending' && gate.reason === 'Provisioning' ? 'Creating' : gate.reason
    return claim('Provisioned', 'False', reason, message)
  }
  if (observed?.trouble !== undefined) {
    return claim('Provisioned', 'True', observed.trouble.reason, `the instance serves, but ${observed.trouble.advice}`)
  }
  // The instance existed at its last observation.
  if (state === 'failed') return claim('Provisioned', 'Unknown', report.reason, message)
  return claim('Provisioned', 'True', 'Available', message)
}

function driftedOf(report: InstanceReport, conditions: readonly ConditionClaim[]): readonly ConditionClaim[] {
  const { state, drift, reason, message } = report
  if (state === 'vanished') return [claim('Drifted', 'True', reason, message)]
  const [first] = drift
  const database = conditions.find(({ type, status }) => type === 'Drifted' && status === 'True')
  if (first === undefined || database !== undefined) return []
  return [claim('Drifted', 'True', first.reason, drift.map((change) => change.message).join('; '))]
}

/** The database is removed before the instance, so its own deletion conditions come first. */
function deletionClaims({ state, reason, message }: InstanceReport): readonly ConditionClaim[] {
  const isBlocked = state === 'blocked' || state === 'failed' || state === 'broken'
  return isBlocked ? [claim('DeletionBlocked', 'True', reason, message)] : []
}

function claim(type: string, status: ConditionClaim['status'], reason: string, message: string): ConditionClaim {
  return { type, status, reason, message }
}
