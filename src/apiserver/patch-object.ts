// What does a patch make of an object? JSON patch, merge patch and strategic merge patch, with the server's limits and refusals;
// server-side apply is the field manager's. Source: k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { applyJsonPatch, applyMergePatch, JsonPatchError, type JsonPatchOperation } from '../base/json-patch.ts'
import { parseWireJson, type WireJson, WireJsonError, wireJson } from '../base/wire-json.ts'
import { invalid } from './field-error.ts'
import { badRequest, invalidObject, StatusError } from './status-error.ts'
import type { Decoded, ServedResource } from './strategy.ts'
import type { FieldValidation } from './write-options.ts'

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

const maxOperations = 10_000

/** Throws StatusError (415) naming what the kind takes: custom kinds know no strategic merge. */
export function patchTypeOf(contentType: string | undefined, resource: ServedResource): PatchType {
  const name = (contentType ?? '').split(';')[0]?.trim() ?? ''
  const accepted = Object.keys(patchTypes).filter((type) => !resource.isCustom || patchTypes[type] !== 'strategic')
  const type = accepted.includes(name) ? patchTypes[name] : undefined
  if (type !== undefined) return type
  // The router of the built-in kinds has looked at the type before any handler does.
  if (!resource.isCustom)
    throw new StatusError({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    })
  throw new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  })
}

export interface PatchRequest {
  /** Reads what the patch made. */
  readonly decode: (patched: JsonObject) => Decoded
  readonly type: Exclude<PatchType, 'apply'>
  readonly body: string
  readonly fieldValidation: FieldValidation
  warn(text: string): void
}

export type StrategicMerge = (original: JsonObject, patch: JsonObject) => JsonObject

/** The patched object, read as its kind reads it. Throws StatusError. */
export function patchObject(
  live: JsonObject,
  request: PatchRequest,
  strategicMerge: StrategicMerge | undefined,
): JsonObject {
  const { decode, type, fieldValidation, warn } = request
  const { value: patch, duplicates } = readPatch(request)
  const patched = patchedBy(live, patch, type, strategicMerge)
  const { object, strictErrors } = decoded(decode, patched)
  const prefix = type === 'json' ? 'json patch ' : ''
  const faults = [...duplicates.map((path) => `${prefix}duplicate field ${JSON.stringify(path)}`), ...strictErrors]
  if (faults.length === 0 || fieldValidation === 'Ignore') return object
  if (fieldValidation === 'Strict') throw refusedPatch(patched, `strict decoding error: ${faults.join(', ')}`)
  for (const fault of faults) warn(fault)
  return object
}

function readPatch({ type, body }: PatchRequest): WireJson {
  try {
    return parseWireJson(body)
  } catch (thrown) {
    if (!(thrown instanceof WireJsonError)) throw thrown
    throw badRequest(type === 'strategic' ? thrown.message : `error decoding patch: ${thrown.message}`)
  }
}

function patchedBy(
  live: JsonObject,
  patch: Json,
  type: PatchRequest['type'],
  strategicMerge: StrategicMerge | undefined,
): Json {
  if (type === 'json') return byOperations(live, patch)
  if (!isJsonObject(patch))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${isJsonList(patch) ? 'array' : typeof patch} into Go value of type map[string]interface {}`,
    )
  if (type === 'merge' || strategicMerge === undefined) return applyMergePatch(live, patch)
  return strategicMerge(live, patch)
}

function byOperations(live: JsonObject, patch: Json): Json {
  if (!isJsonList(patch))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${isJsonObject(patch) ? 'object' : typeof patch} into Go value of type []handlers.jsonPatchOp`,
    )
  if (patch.length > maxOperations)
    throw new StatusError({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    })
  try {
    return applyJsonPatch(live, patch.map(operationOf))
  } catch (thrown) {
    if (!(thrown instanceof JsonPatchError)) throw thrown
    throw new StatusError({
      code: 422,
      reason: 'Invalid',
      message: `the server rejected our request due to an error in our request`,
      details: {},
    })
  }
}

function operationOf(item: Json): JsonPatchOperation {
  if (!isJsonObject(item)) throw badRequest('error decoding patch: an operation is an object')
  const op = own(item, 'op')
  const known = ['add', 'remove', 'replace', 'move', 'copy', 'test']
  if (typeof op !== 'string' || !known.includes(op))
    throw new StatusError({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    })
  return item as unknown as JsonPatchOperation // Its fields are checked where they are used.
}

function decoded(decode: PatchRequest['decode'], patched: Json): Decoded {
  if (!isJsonObject(patched)) throw refusedPatch(patched, 'json: cannot unmarshal into Go value')
  try {
    return decode(patched)
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.parts.code === 400)
      throw refusedPatch(patched, thrown.message.replace(/^.* cannot be handled as a [^:]*: /, ''))
    throw thrown
  }
}

function refusedPatch(patched: Json, why: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', wireJson(patched), why)])
}
