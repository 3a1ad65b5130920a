// Status of a store: its counts from the StatefulSet, its conditions from counts, pods and outcome. Pure.

import { kvEndpoints, kvNames, kvSelector } from '../../../constructs/index.ts'
import type { ReplicatedKVStoreSpec, ReplicatedKVStoreStatus } from '../../../imports/wire/replicated-kv-store.ts'
import {
  type ConditionClaim,
  childNamed,
  type EventReport,
  type KubeObject,
  StatefulSet,
  type StatusContext,
  type StatusReport,
  valueAt,
} from '../../index.ts'
import { expanding, expansionRejected, stalled } from '../stateful-set/growth-claims.ts'
import { hasCounted } from '../stateful-set/pod-counts.ts'
import { expansionNote } from '../stateful-set/volume-growth.ts'
import type { KvStoreFacts } from './kv-store-facts.ts'
import { holdNote, reuseNote } from './retained-volumes.ts'

type Context = StatusContext<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus, KvStoreFacts>

/** Counts in the status of the StatefulSet. */
interface Counts {
  readonly replicas: number
  readonly readyReplicas: number
  readonly updatedReplicas: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  /** True if the counts belong to the newest spec. */
  readonly isCurrent: boolean
}

export function kvStoreStatus(context: Context): StatusReport<ReplicatedKVStoreStatus> {
  const { object, facts, children } = context
  const { namespace = 'default', name } = object.metadata
  const { replicas: wanted, port } = object.spec
  const statefulSet = childNamed({ object, children }, StatefulSet, kvNames(name).statefulSet)?.object
  const counted = countsOf(statefulSet)
  // Uses the present StatefulSet: this reconcile may have recreated it after reading the pods.
  const isCounted = facts?.pods === undefined || hasCounted(statefulSet, facts.pods)
  const counts = isCounted ? counted : { ...counted, ...lastCountsOf(object), ...facts.pods }
  const { isCurrent: _, ...told } = counts
  const retained = facts?.unusedClaims ?? []
  const conditions = [...conditionsOf(context, counts), ...volumesReused(facts)]
  return {
    fields: {
      ...told,
      selector: kvSelector(name),
      endpoints: kvEndpoints({ name, namespace, replicas: wanted, port }),
      ...(retained.length === 0 ? {} : { retainedPVCs: retained }),
    },
    conditions,
    events: eventsOf(object, conditions),
    ...(facts?.lookAgainAtMs === undefined ? {} : { dueAtMs: [facts.lookAgainAtMs] }),
  }
}

function countsOf(statefulSet: KubeObject | undefined): Counts {
  if (statefulSet === undefined) return { replicas: 0, readyReplicas: 0, updatedReplicas: 0, isCurrent: false }
  const count = (field: string): number => Number(valueAt(statefulSet, 'status', field) ?? 0)
  const revision = (field: string): Record<string, string> => {
    const value = valueAt(statefulSet, 'status', field)
    return typeof value === 'string' ? { [field]: value } : {}
  }
  return {
    replicas: count('replicas'),
    readyReplicas: count('readyReplicas'),
    updatedReplicas: count('updatedReplicas'),
    ...revision('currentRevision'),
    ...revision('updateRevision'),
    isCurrent: valueAt(statefulSet, 'status', 'observedGeneration') === statefulSet.metadata.generation,
  }
}

/** Returns the last reported values of fields that pods do not show. */
function lastCountsOf({ status }: Context['object']): Partial<Counts> {
  const { updatedReplicas, currentRevision, updateRevision } = status ?? {}
  return {
    ...(updatedReplicas === undefined ? {} : { updatedReplicas }),
    ...(currentRevision === undefined ? {} : { currentRevision }),
    ...(updateRevision === undefined ? {} : { updateRevision }),
  }
}

/**
 * Returns the conditions of the store. After a failure, or during deletion, only Available: the runtime sets the
 * others.
 */
function conditionsOf({ object, facts, outcome }: Context, counts: Counts): readonly ConditionClaim[] {
  const wanted = object.spec.replicas
  const admitted = facts?.admittedReplicas ?? wanted
  // Replicas that are not admitted have no vote; they are held, not lost.
  const electorate = { status: object.status, readyReplicas: counts.readyReplicas, members: admitted }
  const hasQuorum = servesQuorum(electorate)
  const availability = availabilityOf(electorate, hasQuorum)
  if (outcome.kind !== 'settled' && outcome.kind !== 'waiting') return [availability]
  const isSettled = outcome.kind === 'settled'
  const obstacles = obstaclesOf(facts, wanted)
  const expansion = facts?.expansion
  const isDone = isSettled && obstacles.length === 0 && expansion === undefined
  return [
    isDone ? allReady(wanted) : notReady(counts, wanted, facts),
    // The first claim of a type counts, here and below.
    ...(facts === undefined ? [] : expanding(facts)),
    ...(isSettled ? obstacles.slice(0, 1).flatMap(stalled) : []),
    progressOf(counts, admitted, isSettled),
    ...crashLooping(facts),
    ...(hasQuorum ? [] : quorumAtRisk(electorate)),
    ...obstacles,
    availability,
  ]
}

/** Returns conditions that need a decision of the user, most severe first. */
function obstaclesOf(facts: KvStoreFacts | undefined, wanted: number): readonly ConditionClaim[] {
  if (facts === undefined) return []
  return [
    ...(facts.staleClaims.length === 0 ? [] : [degraded('StaleVolumesRetained', holdNote(facts, wanted))]),
    ...expansionRejected(facts),
  ]
}

/** Returns a condition that stays as long as the store: nothing else shows where its data came from. */
function volumesReused(facts: KvStoreFacts | undefined): readonly ConditionClaim[] {
  if (facts === undefined || facts.olderClaims.length === 0) return []
  return [{ type: 'VolumesReused', status: 'True', reason: 'OlderThanStore', message: reuseNote(facts.olderClaims) }]
}

/** Reasons that need a decision of the user, and the action that is held meanwhile. */
const actionsHeld: ReadonlyMap<string, string> = new Map([
  ['StaleVolumesRetained', 'ScaleOut'],
  ['VolumeExpansionRefused', 'Expand'],
])

/** Returns an Event for each new condition, so that it is reported once. */
function eventsOf({ status }: Context['object'], conditions: readonly ConditionClaim[]): readonly EventReport[] {
  // The first claim of a type counts.
  const isNew = (claim: ConditionClaim) =>
    conditions.find(({ type }) => type === claim.type) === claim &&
    !status?.conditions?.some(({ type, reason }) => type === claim.type && reason === claim.reason)
  return conditions.filter(isNew).flatMap(({ type, reason, message }): readonly EventReport[] => {
    if (type === 'VolumesReused') return [{ type: 'Normal', reason: type, action: 'Create', note: message }]
    const action = type === 'Degraded' ? actionsHeld.get(reason) : undefined
    return action === undefined ? [] : [{ type: 'Warning', reason, action, note: message }]
  })
}

function progressing(reason: string, message: string): ConditionClaim {
  return { type: 'Progressing', status: 'True', reason, message }
}

function degraded(reason: string, message: string): ConditionClaim {
  return { type: 'Degraded', status: 'True', reason, message }
}

function allReady(wanted: number): ConditionClaim {
  return {
    type: 'Ready',
    status: 'True',
    reason: 'AllReplicasReady',
    message: `${wanted} of ${wanted} replicas are ready`,
  }
}

function notReady({ readyReplicas }: Counts, wanted: number, facts: KvStoreFacts | undefined): ConditionClaim {
  const trouble = facts?.trouble
  const volumes = facts?.growthRefusal ?? (facts?.expansion === undefined ? undefined : expansionNote(facts.expansion))
  const count = `${readyReplicas} of ${wanted} replicas are ready`
  if (volumes !== undefined && readyReplicas >= wanted) {
    return { type: 'Ready', status: 'False', reason: 'VolumePending', message: `${count}; ${volumes}` }
  }
  if (trouble === undefined || trouble.reason === 'CrashLooping') {
    return { type: 'Ready', status: 'False', reason: 'WaitingForReplicas', message: count }
  }
  return { type: 'Ready', status: 'False', reason: trouble.reason, message: `${count}; ${trouble.message}` }
}

function progressOf(counts: Counts, wanted: number, isSettled: boolean): ConditionClaim {
  const { replicas, readyReplicas, updatedReplicas, currentRevision, updateRevision, isCurrent } = counts
  if (isSettled) return { type: 'Progressing', status: 'False', reason: 'AllReplicasReady', message: '' }
  if (replicas > wanted) return progressing('ScalingIn', `to ${wanted} replicas`)
  if (currentRevision !== updateRevision)
    return progressing('RollingOut', `${updatedReplicas} of ${wanted} replicas are updated`)
  if (replicas < wanted) return progressing('ScalingOut', `to ${wanted} replicas`)
  // The number of replicas is right, so a change that is not observed yet concerns the pods' template.
  if (!isCurrent) return progressing('RollingOut', 'the last change is about to be rolled out')
  return progressing('WaitingForReplicas', `${readyReplicas} of ${wanted} replicas are ready`)
}

/** Members of a quorum, and the status before. */
interface Electorate {
  readonly status: ReplicatedKVStoreStatus | undefined
  readonly readyReplicas: number
  readonly members: number
}

/**
 * True if enough replicas serve: a quorum of the members, or all that served when the store was last available. The
 * second rule is for a store that grows: replicas that never existed cannot be missed.
 */
function servesQuorum({ status, readyReplicas, members }: Electorate): boolean {
  const wasAvailable = status?.conditions?.some(
    (condition) => condition.type === 'Available' && condition.status === 'True',
  )
  const served = status?.readyReplicas ?? Number.POSITIVE_INFINITY
  const hasLostNone = wasAvailable === true && readyReplicas > 0 && readyReplicas >= served
  return readyReplicas >= quorumOf(members) || hasLostNone
}

/** The reason records that there once was a quorum. Other conditions do not: a failed reconcile overwrites Degraded. */
function availabilityOf({ status, readyReplicas, members }: Electorate, hasQuorum: boolean): ConditionClaim {
  const message = `${readyReplicas} of ${members} replicas serve`
  if (hasQuorum) return { type: 'Available', status: 'True', reason: 'QuorumServes', message }
  return { type: 'Available', status: 'False', reason: hadQuorum(status) ? 'QuorumLost' : 'NoQuorum', message }
}

function hadQuorum(status: ReplicatedKVStoreStatus | undefined): boolean {
  const before = status?.conditions?.find(({ type }) => type === 'Available')
  return before?.status === 'True' || before?.reason === 'QuorumLost'
}

function crashLooping(facts: KvStoreFacts | undefined): readonly ConditionClaim[] {
  if (facts?.trouble?.reason !== 'CrashLooping') return []
  return [degraded('ReplicaCrashLooping', facts.trouble.message)]
}

/** A store that has lost its quorum is degraded; a store that is still starting is not. */
function quorumAtRisk({ status, readyReplicas, members }: Electorate): readonly ConditionClaim[] {
  if (!hadQuorum(status)) return []
  const needed = quorumOf(members)
  const message = `${readyReplicas} of ${members} replicas are ready; ${needed} are needed for a quorum`
  return [degraded('QuorumAtRisk', message)]
}

function quorumOf(replicas: number): number {
  return Math.floor(replicas / 2) + 1
}
