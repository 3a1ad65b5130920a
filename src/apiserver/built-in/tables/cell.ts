// Type of a table cell.
import type { JsonObject } from '../../../base/json.ts'

export type Cell = string | number | bigint | boolean | null

/** Returns the cells of one object; ages are relative to `nowMs`. */
export type Cells = (object: JsonObject, nowMs: number) => readonly Cell[]
