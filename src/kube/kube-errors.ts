// Errors of requests. Every response of the API server that is not a success, and every missing response, becomes a
// KubeError with one of these codes. Source of codes: meta/v1 Status reasons and the HTTP status.
import { CodedError } from '../base/errors.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { nameList } from '../base/name-list.ts'
import { explainForbidden } from './forbidden.ts'
import { isSchemaError, unknownFieldsOf } from './typed-patch.ts'

/** Reason of a failed request; `KubeError.code`. A code without a comment has the meaning of its HTTP status. */
export type KubeErrorCode =
  | 'AlreadyExists'
  | 'BadRequest'
  | 'Conflict'
  /** The resourceVersion or continue token is too old (410). */
  | 'Expired'
  | 'Forbidden'
  | 'Invalid'
  | 'MethodNotAllowed'
  /** The namespace is being deleted, so it accepts no new objects (403). */
  | 'NamespaceTerminating'
  /** The object does not exist. */
  | 'NotFound'
  /** The server does not serve the resource: its CRD or its API group is missing. */
  | 'ResourceNotFound'
  | 'RequestEntityTooLarge'
  | 'ServerError'
  | 'ServiceUnavailable'
  /** The server or this client stopped waiting; a write may have happened. */
  | 'Timeout'
  | 'TooManyRequests'
  | 'Unauthorized'
  /** The schema of the kind lacks a field of the object. `causes` names the fields. */
  | 'UnknownField'
  /** The connection failed or broke; a write may have happened. */
  | 'Unreachable'
  | 'UnsupportedMediaType'

/**
 * Codes of requests that the API server has read and rejected. A rejection may end without a change of the object: a
 * policy is removed, a node port becomes free, a webhook or a quota changes. Until then the same request gets the same
 * response.
 */
export const rejections: ReadonlySet<KubeErrorCode> = new Set<KubeErrorCode>([
  'BadRequest',
  'Forbidden',
  'Invalid',
  'MethodNotAllowed',
  'RequestEntityTooLarge',
  'UnknownField',
  'UnsupportedMediaType',
])

/** One cause in a Status: the field and its problem. */
export interface StatusCause {
  readonly reason: string
  readonly message: string
  readonly field: string
  /**
   * Field manager that owns the field, for the reason `FieldManagerConflict`. For code only: a message may redact it.
   */
  readonly manager?: string
}

export interface KubeErrorOptions {
  readonly code: KubeErrorCode
  readonly message: string
  readonly httpStatus?: number | undefined
  readonly causes?: readonly StatusCause[] | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Error of a request. Its remedy is always a retry: one response does not predict the next (I10). */
export class KubeError extends CodedError<KubeErrorCode> {
  override readonly name = 'KubeError'
  readonly httpStatus: number | undefined
  readonly causes: readonly StatusCause[]

  constructor(options: KubeErrorOptions) {
    super({ ...options, remedy: 'retry' })
    this.httpStatus = options.httpStatus
    this.causes = options.causes ?? []
  }
}

/**
 * True if the value is a KubeError, and has one of the codes if any are given.
 *
 * @example if (isKubeError(thrown, 'NotFound')) return undefined
 */
export function isKubeError(thrown: unknown, ...codes: readonly KubeErrorCode[]): thrown is KubeError {
  return thrown instanceof KubeError && (codes.length === 0 || codes.includes(thrown.code))
}

export interface StatusAnswer {
  /** The call, as in `apply StatefulSet default/store`. */
  readonly attempt: string
  readonly httpStatus: number
  /** JSON of the response, a Status if the API server wrote it. Undefined if the body is not JSON. */
  readonly body: JsonObject | undefined
  /** The Retry-After header, in seconds. Values above `longestRetryAfterMs` count as that. */
  readonly retryAfterSeconds?: number | undefined
}

/** Longest delay that a Retry-After can request. A gateway may request years. */
export const longestRetryAfterMs = 300_000

/** Returns the error for a response with a status of 400 or more, or for a Status in a watch stream. */
export function kubeErrorOf({ attempt, httpStatus, body, retryAfterSeconds }: StatusAnswer): KubeError {
  const details = isJsonObject(body?.details) ? body.details : undefined
  const seconds =
    retryAfterSeconds ?? (typeof details?.retryAfterSeconds === 'number' ? details.retryAfterSeconds : undefined)
  const said = typeof body?.message === 'string' ? body.message : `the API server answered with HTTP ${httpStatus}`
  const advice = adviceOn(httpStatus, said)
  const unknown = unknownFieldsOf(said)
  const causes = unknown.length > 0 ? unknown.map(unknownFieldCause) : causesOf(details)
  const isTerminating = causes.some(({ reason }) => reason === 'NamespaceTerminating')
  return new KubeError({
    code: isTerminating ? 'NamespaceTerminating' : (schemaCodeOf(said) ?? codeOf(httpStatus, body, details)),
    message: `${attempt}: ${advice ?? said}`,
    httpStatus,
    causes,
    retryAfterMs: seconds === undefined ? undefined : Math.min(Math.max(0, seconds * 1000), longestRetryAfterMs),
  })
}

/** Message that replaces the server's own, if that names no remedy. */
function adviceOn(httpStatus: number, said: string): string | undefined {
  const unknown = unknownFieldsOf(said)
  if (unknown.length > 0) {
    const fields = nameList(unknown, namedFields)
    return `the API server does not know ${fields}; correct the field, or leave it out where the version of the kind lacks it`
  }
  if (httpStatus === 403) return explainForbidden(said)
  if (httpStatus !== 401) return undefined
  return 'the API server does not accept our credentials; check the token or certificate of the user in the kubeconfig, or of the service account'
}

/** Code of an object that the schema of its kind rejects; undefined for every other response. */
function schemaCodeOf(said: string): KubeErrorCode | undefined {
  if (!isSchemaError(said)) return undefined
  return unknownFieldsOf(said).length > 0 ? 'UnknownField' : 'Invalid'
}

function unknownFieldCause(field: string): StatusCause {
  return { reason: 'UnknownField', message: 'field not declared in schema', field }
}

/** Most unknown fields that a message names. */
const namedFields = 5

function codeOf(httpStatus: number, body: JsonObject | undefined, details: JsonObject | undefined): KubeErrorCode {
  switch (httpStatus) {
    case 400:
      return 'BadRequest'
    case 401:
      return 'Unauthorized'
    case 403:
      return 'Forbidden'
    case 404:
      // The server names the object that it did not find. For a path that it does not serve, it sends no such details.
      return typeof details?.name === 'string' ? 'NotFound' : 'ResourceNotFound'
    case 405:
      return 'MethodNotAllowed'
    case 408:
    case 504:
      return 'Timeout'
    case 409:
      return body?.reason === 'AlreadyExists' ? 'AlreadyExists' : 'Conflict'
    case 410:
      return 'Expired'
    case 413:
      return 'RequestEntityTooLarge'
    case 415:
      return 'UnsupportedMediaType'
    case 422:
      return 'Invalid'
    case 429:
      return 'TooManyRequests'
    // A gateway did not forward the request: it requires its own credentials, redirects, or waits for the handshake.
    case 407:
    case 421:
    case 425:
    case 503:
      return 'ServiceUnavailable'
    default:
      if (httpStatus >= 500) return 'ServerError'
      // The API server never redirects.
      return httpStatus < 400 ? 'ServiceUnavailable' : 'BadRequest'
  }
}

function causesOf(details: JsonObject | undefined): readonly StatusCause[] {
  const causes = details?.causes
  if (!isJsonList(causes)) return []
  return causes.filter(isJsonObject).map((cause) => {
    const [reason, message, field] = [textOf(cause.reason), textOf(cause.message), textOf(cause.field)]
    return reason === 'FieldManagerConflict'
      ? { reason, message, field, manager: managerIn(message) }
      : { reason, message, field }
  })
}

/**
 * Returns the field manager that a cause `FieldManagerConflict` names, or `?`. Source: apimachinery,
 * managedfields/internal/conflict.go.
 */
export function managerIn(message: string): string {
  return /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? '?'
}

/** Empty for a value that is not a string; some values cannot be converted to one. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
