// Deletion of one object that the controller did not create, such as a pod that blocks its StatefulSet. Invariant: only
// this version of the object is deleted (I5).
import type { LiveObject } from '../object/object.ts'
import type { EventReport } from './context.ts'

/** Object to delete because it blocks the children; result of `repair` and part of that of `cleanup`. */
export interface Repair {
  /** Object of a watched kind with `repairMayDelete`. Deleted only while uid and resourceVersion are unchanged. */
  readonly delete: Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>
  /** Event on the resource after the API server has accepted the delete. */
  readonly event: EventReport
}
