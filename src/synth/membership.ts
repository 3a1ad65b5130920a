// Labels and annotations that make an object a child of its parent, on it from its creation on. Informers select by one label, the inventory
// lists by another, and deletion reads the apply order without any construct (I6).
// Source: KEP-3659 (ApplySet), with the prefix that its code uses.
import { createHash } from 'node:crypto'
import { isOwnerMark, ownerMarkOf } from '../object/co-owner.ts'
import { ownedByValue } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { groupOf } from '../object/resource.ts'

/** On every child: the apply set id of its parent. */
export const partOfLabel = 'applyset.kubernetes.io/part-of'
/**
 * On every child: the name of the operator. Child informers select by this value, so that no operator holds the children of another. It is not
 * `konverge.dev/operator`, by which the Deployment, the Service and the NetworkPolicy of an operator select its pods.
 */
export const managedByLabel = 'konverge.dev/managed-by'
/** On every child of a named shard: its name. Child informers of the shard select by it too. */
export const shardLabel = 'konverge.dev/shard'
/** On every child: the controller that made it, e.g. `databases.data.konverge.dev`, for people. */
export const ownedByLabel = 'konverge.dev/owned-by'
/** On every child in another cluster than its parent: the UID of the namespace kube-system of the parent's cluster, for people. */
export const homeClusterLabel = 'konverge.dev/home-cluster'
/** On every child: its wave, 0-based. Deletion goes from the highest to 0. */
export const applyOrderAnnotation = 'konverge.dev/apply-order'
/**
 * On every child that has no owner reference, with the same value as `partOfLabel`: where its labels are taken off by hand,
 * this says whose it is, and they are put back.
 */
export const partOfAnnotation = 'konverge.dev/part-of'
/**
 * On every child outside of its parent's namespace: a random token. The parent's status holds its digest, which tells the child
 * from an object that somebody in that namespace planted.
 */
export const tokenAnnotation = 'konverge.dev/inventory-token'
/** On a retained child, with the value `disabled`: the policy must be known when the construct is gone. */
export const pruneAnnotation = 'konverge.dev/prune'

/** On a child with `metadata.generateName`, by its author: another value makes another child, and prunes the one before. */
export const nameKeyAnnotation = 'konverge.dev/name-key'

/**
 * The apply set id of a parent, 55 characters: a valid label value that nobody can guess a parent from. Each controller of a kind has a set
 * of its own, by the name of its part, and so has each cluster of parents in another cluster.
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
 * The value of `konverge.dev/managed-by`: the name of the operator. In another cluster than that of the parents a hash of their cluster follows it, as
 * in `shop.5feceb66ffc86f38d952`, because operators of one name in several clusters can share a cluster of children.
 */
export function managedByValue(operatorName: string, homeCluster?: string): string {
  if (homeCluster === undefined) return operatorName
  const hash = createHash('sha256').update(homeCluster).digest('hex')
  return `${operatorName}.${hash.slice(0, homeHashLength)}`
}

/** 80 bits. With an operator's name of 40 characters the value has 61, and a label value has room for 63. */
const homeHashLength = 20

/**
 * The wave of a live child, for one of several owners that of its own part. A child without a readable order was applied by an earlier version or edited:
 * it goes last.
 */
export function orderOf(
  { metadata: { annotations } }: KubeObject,
  { metadata: { uid } }: Pick<LiveObject, 'metadata'>,
): number {
  const order = Number(annotations?.[applyOrderAnnotation] ?? annotations?.[ownerMarkOf(uid)]?.split(' ', 1)[0])
  return Number.isInteger(order) && order > 0 ? order : 0
}

/** The labels of every child of one parent. */
export interface Membership {
  readonly [partOfLabel]: string
  readonly [managedByLabel]: string
  readonly [ownedByLabel]: string
  readonly [homeClusterLabel]?: string
  readonly [shardLabel]?: string
}

/** The controller that makes children. */
export interface Maker {
  /** The value of the label by which child informers select. */
  readonly operatorName: string
  /** Of the operator; undefined: it has no name. */
  readonly shardName?: string | undefined
  /** E.g. `databases.data.konverge.dev`. */
  readonly controllerName: string
  /** As of OperatorIdentity. */
  readonly part?: string | undefined
  /** The UID of the parent's cluster, if the children are in another one: they have its label and no owner reference. */
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

/** The object as the constructs made it: without labels, apply order and owner that only a live parent gives. */
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

/** Selects the children of an operator, or of one of its named shards. */
export function childrenSelector({
  operatorName,
  shardName,
  homeCluster,
}: Omit<Maker, 'controllerName' | 'part'>): string {
  const ofOperator = `${managedByLabel}=${managedByValue(operatorName, homeCluster)}`
  return shardName === undefined ? ofOperator : `${ofOperator},${shardLabel}=${shardName}`
}
