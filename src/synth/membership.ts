// Labels and annotations that make an object a child of its parent, from its creation on. Informers select by one
// label, the inventory lists by another, and deletion reads the apply order without any construct (I6). Source:
// KEP-3659 (ApplySet), with the prefix that its code uses.
import { createHash } from 'node:crypto'
import { isOwnerMark, ownerMarkOf } from '../object/co-owner.ts'
import { ownedByValue } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { groupOf } from '../object/resource.ts'

/** On every child: the apply set id of its parent. */
export const partOfLabel = 'applyset.kubernetes.io/part-of'
/**
 * On every child: the name of the operator. Child informers select by it, so no operator caches the children of
 * another. It differs from `konverge.dev/operator`, by which the Deployment, the Service and the NetworkPolicy of an
 * operator select its pods.
 */
export const managedByLabel = 'konverge.dev/managed-by'
/** On every child of a named shard: its name. Child informers of the shard select by it too. */
export const shardLabel = 'konverge.dev/shard'
/** On every child: the controller that creates it, e.g. `databases.data.konverge.dev`. Informational. */
export const ownedByLabel = 'konverge.dev/owned-by'
/**
 * On every child in another cluster than its parent: the UID of the namespace kube-system of the parent's cluster.
 * Informational.
 */
export const homeClusterLabel = 'konverge.dev/home-cluster'
/** On every child: its wave, 0-based. Deletion runs from the highest wave to 0. */
export const applyOrderAnnotation = 'konverge.dev/apply-order'
/**
 * On every child without an owner reference, with the value of `partOfLabel`. If its labels are removed by hand, the
 * runtime finds its parent by this annotation and restores them.
 */
export const partOfAnnotation = 'konverge.dev/part-of'
/**
 * On every child outside its parent's namespace: a random token. The parent's status holds the digest, which
 * distinguishes the child from an object that another user planted in that namespace.
 */
export const tokenAnnotation = 'konverge.dev/inventory-token'
/** On a retained child, with the value `disabled`: the policy must be known when the construct no longer exists. */
export const pruneAnnotation = 'konverge.dev/prune'

/**
 * Annotation on a child with `metadata.generateName`, set by its author. Another value creates another child and prunes
 * the previous one.
 */
export const nameKeyAnnotation = 'konverge.dev/name-key'

/**
 * Returns the apply set id of a parent, 55 characters: a valid label value from which the parent cannot be guessed.
 * Each controller of a kind has its own set, by the name of its part. So has each cluster of parents in another
 * cluster.
 */
export function applySetId(
  parent: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>,
  part?: string,
  homeCluster?: string,
): string {
  const { name, namespace = '' } = parent.metadata
  const of = (part === undefined ? '' : `_${part}`) + (homeCluster === undefined ? '' : `@${homeCluster}`)
  const digest = createHash('sha256').update(`${name}.${namespace}.${parent.kind}.${groupOf(parent.apiVersion)}${of}`)
  return `applyset-${digest.digest('base64url')}-v1`
}

/**
 * Returns the value of `konverge.dev/managed-by`: the name of the operator. In another cluster than that of the
 * parents, a hash of their cluster follows, as in `shop.5feceb66ffc86f38d952`. Operators of one name in several
 * clusters can share a cluster of children.
 */
export function managedByValue(operatorName: string, homeCluster?: string): string {
  if (homeCluster === undefined) return operatorName
  const hash = createHash('sha256').update(homeCluster).digest('hex')
  return `${operatorName}.${hash.slice(0, homeHashLength)}`
}

/** 80 bits. With an operator's name of 40 characters the value has 61, and a label value has room for 63. */
const homeHashLength = 20

/**
 * Returns the wave of a live child; for one of several owners the wave of its own part. A child without a readable
 * order was applied by an earlier version or edited, and counts as last.
 */
export function orderOf(
  { metadata: { annotations } }: KubeObject,
  { metadata: { uid } }: Pick<LiveObject, 'metadata'>,
): number {
  const order = Number(annotations?.[applyOrderAnnotation] ?? annotations?.[ownerMarkOf(uid)]?.split(' ', 1)[0])
  return Number.isInteger(order) && order > 0 ? order : 0
}

/** Labels of every child of one parent. */
export interface Membership {
  readonly [partOfLabel]: string
  readonly [managedByLabel]: string
  readonly [ownedByLabel]: string
  readonly [homeClusterLabel]?: string
  readonly [shardLabel]?: string
}

/** The controller that creates children. */
export interface Maker {
  /** Value of the label by which child informers select. */
  readonly operatorName: string
  /** Name of the operator's shard. Undefined: it has no name. */
  readonly shardName?: string | undefined
  /** E.g. `databases.data.konverge.dev`. */
  readonly controllerName: string
  /** See OperatorIdentity. */
  readonly part?: string | undefined
  /** UID of the parent's cluster, if the children are in another one: they get its label and no owner reference. */
  readonly homeCluster?: string | undefined
}

export function membershipOf(
  parent: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>,
  { operatorName, shardName, controllerName, part, homeCluster }: Maker,
): Membership {
  return {
    [partOfLabel]: applySetId(parent, part, homeCluster),
    [managedByLabel]: managedByValue(operatorName, homeCluster),
    [ownedByLabel]: ownedByValue(controllerName),
    ...(homeCluster === undefined ? {} : { [homeClusterLabel]: homeCluster }),
    ...(shardName === undefined ? {} : { [shardLabel]: shardName }),
  }
}

/**
 * Returns the object as the constructs declared it: without the labels, apply order and owner that only a live parent
 * gives.
 */
export function withoutMembership(object: KubeObject): KubeObject {
  const { ownerReferences: _, labels, annotations, ...metadata } = object.metadata
  const plainLabels = without(labels, [partOfLabel, managedByLabel, ownedByLabel, homeClusterLabel, shardLabel])
  const plainAnnotations = without(annotations, [
    applyOrderAnnotation,
    pruneAnnotation,
    partOfAnnotation,
    tokenAnnotation,
  ])
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(plainLabels === undefined ? {} : { labels: plainLabels }),
      ...(plainAnnotations === undefined ? {} : { annotations: plainAnnotations }),
    },
  }
}

function without(
  all: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const left = Object.entries(all ?? {}).filter(([key]) => !keys.includes(key) && !isOwnerMark(key))
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

/** Returns the label selector of the children of an operator, or of one of its named shards. */
export function childrenSelector({
  operatorName,
  shardName,
  homeCluster,
}: Omit<Maker, 'controllerName' | 'part'>): string {
  const ofOperator = `${managedByLabel}=${managedByValue(operatorName, homeCluster)}`
  return shardName === undefined ? ofOperator : `${ofOperator},${shardLabel}=${shardName}`
}
