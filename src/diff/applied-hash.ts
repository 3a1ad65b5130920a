// Hash of a desired object, stored on the live object by the same apply. Invariant: where the hashes are equal, our last apply declared
// exactly what is desired now, so that further fields inside an atomic value are defaults and not left over. managedFields cannot tell:
// it has one record for the whole value. Rest follows from what is stored, also after a restart.
import { hashJson, type JsonObject } from '../base/json.ts'
import { coOwnersOf, isOwnerMark, ownerMarkOf } from '../object/co-owner.ts'
import { asJson, type KubeObject } from '../object/object.ts'
import type { FieldPath } from './field-path.ts'

export const appliedHashAnnotation = 'konverge.dev/applied-hash'

/**
 * The object with the hash of `lasting`: of itself, or of what is declared once it exists. A Secret has none: every field of a Secret has a
 * record of its own, and a hash would let readers of the annotation test guesses of its values.
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

/** The object, changed since it got its hash, with the hash of what it is now. */
export function rehashed(object: KubeObject): KubeObject {
  const annotation = hashAnnotationOf(object)
  const { [annotation]: text, ...others } = object.metadata.annotations ?? {}
  if (text === undefined) return object
  const order = annotation === appliedHashAnnotation ? {} : { [annotation]: text.split(' ')[0] ?? '' }
  return withAppliedHash({ ...object, metadata: { ...object.metadata, annotations: { ...others, ...order } } })
}

/** Each of several owners has an annotation of its own, which begins with the apply order. */
function hashAnnotationOf(desired: KubeObject): string {
  const [owner] = coOwnersOf(desired)
  return owner === undefined ? appliedHashAnnotation : ownerMarkOf(owner.uid)
}

/** Without uids of owners, whose records of ownership go by the uid: the same declaration has the same hash in every cluster. */
function declarationHash(object: KubeObject): string {
  const { ownerReferences } = object.metadata
  if (ownerReferences === undefined) return hashJson(asJson(object))
  const owners = ownerReferences.map(({ uid: _, ...owner }) => owner)
  return hashJson({
    ...asJson(object),
    metadata: { ...object.metadata, ownerReferences: owners } as unknown as JsonObject,
  })
}

/** The hash on the object; of several owners that of the owner of `desired`. Undefined: it has none. */
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
