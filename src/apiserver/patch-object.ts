// Patches: JSON patch, merge patch and strategic merge patch, with upstream's limits and error texts.
// The field manager handles server-side apply.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { parseWireJson, type WireJson, WireJsonError, wireJson } from '../base/wire-json.ts'
import { invalid, sortedByKey } from './field-error.ts'
import { goPrinted } from './patch/go-print.ts'
import { jsonPatched } from './patch/json-patch.ts'
import { readJsonPatch } from './patch/json-patch-body.ts'
import { mergePatched } from './patch/merge-patch.ts'
import { sortedAlong, sortedWhereMerged } from './patch/patched-text.ts'
import { goTypeOf, typeMetaType } from './request-body.ts'
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

/**
 * Returns the patch type. Throws StatusError (415) that lists the types of the kind: custom kinds have no strategic
 * merge.
 */
export function patchTypeOf(contentType: string | undefined, resource: ServedResource): PatchType {
  const name = (contentType ?? '').split(';')[0]?.trim() ?? ''
  const accepted = Object.keys(patchTypes).filter((type) => !resource.isCustom || patchTypes[type] !== 'strategic')
  const type = accepted.includes(name) ? patchTypes[name] : undefined
  if (type !== undefined) return type
  // For built-in kinds, upstream's router checks the type before any handler.
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
  /** Decodes the patched object. */
  readonly decode: (patched: JsonObject) => Decoded
  readonly type: Exclude<PatchType, 'apply'>
  readonly body: string
  readonly fieldValidation: FieldValidation
  /** Error texts show custom objects with sorted keys. */
  readonly isCustom: boolean
  warn(text: string): void
}

/** Strategic merge of one kind. */
export interface StrategicMerge {
  merge(original: JsonObject, patch: JsonObject): JsonObject
  /** Returns why the kind cannot decode the merged object; undefined if it can. */
  faultOf(merged: JsonObject): string | undefined
}

/** Returns the patched and decoded object. Throws StatusError. */
export function patchObject(
  live: JsonObject,
  request: PatchRequest,
  strategicMerge: StrategicMerge | undefined,
): JsonObject {
  const { decode, type, fieldValidation, warn } = request
  const { value: patch, duplicates } = readPatch(request)
  const prefix = type === 'json' ? 'json patch ' : ''
  const inPatch = duplicates.map((path) => `${prefix}duplicate field ${JSON.stringify(path)}`)
  const made = patchedBy(live, patch, request, strategicMerge)
  const { strictErrors, shown, isConverted } = made
  const result = decoded(decode, made)
  const unknown = isConverted ? [...result.strictErrors].sort() : result.strictErrors
  const faults = [...inPatch, ...strictErrors, ...unknown]
  if (faults.length === 0 || fieldValidation === 'Ignore') return result.object
  if (fieldValidation === 'Strict') throw refusedPatch(shown(), `strict decoding error: ${faults.join(', ')}`)
  for (const fault of faults) warn(fault)
  return result.object
}

function readPatch({ type, body, fieldValidation }: PatchRequest): WireJson {
  try {
    return parseWireJson(body)
  } catch (thrown) {
    if (!(thrown instanceof WireJsonError)) throw thrown
    if (type === 'merge' && fieldValidation === 'Ignore') throw badRequest(unreadableMerge)
    const isPlain = type === 'strategic' || fieldValidation === 'Ignore'
    throw badRequest(isPlain ? thrown.message : `error decoding patch: ${thrown.message}`)
  }
}

const unreadableMerge = 'Invalid JSON Patch'

interface Patched {
  readonly patched: Json
  /** Returns the same with its keys in upstream's order, which decides which of several errors comes first. */
  readonly inOrder: () => Json
  /** Strict errors of the patch itself. */
  readonly strictErrors: readonly string[]
  /** Returns the text that an error shows of the patch. */
  readonly shown: () => string
  /** True if upstream patches maps, false if it patches JSON text. */
  readonly isConverted: boolean
}

function patchedBy(
  live: JsonObject,
  patch: Json,
  request: PatchRequest,
  strategicMerge: StrategicMerge | undefined,
): Patched {
  const { type } = request
  const isChecked = request.fieldValidation !== 'Ignore'
  if (type === 'json') {
    const { operations, strictErrors } = readJsonPatch(patch, isChecked)
    const patched = jsonPatched(live, operations)
    const again = () => jsonPatched(asEncoded(live, request), operations) ?? null
    if (patched !== undefined) return asJson(patched, strictErrors, () => sortedAlong(again(), operations))
    const message = 'the server rejected our request due to an error in our request'
    throw new StatusError({ code: 422, reason: 'Invalid', message, details: {} })
  }
  if (type === 'strategic' && strategicMerge !== undefined) {
    if (!isJsonObject(patch)) throw mistypedPatch(patch)
    const patched = strategicMerge.merge(live, patch)
    const shown = () => goPrinted(patch)
    const fault = strategicMerge.faultOf(patched)
    if (fault !== undefined) throw refusedPatch(shown(), fault)
    return { patched, inOrder: () => patched, strictErrors: [], shown, isConverted: true }
  }
  const again = () => mergedWith(asEncoded(live, request), patch, isChecked)
  return asJson(mergedWith(live, patch, isChecked), [], () => sortedWhereMerged(again(), patch))
}

function asJson(patched: Json, strictErrors: readonly string[], inOrder: () => Json): Patched {
  return { patched, inOrder, strictErrors, shown: () => wireJson(inOrder()), isConverted: false }
}

/** Returns the object with its keys in the order in which upstream passes it to a patch. */
function asEncoded(live: JsonObject, { isCustom, decode }: PatchRequest): JsonObject {
  return isCustom ? (sortedByKey(live) as JsonObject) : decode(live).object // Sorting keeps an object.
}

/**
 * Merges a patch. A list passes here, like upstream; the decoder rejects the result.
 * Throws StatusError (400).
 */
export function mergedWith(live: JsonObject, patch: Json, isChecked: boolean): Json {
  if (isJsonObject(patch)) return mergePatched(live, patch)
  if (isChecked && patch !== null) throw mistypedPatch(patch)
  if (isJsonList(patch)) return mergePatched(live, patch)
  throw badRequest(unreadableMerge)
}

function mistypedPatch(patch: Json): StatusError {
  return badRequest(
    `error decoding patch: json: cannot unmarshal ${goTypeOf(patch)} into Go value of type map[string]interface {}`,
  )
}

function decoded(decode: PatchRequest['decode'], { patched, inOrder, shown }: Patched): Decoded {
  if (!isJsonObject(patched))
    throw refusedPatch(
      shown(),
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeOf(patched)} into Go value of type ${typeMetaType}`,
    )
  const read = readOrRefused(decode, patched)
  if (!(read instanceof StatusError)) return read
  const first = readOrRefused(decode, inOrder() as JsonObject) // Sound: same value, other key order.
  const { message } = first instanceof StatusError ? first : read
  throw refusedPatch(shown(), message.replace(/^.* cannot be handled as a [^:]*: /, ''))
}

/** Returns the decoded object, or the decoder's error 400. */
function readOrRefused(decode: PatchRequest['decode'], object: JsonObject): Decoded | StatusError {
  try {
    return decode(object)
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.parts.code === 400) return thrown
    throw thrown
  }
}

function refusedPatch(shown: string, why: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, why)])
}
