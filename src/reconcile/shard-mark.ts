// Annotation that names the shard of the operator that manages the resource. Invariant: a shard reconciles no resource
// with the name of another shard, so that only one of two overlapping shards does. Pure.
import type { OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import type { EventReport } from './context.ts'

/** Each of several controllers of a kind has its own annotation: each takes over its own children. */
export const shardAnnotationOf = (part: string | undefined) =>
  `${part === undefined ? '' : `${part}.`}konverge.dev/shard`
/**
 * Suffix of the name until all children are found and applied. Until then they may lack the label by which the
 * informers of the shard select.
 */
const takingOver = ':taking-over'

/** Returns the shard that the resource names; undefined: none. */
export function namedShard({ metadata: { annotations } }: LiveObject, part: string | undefined): string | undefined {
  return annotations?.[shardAnnotationOf(part)]?.replace(takingOver, '')
}

/** Returns the other shard that manages the resource, if there is one. */
export function otherShardOf(parent: LiveObject, { shard, part }: OperatorIdentity): string | undefined {
  const named = namedShard(parent, part)
  return named === shard ? undefined : named
}

/** True while children of the resource may lack the label of its shard. */
export function isBeingTakenOver({ metadata: { annotations } }: LiveObject, part: string | undefined): boolean {
  return annotations?.[shardAnnotationOf(part)]?.endsWith(takingOver) === true
}

/**
 * Returns the annotation of a resource before its children are applied; `isManaged`: it may have children. Empty
 * without a shard.
 */
export function coveringShardMark(
  parent: LiveObject,
  { shard, part }: OperatorIdentity,
  isManaged: boolean,
): Readonly<Record<string, string>> {
  if (shard === undefined) return {}
  const isNew = isManaged ? namedShard(parent, part) === undefined || isBeingTakenOver(parent, part) : false
  return { [shardAnnotationOf(part)]: isNew ? `${shard}${takingOver}` : shard }
}

/** Returns the annotation when all children are as declared. */
export function settledShardMark({ shard, part }: OperatorIdentity): Readonly<Record<string, string>> {
  return shard === undefined ? {} : { [shardAnnotationOf(part)]: shard }
}

/** Returns the Event for a resource that two shards select. */
export function otherShardEvent(other: string, { shard, part }: OperatorIdentity): EventReport {
  const selector = shard === undefined ? 'An operator without shards' : `The shard ${shard}`
  return {
    type: 'Warning',
    reason: 'OtherShard',
    action: 'Reconcile',
    note: `${selector} selects this resource too and leaves it to the shard ${other}. To hand it over, let no selection of ${other} match it, then remove the annotation ${shardAnnotationOf(part)}`,
  }
}
