// Hash of a desired object, stored on the live object by the same apply. Invariant: where the hashes are equal, our last apply declared
// exactly what is desired now, so that further fields inside an atomic value are defaults and not left over. managedFields cannot tell:
// it has one record for the whole value. Rest follows from what is stored, also after a restart.
import { hashJson, type JsonObject } from '../base/json.ts'
import { asJson, type KubeObject } from '../object/object.ts'
import type { FieldPath } from './field-path.ts'

export const appliedHashAnnotation = 'konverge.dev/applied-hash'

/**
 * The object with the hash of `lasting`: of itself, or of what is declared once it exists. A Secret has none: every field of a Secret has a
 * record of its own, and a hash would let readers of the annotation test guesses of its values.
 */
export function withAppliedHash(object: KubeObject, lasting: KubeObject = object): KubeObject {
  if (object.kind === 'Secret' && object.apiVersion === 'v1') return object
  const annotations = { ...object.metadata.annotations, [appliedHashAnnotation]: declarationHash(lasting) }
  return { ...object, metadata: { ...object.metadata, annotations } }
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

export function appliedHashOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[appliedHashAnnotation]
}

/** True for the path of the annotation. */
export function isAppliedHash(path: FieldPath): boolean {
  const [, , annotation] = path
  return annotation?.kind === 'field' && annotation.name === appliedHashAnnotation
}
