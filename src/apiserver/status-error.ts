// Errors of the API server. A StatusError is thrown, and its Status becomes the body of the answer.
// Source: k8s.io/apimachinery/pkg/api/errors/errors.go, including the texts.
import type { Json, JsonObject } from '../base/json.ts'
import { aggregateText, errorBody, errorText, type FieldError, goQuoted } from './field-error.ts'

export interface GroupResource {
  readonly group: string
  /** Plural, in lower case. */
  readonly resource: string
}

export interface GroupKind {
  readonly group: string
  readonly kind: string
}

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface StatusParts {
  readonly code: number
  /** Absent if upstream has no reason either. */
  readonly reason?: string
  readonly message: string
  readonly details?: StatusDetails
  /** Sent as text instead of a Status, for paths without a resource. */
  readonly plainText?: string
  /** Token to continue with, for an expired list token only. */
  readonly continueToken?: string
}

/** Rejection of a request. The handler turns it into an HTTP answer, a watch into an ERROR event. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly parts: StatusParts

  constructor(parts: StatusParts) {
    super(parts.message)
    this.parts = parts
  }
}

/** Returns the Status, keys in upstream's order. Omits empty fields of the details. */
export function statusOf({ code, reason, message, details, continueToken }: StatusParts): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: continueToken === undefined ? {} : { continue: continueToken },
    status: 'Failure',
    ...(message === '' ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details: detailsOf(details) }),
    code,
  }
}

export function groupResourceText({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`
}

function groupKindText({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`
}

export function notFound(of: GroupResource, name: string): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `${groupResourceText(of)} ${goQuoted(name)} not found`,
    details: { name, group: of.group, kind: of.resource },
  })
}

/** Returns the router's 404 for a path without an endpoint. */
export function noSuchPath(): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  })
}

/** Returns the 404 of upstream's outermost router, which is plain text instead of a Status. */
export function noSuchPage(): StatusError {
  return new StatusError({ code: 404, message: '404 page not found', plainText: '404 page not found\n' })
}

export function alreadyExists(of: GroupResource, name: string, isTerminating = false): StatusError {
  return new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${isTerminating ? 'object is being deleted: ' : ''}${groupResourceText(of)} ${JSON.stringify(name)} already exists`,
    details: { name, group: of.group, kind: of.resource },
  })
}

export function generateNameConflict(of: GroupResource, name: string): StatusError {
  return new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${groupResourceText(of)} ${JSON.stringify(name)} already exists, the server was not able to generate a unique name for the object`,
    details: { name, group: of.group, kind: of.resource, retryAfterSeconds: 1 },
  })
}

export function conflict(of: GroupResource, name: string, why: string): StatusError {
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${groupResourceText(of)} ${JSON.stringify(name)}: ${why}`,
    details: { name, group: of.group, kind: of.resource },
  })
}

export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return new StatusError({ code: 409, reason: 'Conflict', message, details: { causes } })
}

export function forbiddenRequest(of: GroupResource | undefined, name: string, why: string): StatusError {
  const message =
    of === undefined || (of.group === '' && of.resource === '')
      ? `forbidden: ${why}`
      : name === ''
        ? `${groupResourceText(of)} is forbidden: ${why}`
        : `${groupResourceText(of)} ${JSON.stringify(name)} is forbidden: ${why}`
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message,
    details: { name, group: of?.group ?? '', kind: of?.resource ?? '' },
  })
}

export function invalidObject({ group, kind }: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const head = `${groupKindText({ group, kind })} ${JSON.stringify(name)} is invalid`
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: errors.length === 0 ? head : `${head}: ${aggregateText(errors.map(errorText))}`,
    details: {
      name,
      group,
      kind,
      causes: errors.map((error) => ({ reason: error.type, message: errorBody(error), field: error.field })),
    },
  })
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message })
}

export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
}

export function methodNotAllowed(): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  })
}

/** Returns the 405 of custom kinds for an unsupported verb on a subresource. */
export function verbNotSupported(of: GroupResource, verb: string): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${verb} is not supported on resources of kind ${JSON.stringify(groupResourceText(of))}`,
    details: { group: of.group, kind: of.resource },
  })
}

/** Returns the 410 for a compacted revision or an expired list token. */
export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError({
    code: 410,
    reason: 'Expired',
    message,
    ...(continueToken === undefined ? {} : { continueToken }),
  })
}

/** Returns the 500 without a reason that upstream sends for plain Go errors. */
export function plainError(message: string): StatusError {
  return new StatusError({ code: 500, message })
}

export function internalError(why: string): StatusError {
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [why === '' ? {} : { message: why }] },
  })
}

/** Returns the 501 for a feature that only the real server has; deviations.yaml lists them. `what` is the subject. */
export function notServed(what: string): StatusError {
  return new StatusError({
    code: 501,
    reason: 'NotImplemented',
    message: `${what} is not served by this API server; use a real one (konverge dev --control-plane real).`,
  })
}

function detailsOf({ name, group, kind, uid, causes, retryAfterSeconds }: StatusDetails): JsonObject {
  return {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    ...(uid ? { uid } : {}),
    ...(causes && causes.length > 0 ? { causes: causes as unknown as readonly Json[] } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  }
}
