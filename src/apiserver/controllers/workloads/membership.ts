// Membership of objects in a controlling object. It keeps what it controls and selects, adopts orphans that it selects,
// and
// releases what it no longer selects. An owner that is being deleted neither adopts nor releases.
// Source: k8s.io/kubernetes/pkg/controller/controller_ref_manager.go.
import type { JsonObject } from '../../../base/json.ts'
import { structsAt, textAt } from '../../built-in/field-walk.ts'
import { isTerminating, metadataOf, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { type OwnerRef, ownersOf } from '../../owner-references.ts'
import type { KindClient } from './kind-client.ts'

export interface Membership {
  readonly members: readonly JsonObject[]
  readonly adopted: readonly JsonObject[]
  readonly released: readonly JsonObject[]
}

export function membershipOf(
  owner: JsonObject,
  candidates: readonly JsonObject[],
  chooses: (candidate: JsonObject) => boolean,
): Membership {
  const uid = metadataText(owner, 'uid')
  const canChange = !isTerminating(owner)
  const members: JsonObject[] = []
  const adopted: JsonObject[] = []
  const released: JsonObject[] = []
  for (const candidate of candidates) {
    const controller = controllerOf(candidate)
    if (controller !== undefined) {
      if (controller.uid !== uid) continue
      if (chooses(candidate)) members.push(candidate)
      else if (canChange) released.push(candidate)
    } else if (canChange && !isTerminating(candidate) && chooses(candidate)) adopted.push(candidate)
  }
  return { members, adopted, released }
}

/** Adopts and releases the objects; returns the members afterwards. */
export function settleMembership(client: KindClient, owner: JsonObject, membership: Membership): readonly JsonObject[] {
  const { members, adopted, released } = membership
  const uid = metadataText(owner, 'uid')
  for (const one of released) client.update(one, (live) => withoutOwner(live, uid))
  return [...members, ...adopted.map((one) => client.update(one, (live) => withController(live, owner)))]
}

export function controllerOf(object: JsonObject): OwnerRef | undefined {
  return ownersOf(object).find(({ isController }) => isController)
}

export function isControlledBy(object: JsonObject, owner: JsonObject): boolean {
  return controllerOf(object)?.uid === metadataText(owner, 'uid')
}

export function controllerReference(owner: JsonObject): JsonObject {
  return {
    apiVersion: textAt(owner, 'apiVersion'),
    kind: textAt(owner, 'kind'),
    name: metadataText(owner, 'name'),
    uid: metadataText(owner, 'uid'),
    controller: true,
    blockOwnerDeletion: true,
  }
}

function withController(object: JsonObject, owner: JsonObject): JsonObject {
  const others = structsAt(metadataOf(object), 'ownerReferences')
  return withMetadata(object, { ownerReferences: [...others, controllerReference(owner)] })
}

export function withoutOwner(object: JsonObject, uid: string): JsonObject {
  const left = structsAt(metadataOf(object), 'ownerReferences').filter((reference) => textAt(reference, 'uid') !== uid)
  return withMetadata(object, { ownerReferences: left.length === 0 ? undefined : left })
}

/** Returns the keys of the controllers, of one kind, of an object before and after a commit. */
export function controllerKeys(entry: LogEntry, apiVersion: string, kind: string): readonly string[] {
  const names = [entry.before, entry.now].flatMap((state) => {
    const controller = state === undefined ? undefined : controllerOf(state.object)
    return controller?.kind === kind && controller.apiVersion === apiVersion ? [controller.name] : []
  })
  return [...new Set(names)].map((name) => `${entry.place.namespace}/${name}`)
}

/** True if the object exists after the commit without a controller. */
export function isOrphan(entry: LogEntry): boolean {
  return entry.kind !== 'deleted' && controllerOf(entry.now.object) === undefined
}
