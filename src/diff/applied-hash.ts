// Hash of a desired object, stored on the live object by the same apply. Invariant: if the hashes are equal, the last
// apply declared exactly the current desired state. Further fields inside an atomic value are then defaults and not
// leftovers. managedFields cannot tell: they have one entry for the whole value. The hash is stored, so that a restart
// changes nothing.
import { hashJson, type JsonObject } from '../base/json.ts'
import { coOwnersOf, isOwnerMark, ownerMarkOf } from '../object/co-owner.ts'
import { asJson, type KubeObject } from '../object/object.ts'
import type { FieldPath } from './field-path.ts'

export const appliedHashAnnotation = 'konverge.dev/applied-hash'

/**
 * Returns the object with the hash of `lasting`: the object itself, or its declaration after creation. A Secret has
 * none: every field of a Secret has its own managedFields entry. A hash would let readers of the annotation test
 * guesses of its values.
 */
export function withAppliedHash(object: KubeObject, lasting: KubeObject = object): KubeObject {
  if (object.kind === 'Secret' && object.apiVersion === 'v1') return object
  const annotation = hashAnnotationOf(object)
  const order = object.metadata.annotations?.[annotation]
  const hash = declarationHash(lasting)
  const text = annotation === appliedHashAnnotation || order === undefined ? hash : `${order} ${hash}`
  const annotations = { ...object.metadata.annotations, [annotation]: text }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** Returns the object with a new hash, after a change since its last one. */
export function rehashed(object: KubeObject): KubeObject {
  const annotation = hashAnnotationOf(object)
  const { [annotation]: text, ...others } = object.metadata.annotations ?? {}
  if (text === undefined) return object
  const order = annotation === appliedHashAnnotation ? {} : { [annotation]: text.split(' ')[0] ?? '' }
  return withAppliedHash({ ...object, metadata: { ...object.metadata, annotations: { ...others, ...order } } })
}

/** Each of several owners has its own annotation, which begins with the apply order. */
function hashAnnotationOf(desired: KubeObject): string {
  const [owner] = coOwnersOf(desired)
  return owner === undefined ? appliedHashAnnotation : ownerMarkOf(owner.uid)
}

/**
 * Ignores uids of owners, whose managedFields keys contain the uid: the same declaration has the same hash in every
 * cluster.
 */
function declarationHash(object: KubeObject): string {
  const { ownerReferences } = object.metadata
  if (ownerReferences === undefined) return hashJson(asJson(object))
  const owners = ownerReferences.map(({ uid: _, ...owner }) => owner)
  return hashJson({
    ...asJson(object),
    metadata: { ...object.metadata, ownerReferences: owners } as unknown as JsonObject,
  })
}

/** Returns the hash on the object; with several owners, that of the owner of `desired`. Undefined: it has none. */
export function appliedHashOf(object: KubeObject, desired: KubeObject = object): string | undefined {
  const annotation = hashAnnotationOf(desired)
  const text = object.metadata.annotations?.[annotation]
  return annotation === appliedHashAnnotation ? text : text?.split(' ')[1]
}

/** True for the path of the annotation. */
export function isAppliedHash(path: FieldPath): boolean {
  const [, map, annotation] = path
  if (map?.kind !== 'field' || map.name !== 'annotations' || annotation?.kind !== 'field') return false
  return annotation.name === appliedHashAnnotation || isOwnerMark(annotation.name)
}
