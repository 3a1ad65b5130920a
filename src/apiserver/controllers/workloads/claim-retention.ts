// Owner references of the claims of a StatefulSet, by its retention policy: none, the set, or the pod that was scaled
// down.
// A claim with another controller stays unchanged.
// Source: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go.
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { isTrueAt, structIn, structsAt, textAt } from '../../built-in/field-walk.ts'
import { metadataOf, metadataText } from '../../metadata.ts'
import { controllerReference } from './membership.ts'
import { isInRange } from './stateful-set-pods.ts'

/**
 * Returns the desired owner references of a claim; undefined if they are correct. `pod` has a kind and an apiVersion.
 */
export function retainingOwners(
  claim: JsonObject,
  set: JsonObject,
  pod: JsonObject,
): readonly JsonObject[] | undefined {
  const references = structsAt(metadataOf(claim), 'ownerReferences')
  if (isStale(references, set) || isStale(references, pod)) return undefined
  const others = references.filter((reference) => !names(reference, set) && !names(reference, pod))
  const wanted = isForeign(claim, set) ? others : [...others, ...ownersFor(set, pod).map(controllerReference)]
  return deepEqual(withoutOrder(references), withoutOrder(wanted)) ? undefined : wanted
}

/** True if an earlier pod of the same name owns the claim. A new pod must then wait for the claim's deletion. */
export function isStaleFor(claim: JsonObject, set: JsonObject, pod: JsonObject): boolean {
  return policyOf(set).whenScaled && isStale(structsAt(metadataOf(claim), 'ownerReferences'), pod)
}

/** True if another object controls the claim although the retention policy asks for an owner. */
export function isForeign(claim: JsonObject, set: JsonObject): boolean {
  const { whenScaled, whenDeleted } = policyOf(set)
  if (!whenScaled && !whenDeleted) return false
  return structsAt(metadataOf(claim), 'ownerReferences').some(
    (reference) =>
      isTrueAt(reference, 'controller') &&
      textAt(reference, 'kind') !== 'StatefulSet' &&
      textAt(reference, 'kind') !== 'Pod',
  )
}

function ownersFor(set: JsonObject, pod: JsonObject): readonly JsonObject[] {
  const { whenScaled, whenDeleted } = policyOf(set)
  if (whenScaled && !isInRange(set, pod)) return [pod]
  return whenDeleted ? [set] : []
}

/** True for each part of the policy that is `Delete`. */
function policyOf(set: JsonObject): { readonly whenScaled: boolean; readonly whenDeleted: boolean } {
  const policy = structIn(set, 'spec', 'persistentVolumeClaimRetentionPolicy')
  return {
    whenScaled: textAt(policy, 'whenScaled') === 'Delete',
    whenDeleted: textAt(policy, 'whenDeleted') === 'Delete',
  }
}

function names(reference: JsonObject, object: JsonObject): boolean {
  return (
    textAt(reference, 'apiVersion') === textAt(object, 'apiVersion') &&
    textAt(reference, 'kind') === textAt(object, 'kind') &&
    textAt(reference, 'name') === metadataText(object, 'name')
  )
}

function isStale(references: readonly JsonObject[], object: JsonObject): boolean {
  return references.some(
    (reference) => names(reference, object) && textAt(reference, 'uid') !== metadataText(object, 'uid'),
  )
}

function withoutOrder(references: readonly JsonObject[]): readonly JsonObject[] {
  return [...references].sort((left, right) => (textAt(left, 'uid') < textAt(right, 'uid') ? -1 : 1))
}
