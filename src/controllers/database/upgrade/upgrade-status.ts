// Status of a Database's upgrade: the serving server, the progress of the move, and whether the database can be used
// meanwhile. Other parts of the status stay. Pure.
import type { DatabaseStatus } from '../../../../imports/wire/database.ts'
import {
  type ConditionClaim,
  isBeingDeleted,
  type SagaRecord,
  type SagaReport,
  type StatusReport,
} from '../../../index.ts'
import { scaleDownOld } from '../../upgrade/scale-down-old-step.ts'
import { freezeRecordIn } from '../../upgrade/upgrade-observations.ts'
import { awaitCutover } from '../../upgrade/upgrade-world.ts'
import type { DatabaseStatusContext } from '../database-conditions.ts'
import { type ServerSides, servedSide, upgradeName } from '../server-sides.ts'
import { waitsFor } from './desired-upgrade.ts'

type Fields = Pick<DatabaseStatus, 'server' | 'previous' | 'upgrade'>

/** `status`: status of the database alone. */
export function withUpgrade(
  status: StatusReport<DatabaseStatus>,
  context: DatabaseStatusContext,
): StatusReport<DatabaseStatus> {
  const { object, facts } = context
  if (object.spec.provider.inCluster === undefined) return status
  const saga = withLogins(context.sagas.find(({ name }) => name === upgradeName))
  const { fields, conditions, dueAtMs = [] } = status
  const own = [...conditionsOf(context, saga, conditions), ...waitingOf(context, saga)]
  const moves = saga !== undefined && isUnderWay(saga)
  const serves = own.some(({ type, status: state }) => type === 'Ready' && state === 'True')
  const keptUntilMs = facts?.sides?.beside?.role === 'previous' ? facts.sides.keptUntilMs : undefined
  return {
    ...status,
    fields: {
      ...fields,
      ...(serves ? { phase: 'Ready' as const } : {}),
      ...(moves && fields.phase !== 'Deleting' ? { phase: 'Upgrading' as const } : {}),
      ...fieldsOf(context, saga),
    },
    conditions: [...own, ...conditions.filter(({ type }) => !own.some((claim) => claim.type === type))],
    dueAtMs: [...dueAtMs, ...[keptUntilMs, facts?.others?.lookAgainAtMs].filter((ms) => ms !== undefined)],
  }
}

function fieldsOf({ object, facts }: DatabaseStatusContext, saga: SagaReport | undefined): Fields {
  const { statefulSet: name, version } = facts?.sides?.serving ?? servedSide(object)
  const previous = facts === undefined ? object.status?.previous : previousOf(facts.sides)
  return {
    ...(version === '' ? {} : { server: { name, version } }),
    ...(previous === undefined ? {} : { previous }),
    ...(saga?.record === undefined ? {} : { upgrade: upgradeOf(saga, saga.record) }),
  }
}

function previousOf(sides: ServerSides | undefined): DatabaseStatus['previous'] {
  if (sides?.beside?.role !== 'previous' || sides.keptUntilMs === undefined) return undefined
  const { statefulSet: name, version } = sides.beside.side
  return { name, version, keptUntil: timestamp(sides.keptUntilMs) }
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '')
}

function upgradeOf(
  { step, message }: SagaReport,
  { id, input, state, startedAt, finishedAt, pivotedAt, steps }: SagaRecord,
): NonNullable<DatabaseStatus['upgrade']> {
  const at = steps.findIndex(({ name }) => name === step)
  const back = state === 'Compensating' ? 'taking back ' : ''
  return {
    ...{ id, from: input['from'] ?? '', to: input['to'] ?? '' },
    state: state === 'Running' && step === awaitCutover ? 'AwaitingCutover' : state,
    ...(step === undefined ? {} : { step, progress: `${back}${step} ${at + 1}/${steps.length}` }),
    ...(message === '' ? {} : { message }),
    startedAt,
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(pivotedAt === undefined ? {} : { pivotedAt }),
  }
}

function isUnderWay({ state }: SagaReport): boolean {
  return state === 'running' || state === 'compensating'
}

/** Returns conditions of the last upgrade, and Ready while it is in progress or where it has stopped. */
function conditionsOf(
  { object, facts, outcome }: DatabaseStatusContext,
  saga: SagaReport | undefined,
  conditions: readonly ConditionClaim[],
): readonly ConditionClaim[] {
  if (saga?.record === undefined) return []
  const { state, reason, message } = saga
  const upgraded = { type: 'Upgraded', status: state === 'completed' ? 'True' : 'False', reason, message } as const
  if (isBeingDeleted(object) || state === 'completed') return [upgraded]
  const serves = facts?.sides?.takesClients === true && isThere(conditions)
  if (!isUnderWay(saga)) {
    if (turnedAway(saga.record).length > 0) return [upgraded, { type: 'Ready', status: 'False', reason, message }]
    // Otherwise an upgrade that is compensated or waits for intervention does not prevent use of the database.
    const isLeft = serves && outcome.kind === 'stopped' && outcome.reason === reason
    return isLeft ? [upgraded, { type: 'Ready', status: 'True', reason, message }] : [upgraded]
  }
  if (serves) return [upgraded, ready('True', message), { ...upgrading, type: 'Progressing', status: 'True', message }]
  if (outcome.kind === 'retry') return [upgraded]
  const waits = `applications wait; ${message}`
  return [upgraded, ready('False', waits), { ...upgrading, type: 'Progressing', status: 'True', message }]
}

/** Returns logins that the upgrade blocked, and that a tried rollback has not allowed again. */
function turnedAway({ steps }: SagaRecord): readonly string[] {
  const step = steps.find(({ name }) => name === scaleDownOld)
  const isTried = step?.state === 'Failed' || (step?.state === 'Compensating' && (step.attempts ?? 0) > 0)
  return isTried ? (freezeRecordIn(step.notes)?.logins ?? []) : []
}

/** Adds to the message the commands that allow blocked logins again. */
function withLogins(saga: SagaReport | undefined): SagaReport | undefined {
  const names = saga?.record === undefined ? [] : turnedAway(saga.record)
  if (saga?.record === undefined || names.length === 0) return saga
  const letIn = names.map((name) => `ALTER ROLE "${name.replaceAll('"', '""')}" LOGIN`).join('; ')
  // An upgrade in progress observes by itself that they are allowed again; a stalled one does not.
  const after = isUnderWay(saga) ? '' : letInByHand(saga.record)
  const message = `${saga.message}; applications are turned away until then, or until somebody does ${letIn}${after}`
  return { ...saga, message }
}

function letInByHand({ input }: SagaRecord): string {
  return `; Ready is False until spec.upgrade.retry is another word; with spec.version "${input['from'] ?? ''}" no other upgrade begins then`
}

const upgrading = { reason: 'Upgrading' }

function ready(status: 'True' | 'False', message: string): ConditionClaim {
  return { ...upgrading, type: 'Ready', status, message }
}

/** Returns whether this reconcile found the database connected and configured. */
function isThere(conditions: readonly ConditionClaim[]): boolean {
  return ['Connected', 'Configured'].every((one) => conditions.find(({ type }) => type === one)?.status === 'True')
}

/** Returns Progressing for a requested upgrade that cannot start yet. */
function waitingOf(
  { object, facts, outcome }: DatabaseStatusContext,
  saga: SagaReport | undefined,
): readonly ConditionClaim[] {
  if (facts === undefined || outcome.kind !== 'settled') return []
  const { sides, restore, others } = facts
  const message = waitsFor({
    ...{ object, sides, restore: restore?.record, others: others?.names, unserved: others?.unserved },
    record: saga?.record,
  })
  return message === undefined ? [] : [{ type: 'Progressing', status: 'True', reason: 'UpgradeWaits', message }]
}
