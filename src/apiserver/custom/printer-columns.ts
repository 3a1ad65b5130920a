// Table of a custom kind in `kubectl get`: the name, then the declared columns, or the age.
// Source: k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { integerAt, structAt, textAt } from '../built-in/field-walk.ts'
import { goFloat, goJson, sortedByKey } from '../field-error.ts'
import { parseRfc3339 } from '../rfc3339.ts'
import { isInteger } from '../schema/number-rules.ts'
import type { PrinterColumn, Table } from '../strategy.ts'
import { ageText } from './age.ts'
import { type JsonPath, JsonPathError, parseJsonPath } from './json-path.ts'

type Cell = string | number | bigint | boolean | null

interface Column extends PrinterColumn {
  readonly path: JsonPath
}

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names'
const ageDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata'

const nameColumn: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: nameDescription,
  priority: 0,
}
const ageColumn: JsonObject = {
  name: 'Age',
  type: 'date',
  description: ageDescription,
  jsonPath: '.metadata.creationTimestamp',
}

/** Returns the table of one version, from `additionalPrinterColumns`. */
export function customTable(declared: readonly JsonObject[]): Table {
  const columns = columnsOf(declared.length === 0 ? [ageColumn] : declared)
  return {
    columns: [nameColumn, ...columns.map(({ path: _, ...column }) => column)],
    cells: (object, nowMs) => [
      textAt(structAt(object, 'metadata'), 'name'),
      ...columns.map((column) => cellOf(column, object, nowMs)),
    ],
  }
}

/** After a column with an invalid path, the server shows no further columns. */
function columnsOf(declared: readonly JsonObject[]): Column[] {
  const columns: Column[] = []
  for (const column of declared) {
    const jsonPath = textAt(column, 'jsonPath')
    const path = readable(jsonPath)
    if (path === undefined) break
    columns.push({
      name: textAt(column, 'name'),
      type: textAt(column, 'type'),
      format: textAt(column, 'format'),
      description:
        textAt(column, 'description') || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority: integerAt(column, 'priority'),
      path,
    })
  }
  return columns
}

function readable(jsonPath: string): JsonPath | undefined {
  try {
    return parseJsonPath(jsonPath)
  } catch (thrown) {
    if (thrown instanceof JsonPathError) return undefined
    throw thrown
  }
}

function cellOf({ path, type }: Column, object: JsonObject, nowMs: number): Cell {
  const value = firstOf(path, object)
  if (value === undefined) return null
  if (type === 'string') return shownText(value)
  if (typeof value === 'number' || typeof value === 'bigint') return numberCell(value, type)
  if (type === 'boolean') return typeof value === 'boolean' ? value : null
  return type === 'date' && typeof value === 'string' ? dateCell(value, nowMs) : null
}

function firstOf(path: JsonPath, object: JsonObject): Json | undefined {
  try {
    return path.find(object)[0]
  } catch (thrown) {
    if (thrown instanceof JsonPathError) return undefined
    throw thrown
  }
}

function numberCell(value: number | bigint, type: string): Cell {
  if (type === 'number') return Number(value)
  if (type !== 'integer') return null
  if (isInteger(value)) return value
  // As Go converts a float: an overflow becomes the smallest integer.
  return Math.abs(Number(value)) < 2 ** 63 ? Math.trunc(Number(value)) : -(2n ** 63n)
}

function shownText(value: Json): string {
  if (typeof value === 'string') return value
  if (value === null) return '<no value>'
  if (isJsonList(value) || isJsonObject(value)) return goJson(sortedByKey(value))
  return typeof value === 'number' && !isInteger(value) ? goFloat(value) : String(value)
}

function dateCell(text: string, nowMs: number): string {
  if (text === '') return '<unknown>'
  const parsed = parseRfc3339(text)
  return 'time' in parsed ? ageText(nowMs - Date.parse(parsed.time)) : '<invalid>'
}
