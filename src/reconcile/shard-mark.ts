// The annotation by which a resource says which named shard of the operator manages it. Invariant: a shard works no resource that bears the name of
// another shard, so that of two shards whose selections overlap one works. Pure.
import type { OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import type { EventReport } from './context.ts'

/** Of one of several controllers of a kind its own: each takes its own children over. */
export const shardAnnotationOf = (part: string | undefined) =>
  `${part === undefined ? '' : `${part}.`}konverge.dev/shard`
/** Behind the name until all children are found and applied: before, they may lack the label by which the informers of the shard select. */
const takingOver = ':taking-over'

/** The shard that the resource names; undefined: none. */
export function namedShard({ metadata: { annotations } }: LiveObject, part: string | undefined): string | undefined {
  return annotations?.[shardAnnotationOf(part)]?.replace(takingOver, '')
}

/** Another shard than this one manages the resource. */
export function otherShardOf(parent: LiveObject, { shard, part }: OperatorIdentity): string | undefined {
  const named = namedShard(parent, part)
  return named === shard ? undefined : named
}

/** True while children of the resource may lack the label of its shard. */
export function isBeingTakenOver({ metadata: { annotations } }: LiveObject, part: string | undefined): boolean {
  return annotations?.[shardAnnotationOf(part)]?.endsWith(takingOver) === true
}

/** The mark of a resource before its children are applied; `isManaged`: it may have children. Empty without a shard. */
export function coveringShardMark(
  parent: LiveObject,
  { shard, part }: OperatorIdentity,
  isManaged: boolean,
): Readonly<Record<string, string>> {
  if (shard === undefined) return {}
  const isNew = isManaged ? namedShard(parent, part) === undefined || isBeingTakenOver(parent, part) : false
  return { [shardAnnotationOf(part)]: isNew ? `${shard}${takingOver}` : shard }
}

/** The mark when all children are as declared. */
export function settledShardMark({ shard, part }: OperatorIdentity): Readonly<Record<string, string>> {
  return shard === undefined ? {} : { [shardAnnotationOf(part)]: shard }
}

/** For the resource that two shards select. */
export function otherShardEvent(other: string, { shard, part }: OperatorIdentity): EventReport {
  const selector = shard === undefined ? 'An operator without shards' : `The shard ${shard}`
  return {
    type: 'Warning',
    reason: 'OtherShard',
    action: 'Reconcile',
    note: `${selector} selects this resource too and leaves it to the shard ${other}. To hand it over, let no selection of ${other} match it, then remove the annotation ${shardAnnotationOf(part)}`,
  }
}
