// Labels and annotations that make an object a child of its parent, on it from its creation on. Informers select by one label, the inventory
// lists by another, and deletion reads the apply order without any construct (I6).
// Source: KEP-3659 (ApplySet), with the prefix that its code uses.
import { createHash } from 'node:crypto'
import { ownedByValue } from '../object/identity.ts'
import type { KubeObject } from '../object/object.ts'
import { groupOf } from '../object/resource.ts'

/** On every child: the apply set id of its parent. */
export const partOfLabel = 'applyset.kubernetes.io/part-of'
/**
 * On every child: the name of the operator. Child informers select by this value, so that no operator holds the children of another. It is not
 * `konverge.dev/operator`, by which the Deployment, the Service and the NetworkPolicy of an operator select its pods.
 */
export const managedByLabel = 'konverge.dev/managed-by'
/** On every child: the controller that made it, e.g. `databases.data.konverge.dev`, for people. */
export const ownedByLabel = 'konverge.dev/owned-by'
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

/** The apply set id of a parent, 55 characters: a valid label value that nobody can guess a parent from. */
export function applySetId(parent: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
  const { name, namespace = '' } = parent.metadata
  const digest = createHash('sha256').update(`${name}.${namespace}.${parent.kind}.${groupOf(parent.apiVersion)}`)
  return `applyset-${digest.digest('base64url')}-v1`
}

/** The wave of a live child. One without a readable order was applied by somebody older than us or edited: it goes last. */
export function orderOf(child: KubeObject): number {
  const order = Number(child.metadata.annotations?.[applyOrderAnnotation])
  return Number.isInteger(order) && order > 0 ? order : 0
}

/** The labels of every child of one parent. */
export interface Membership {
  readonly [partOfLabel]: string
  readonly [managedByLabel]: string
  readonly [ownedByLabel]: string
}

export function membershipOf(
  parent: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>,
  { operatorName, controllerName }: { readonly operatorName: string; readonly controllerName: string },
): Membership {
  return {
    [partOfLabel]: applySetId(parent),
    [managedByLabel]: operatorName,
    [ownedByLabel]: ownedByValue(controllerName),
  }
}

/** The object as the constructs made it: without labels, apply order and owner that only a live parent gives. */
export function withoutMembership(object: KubeObject): KubeObject {
  const { ownerReferences: _, labels, annotations, ...metadata } = object.metadata
  const plainLabels = without(labels, [partOfLabel, managedByLabel, ownedByLabel])
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
  const left = Object.entries(all ?? {}).filter(([key]) => !keys.includes(key))
  return left.length === 0 ? undefined : Object.fromEntries(left)
}
