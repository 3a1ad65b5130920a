// What may a controller take out of the way that it did not make? One object, such as a pod that keeps its StatefulSet from
// going on. Only this very version of it: whatever happens to it meanwhile saves it (I5).
import type { LiveObject } from '../object/object.ts'
import type { EventReport } from './context.ts'

export interface Repair {
  /** Of a kind that the definition watches with `repairMayDelete`. Deleted only while uid and resourceVersion are these. */
  readonly delete: Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>
  /** Told of the resource once the delete was accepted. */
  readonly event: EventReport
}
