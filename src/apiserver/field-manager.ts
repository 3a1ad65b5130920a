// Port between the write path and merge/: tracks which field manager set which field.
import type { JsonObject } from '../base/json.ts'

export interface ApplyRequest {
  /** Undefined if the apply creates the object. */
  readonly live: JsonObject | undefined
  readonly applied: JsonObject
  readonly manager: string
  readonly force: boolean
  /** RFC 3339, whole seconds. */
  readonly timestamp: string
}

/** Field ownership of one kind through one endpoint. */
export interface FieldManager {
  /** Returns the created or updated object with the managedFields to store. */
  recordUpdate(live: JsonObject | undefined, updated: JsonObject, manager: string, timestamp: string): JsonObject
  /** Returns the merged object with its managedFields. Throws StatusError. */
  apply(request: ApplyRequest): JsonObject
  /** Returns `object` with the live times of managedFields if it differs from `live` only in these times. */
  withoutMereTimes(object: JsonObject, live: JsonObject): JsonObject
}
