// Normalization of desired objects to the server's spelling, once, before they are hashed, compared and applied: an
// unchanged object then compares equal. Invariants: it never changes the meaning, and it is idempotent. Fields without
// a known schema, as in custom resources, keep their declaration.
import { Buffer } from 'node:buffer'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { asJson, type KubeObject } from '../object/object.ts'
import { canonicalQuantity } from '../object/quantity.ts'
import { type FieldShape, type Shape, shapeOfKind, shapeOfMetadata } from './built-in-shapes.ts'
import { isEmpty } from './vacant.ts'

/** Fields that only the server writes; in a desired object they are leftovers of a copy. */
const serverWritten: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
])

/**
 * Returns the desired object as the server will store it.
 *
 * - It has no status, and no metadata that the server writes.
 * - A Secret's `stringData` is in `data`, as base64, and overrides it, as on the server.
 * - In built-in kinds, quantities and base64 are canonical, and list keys with a default (a port's protocol) are
 *   explicit. Nulls and empty values that declare nothing are omitted. Held empty values stay.
 *
 * Unchanged parts are shared with the input, which is not modified.
 */
export function normalize(desired: KubeObject): KubeObject {
  const { status: _status, metadata, ...rest } = asJson(desired)
  const body = desired.apiVersion === 'v1' && desired.kind === 'Secret' ? withStringDataMoved(rest) : rest
  const shape = shapeOfKind(desired)
  const declared = isJsonObject(metadata) ? withoutKeys(metadata, serverWritten) : {}
  const normal = {
    ...(shape === undefined ? body : tidyStruct(body, shape, shape.isCompleted ? 'dropped' : 'held')),
    metadata: tidyValue(declared, shapeOfMetadata(), 'held'),
  }
  // A parse border: apiVersion, kind and metadata.name are in the input and are never removed.
  return normal as unknown as KubeObject
}

/** Treatment of empty values that are owned and not stored. */
type Empties = 'held' | 'dropped'

function tidyStruct(struct: JsonObject, shape: Shape, empties: Empties): JsonObject {
  const entries: [string, Json][] = []
  for (const [name, value] of Object.entries(struct)) {
    if (value === undefined || value === null) continue
    const field = shape.fields.get(name)
    const tidied = field === undefined ? value : tidyField(value, field, empties)
    if (field !== undefined && isEmpty(tidied) && !declaresEmpty(field, empties)) continue
    entries.push([name, tidied])
  }
  for (const [name, { keyDefault }] of shape.fields) {
    if (keyDefault !== undefined && isEmpty(own(struct, name) ?? null)) entries.push([name, keyDefault])
  }
  return Object.fromEntries(entries)
}

function declaresEmpty({ empty }: FieldShape, empties: Empties): boolean {
  return empty === 'stored' || (empty === 'absent' && empties === 'held')
}

function tidyField(value: Json, { holds }: FieldShape, empties: Empties): Json {
  switch (holds) {
    case 'plain':
      return value
    case 'quantity':
      return mapScalars(value, quantityAsStored)
    case 'base64':
      return mapScalars(value, base64AsStored)
    default:
      return tidyValue(value, holds, empties)
  }
}

function tidyValue(value: Json, shape: Shape | undefined, empties: Empties): Json {
  if (shape === undefined) return value
  if (isJsonList(value)) return value.map((item) => tidyValue(item, shape, empties))
  return isJsonObject(value) ? tidyStruct(value, shape, empties) : value
}

/** Applies `change` to the value, or to every value of the map. */
function mapScalars(value: Json, change: (scalar: Json) => Json): Json {
  if (!isJsonObject(value)) return change(value)
  return Object.fromEntries(Object.entries(value).map(([name, scalar]) => [name, change(scalar ?? null)]))
}

/** A text that is no quantity stays, and the server rejects it. */
function quantityAsStored(value: Json): Json {
  return typeof value === 'string' || typeof value === 'number' ? (canonicalQuantity(value) ?? value) : value
}

/** Removes the line breaks that the server skips when it reads base64. */
function base64AsStored(value: Json): Json {
  return typeof value === 'string' ? value.replace(/[\r\n]/g, '') : value
}

function withStringDataMoved({ stringData, ...secret }: JsonObject): JsonObject {
  if (!isJsonObject(stringData)) return secret
  const moved = Object.entries(stringData).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, Buffer.from(text, 'utf8').toString('base64')] as const] : [],
  )
  if (moved.length === 0) return secret
  return { ...secret, data: { ...(isJsonObject(secret['data']) ? secret['data'] : {}), ...Object.fromEntries(moved) } }
}

function withoutKeys(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !keys.has(name)))
}
