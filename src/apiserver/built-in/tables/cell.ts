// What may stand in one cell of a table?
import type { JsonObject } from '../../../base/json.ts'

export type Cell = string | number | bigint | boolean | null

/** The cells of one object; `nowMs` is what ages are counted to. */
export type Cells = (object: JsonObject, nowMs: number) => readonly Cell[]
