// What does a Database tell of its upgrade? Which server serves, how far the move is in one word and in one sentence, and whether it can be
// used meanwhile. What is told of the database itself stands. Pure.
import type { DatabaseStatus } from '../../../../imports/wire/database.ts'
import {
  type ConditionClaim,
  findCondition,
  isBeingDeleted,
  type SagaRecord,
  type SagaReport,
  type StatusReport,
} from '../../../index.ts'
import { awaitCutover } from '../../upgrade/upgrade-world.ts'
import type { DatabaseStatusContext } from '../database-conditions.ts'
import { type ServerSides, servedSide, upgradeName } from '../server-sides.ts'
import { waitsFor } from './upgrade-wish.ts'

type Fields = Pick<DatabaseStatus, 'server' | 'previous' | 'upgrade'>

/** `status` as the database alone has it. */
export function withUpgrade(
  status: StatusReport<DatabaseStatus>,
  context: DatabaseStatusContext,
): StatusReport<DatabaseStatus> {
  const { object, facts } = context
  if (object.spec.provider.inCluster === undefined) return status
  const saga = context.sagas.find(({ name }) => name === upgradeName)
  const { fields, conditions, dueAtMs = [] } = status
  const own = [...conditionsOf(context, saga), ...waitingOf(context, saga)]
  const moves = saga !== undefined && isUnderWay(saga)
  const keptUntilMs = facts?.sides?.beside?.role === 'previous' ? facts.sides.keptUntilMs : undefined
  return {
    ...status,
    fields: {
      ...fields,
      ...(moves && fields.phase !== 'Deleting' ? { phase: 'Upgrading' as const } : {}),
      ...fieldsOf(context, saga),
    },
    conditions: [...own, ...conditions.filter(({ type }) => !own.some((claim) => claim.type === type))],
    ...(keptUntilMs === undefined ? {} : { dueAtMs: [...dueAtMs, keptUntilMs] }),
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

/** Of the last upgrade, and while it is under way whether the database serves. */
function conditionsOf(
  { object, facts, outcome }: DatabaseStatusContext,
  saga: SagaReport | undefined,
): readonly ConditionClaim[] {
  if (saga?.record === undefined) return []
  const { state, reason, message } = saga
  const upgraded = { type: 'Upgraded', status: state === 'completed' ? 'True' : 'False', reason, message } as const
  if (!isUnderWay(saga) || isBeingDeleted(object) || outcome.kind === 'retry') return [upgraded]
  const serves = facts?.sides?.takesClients === true && isConnected(object.status)
  return [
    upgraded,
    serves
      ? { type: 'Ready', status: 'True', reason: 'Upgrading', message }
      : { type: 'Ready', status: 'False', reason: 'Upgrading', message: `applications wait; ${message}` },
    { type: 'Progressing', status: 'True', reason: 'Upgrading', message },
  ]
}

/** The server that is restarted once for the move is called so for that while. */
function isConnected(status: DatabaseStatus | undefined): boolean {
  return findCondition(status?.conditions, 'Connected')?.status === 'True'
}

/** An upgrade that is asked for and cannot begin yet. */
function waitingOf(
  { object, facts, outcome }: DatabaseStatusContext,
  saga: SagaReport | undefined,
): readonly ConditionClaim[] {
  if (facts === undefined || outcome.kind !== 'settled') return []
  const message = waitsFor({ object, sides: facts.sides, record: saga?.record })
  return message === undefined ? [] : [{ type: 'Progressing', status: 'True', reason: 'UpgradeWaits', message }]
}
