// A controller's own resource as its functions see it: a live object with the spec that its CRD requires.
import type { LiveObject } from '../object/object.ts'

/** A live resource of the controller's kind. */
export type ParentOf<Spec, Status> = LiveObject<Spec, Status> & { readonly spec: Spec }

/** Sound: the informer of a controller's own resource holds nothing else, and its CRD requires `spec`. */
export function parentOf(object: LiveObject): ParentOf<unknown, unknown> {
  return object as ParentOf<unknown, unknown>
}
