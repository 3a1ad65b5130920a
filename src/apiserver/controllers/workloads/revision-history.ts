// ControllerRevisions of a workload: the desired one and the old ones to delete. The hash of the template names a
// revision.
// A return to an old template makes its revision the newest.
// Source: k8s.io/kubernetes/pkg/controller/history, statefulset/stateful_set_control.go.
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, structAt, structIn, valueAt } from '../../built-in/field-walk.ts'
import { metadataOf, metadataText } from '../../metadata.ts'
import { controllerReference } from './membership.ts'
import { fnv32, goMapJson, safeHash } from './name-hash.ts'
import { templateOf } from './template-pod.ts'

export const hashLabel = 'controller.kubernetes.io/hash'

export type RevisionStep =
  | { readonly kind: 'keep'; readonly revision: JsonObject }
  /** An old revision becomes the newest. */
  | { readonly kind: 'renumber'; readonly revision: JsonObject; readonly number: number }
  | { readonly kind: 'create'; readonly revision: JsonObject; readonly collisionCount: number }

/** `revisions` are those of the owner; `isTaken` is true for a name that another object has. */
export function revisionStep(
  owner: JsonObject,
  revisions: readonly JsonObject[],
  isTaken: (name: string) => boolean,
): RevisionStep {
  const sorted = inOrder(revisions)
  const newest = sorted.at(-1)
  const data = revisionData(owner)
  const equal = sorted.findLast((revision) => deepEqual(valueAt(revision, 'data'), data))
  const number = (newest === undefined ? 0 : numberOf(newest)) + 1
  if (equal !== undefined) {
    const isNewest = newest !== undefined && deepEqual(valueAt(newest, 'data'), data)
    return isNewest ? { kind: 'keep', revision: newest } : { kind: 'renumber', revision: equal, number }
  }
  let collisionCount = integerAt(structAt(owner, 'status'), 'collisionCount')
  while (isTaken(revisionName(owner, data, collisionCount))) collisionCount++
  return { kind: 'create', revision: newRevision(owner, { data, number, collisionCount }), collisionCount }
}

/** Returns the unused revisions above the limit, oldest first. */
export function staleRevisions(
  revisions: readonly JsonObject[],
  { inUse, limit }: { readonly inUse: ReadonlySet<string>; readonly limit: number },
): readonly JsonObject[] {
  const unused = inOrder(revisions).filter((revision) => !inUse.has(metadataText(revision, 'name')))
  return unused.slice(0, Math.max(0, unused.length - limit))
}

export function numberOf(revision: JsonObject): number {
  return integerAt(revision, 'revision')
}

export function inOrder(revisions: readonly JsonObject[]): readonly JsonObject[] {
  const age = (revision: JsonObject) => metadataText(revision, 'creationTimestamp') + metadataText(revision, 'name')
  return [...revisions].sort(
    (left, right) => numberOf(left) - numberOf(right) || (age(left) < age(right) ? -1 : age(left) > age(right) ? 1 : 0),
  )
}

function revisionData(owner: JsonObject): JsonObject {
  return { spec: { template: { $patch: 'replace', ...templateOf(owner) } } }
}

function revisionName(owner: JsonObject, data: JsonObject, collisionCount: number): string {
  return `${metadataText(owner, 'name').slice(0, 223)}-${hashOf(data, collisionCount)}`
}

function hashOf(data: JsonObject, collisionCount: number): string {
  return safeHash(fnv32(`${goMapJson(data)}${collisionCount}`))
}

interface NewRevision {
  readonly data: JsonObject
  readonly number: number
  readonly collisionCount: number
}

function newRevision(owner: JsonObject, { data, number, collisionCount }: NewRevision): JsonObject {
  const templateLabels = mapAt(structIn(templateOf(owner), 'metadata'), 'labels')
  return {
    metadata: {
      name: revisionName(owner, data, collisionCount),
      namespace: metadataText(owner, 'namespace'),
      labels: { ...templateLabels, [hashLabel]: hashOf(data, collisionCount) },
      annotations: mapAt(metadataOf(owner), 'annotations'),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: number,
  }
}
