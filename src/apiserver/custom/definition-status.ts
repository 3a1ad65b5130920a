// Status of a definition: accepted names, establishment, deletion. Pure decisions in the order of the server's
// controllers, with their
// conditions and messages.
// Sources: k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,apiapproval,finalizer},
// pkg/registry/customresourcedefinition.
import { deepEqual, type Json, type JsonObject } from '../../base/json.ts'
import {
  structAt,
  structIn,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withField,
  withStruct,
} from '../built-in/field-walk.ts'
import { aggregateText } from '../field-error.ts'
import { approvalOf, isProtectedGroup } from './definition-names.ts'
import { isConditionTrue } from './definition-rules.ts'

/** Finalizer that keeps a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** A condition without its time. */
export interface DefinitionCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/**
 * Returns the next status of a definition: names that no other definition has are accepted, then it is established.
 * Returns the same
 * reference if nothing changes. Call it again for the other definitions of the group when this one's names change or it
 * is deleted.
 * @param others All other definitions; those of other groups are ignored.
 * @param timestamp Current time in the format of conditions.
 */
export function nextDefinitionStatus(
  definition: JsonObject,
  others: readonly JsonObject[],
  timestamp: string,
): JsonObject {
  const status = structAt(definition, 'status') ?? {}
  const approved = withApproval(definition, status, timestamp)
  const named = withNames(definition, approved, { others, timestamp })
  const current = { ...definition, status: named }
  if (!isConditionTrue(current, 'NamesAccepted') || isConditionTrue(current, 'Established')) return named
  return withCondition(named, established, timestamp)
}

/** Returns the definition after a delete request: marked, kept by its finalizer, with the condition Terminating. */
export function markedForDeletion(definition: JsonObject, timestamp: string): JsonObject {
  const metadata = structAt(definition, 'metadata') ?? {}
  const finalizers = textsAt(metadata, 'finalizers')
  const marked = {
    ...metadata,
    ...(textAt(metadata, 'deletionTimestamp') === '' ? { deletionTimestamp: timestamp } : {}),
    ...(finalizers.includes(cleanupFinalizer) ? {} : { finalizers: [...finalizers, cleanupFinalizer] }),
  }
  return withTerminating({ ...definition, metadata: marked }, terminating.pending, timestamp)
}

/** Condition Terminating in each stage of a deletion. */
export const terminating = {
  pending: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  },
  inProgress: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  },
  completed: {
    type: 'Terminating',
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
  },
  neverEstablished: {
    type: 'Terminating',
    status: 'False',
    reason: 'NeverEstablished',
    message: 'resource was never established',
  },
} as const satisfies Record<string, DefinitionCondition>

/** Returns the definition in a stage of its deletion. */
export function withTerminating(definition: JsonObject, stage: DefinitionCondition, timestamp: string): JsonObject {
  return withField(definition, 'status', withCondition(structAt(definition, 'status') ?? {}, stage, timestamp))
}

/** Returns the definition without the cleanup finalizer. */
export function withoutCleanup(definition: JsonObject): JsonObject {
  return withStruct(definition, 'metadata', (metadata) =>
    withField(
      metadata,
      'finalizers',
      textsAt(metadata, 'finalizers').filter((finalizer) => finalizer !== cleanupFinalizer),
    ),
  )
}

const established: DefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
}

interface NamesContext {
  readonly others: readonly JsonObject[]
  readonly timestamp: string
}

function withNames(definition: JsonObject, status: JsonObject, { others, timestamp }: NamesContext): JsonObject {
  const requested = structIn(definition, 'spec', 'names') ?? {}
  const accepted = structAt(status, 'acceptedNames') ?? {}
  if (sameNames(requested, accepted)) return status
  const { names, condition } = decideNames(requested, accepted, usedNames(definition, others))
  const known = conditionOf(status, 'NamesAccepted')
  if (sameNames(names, accepted) && known !== undefined && isSameCondition(known, condition)) return status
  const renamed = withCondition({ ...status, acceptedNames: names }, condition, timestamp)
  return withCondition(renamed, waitingCondition(status, condition), timestamp)
}

/** Keeps the condition Established; before it is true, its message names what is missing. */
function waitingCondition(status: JsonObject, names: DefinitionCondition): DefinitionCondition {
  const known = conditionOf(status, 'Established')
  const isAccepted = names.status === 'True'
  if (known !== undefined && (textAt(known, 'status') === 'True' || !isAccepted))
    return {
      type: 'Established',
      status: textAt(known, 'status') === 'True' ? 'True' : 'False',
      reason: textAt(known, 'reason'),
      message: textAt(known, 'message'),
    }
  return {
    type: 'Established',
    status: 'False',
    reason: isAccepted ? 'Installing' : 'NotAccepted',
    message: isAccepted ? 'the initial names have been accepted' : 'not all names are accepted',
  }
}

interface UsedNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** Returns the accepted names of the group's definitions, including this one. */
function usedNames(definition: JsonObject, others: readonly JsonObject[]): UsedNames {
  const group = textAt(structAt(definition, 'spec'), 'group')
  const accepted = [definition, ...others]
    .filter((other) => textAt(structAt(other, 'spec'), 'group') === group)
    .map((other) => structIn(other, 'status', 'acceptedNames') ?? {})
  return {
    resources: new Set(
      accepted.flatMap((names) => [
        textAt(names, 'plural'),
        textAt(names, 'singular'),
        ...textsAt(names, 'shortNames'),
      ]),
    ),
    kinds: new Set(accepted.flatMap((names) => [textAt(names, 'kind'), textAt(names, 'listKind')])),
  }
}

interface NamesDecision {
  readonly names: JsonObject
  readonly condition: DefinitionCondition
}

/** Accepts each name that is free; reports the last of several conflicts. */
function decideNames(requested: JsonObject, accepted: JsonObject, used: UsedNames): NamesDecision {
  const names: Record<string, Json | undefined> = { ...accepted }
  let conflict: DefinitionCondition | undefined
  const decide = (key: string, reason: string, taken: ReadonlySet<string>): void => {
    const name = textAt(requested, key)
    if (name === textAt(accepted, key) || !taken.has(name)) names[key] = name
    else conflict = conflictOf(reason, inUse(name))
  }
  decide('plural', 'PluralConflict', used.resources)
  decide('singular', 'SingularConflict', used.resources)
  const shortNames = textsAt(requested, 'shortNames')
  const own = textsAt(accepted, 'shortNames')
  const taken = shortNames.filter((name) => !own.includes(name) && name !== '' && used.resources.has(name))
  if (taken.length > 0) conflict = conflictOf('ShortNamesConflict', aggregateText(taken.map(inUse)))
  else names['shortNames'] = valueAt(requested, 'shortNames')
  decide('kind', 'KindConflict', used.kinds)
  decide('listKind', 'ListKindConflict', used.kinds)
  names['categories'] = valueAt(requested, 'categories')
  return {
    names: Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined)),
    condition: conflict ?? {
      type: 'NamesAccepted',
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
    },
  }
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`
}

function conflictOf(reason: string, message: string): DefinitionCondition {
  return { type: 'NamesAccepted', status: 'False', reason, message }
}

function sameNames(left: JsonObject, right: JsonObject): boolean {
  const texts = ['plural', 'singular', 'kind', 'listKind']
  const lists = ['shortNames', 'categories']
  return (
    texts.every((key) => textAt(left, key) === textAt(right, key)) &&
    lists.every((key) => deepEqual(textsAt(left, key), textsAt(right, key)))
  )
}

/** Sets the condition KubernetesAPIApprovalPolicyConformant of a definition in a protected group. */
function withApproval(definition: JsonObject, status: JsonObject, timestamp: string): JsonObject {
  if (!isProtectedGroup(textAt(structAt(definition, 'spec'), 'group'))) return status
  const { state, reason } = approvalOf(structIn(definition, 'metadata', 'annotations') ?? {})
  const condition: DefinitionCondition = {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason: approvalReasons[state],
    message: reason,
  }
  const known = conditionOf(status, condition.type)
  return known !== undefined && isSameCondition(known, condition) ? status : withCondition(status, condition, timestamp)
}

const approvalReasons = {
  missing: 'MissingAnnotation',
  invalid: 'InvalidAnnotation',
  approved: 'ApprovedAnnotation',
  bypassed: 'UnapprovedAnnotation',
} as const

function conditionOf(status: JsonObject, type: string): JsonObject | undefined {
  return structsAt(status, 'conditions').find((condition) => textAt(condition, 'type') === type)
}

function isSameCondition(known: JsonObject, { status, reason, message }: DefinitionCondition): boolean {
  return (
    textAt(known, 'status') === status && textAt(known, 'reason') === reason && textAt(known, 'message') === message
  )
}

/** lastTransitionTime changes only with the status. */
function withCondition(status: JsonObject, condition: DefinitionCondition, timestamp: string): JsonObject {
  const known = structsAt(status, 'conditions')
  const before = conditionOf(status, condition.type)
  if (before === undefined)
    return { ...status, conditions: [...known, { lastTransitionTime: timestamp, ...shown(condition) }] }
  const keepsTime = textAt(before, 'status') === condition.status && textAt(before, 'lastTransitionTime') !== ''
  const time = keepsTime ? textAt(before, 'lastTransitionTime') : timestamp
  const after = { ...before, lastTransitionTime: time, ...shown(condition) }
  return { ...status, conditions: known.map((one) => (one === before ? after : one)) }
}

/** In the order of the server's fields. */
function shown({ message, reason, status, type }: DefinitionCondition): JsonObject {
  return { message, reason, status, type }
}
