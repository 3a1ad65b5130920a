// Who keeps account of which manager set which field? The port between the write path and merge/.
import type { JsonObject } from '../base/json.ts'

export interface ApplyRequest {
  /** Undefined for an apply that creates. */
  readonly live: JsonObject | undefined
  readonly applied: JsonObject
  readonly manager: string
  readonly force: boolean
  /** RFC 3339, whole seconds. */
  readonly timestamp: string
}

/** The account of one kind through one endpoint. */
export interface FieldManager {
  /** A create or update: `updated` with its managedFields as they will be stored. */
  recordUpdate(live: JsonObject | undefined, updated: JsonObject, manager: string, timestamp: string): JsonObject
  /** An apply: the merged object with its managedFields. Throws StatusError. */
  apply(request: ApplyRequest): JsonObject
  /** The object with the live times of managedFields, if times are all that differs from the live object. */
  withoutMereTimes(object: JsonObject, live: JsonObject): JsonObject
}
