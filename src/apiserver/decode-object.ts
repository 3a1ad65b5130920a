// Decoder of request bodies: checks type, version and fields for the kind of the endpoint, with upstream's messages.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/{create,rest}.go, k8s.io/apimachinery/pkg/runtime/serializer.
import { isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { WireJsonError, WireNumberError } from '../base/wire-json.ts'
import { invalid } from './field-error.ts'
import { metadataText } from './metadata.ts'
import { apiVersionOf, packageOf } from './object-form.ts'
import { goTypeOf, type MediaType, parseBody, typeMetaType } from './request-body.ts'
import { badRequest, invalidObject, StatusError } from './status-error.ts'
import type { ServedResource } from './strategy.ts'
import type { FieldValidation } from './write-options.ts'

export interface DecodeRequest {
  readonly resource: ServedResource
  readonly body: string
  readonly type: MediaType
  readonly fieldValidation: FieldValidation
  /** Returns the served resource of a kind, to distinguish a wrong kind from an unknown one. */
  kindOf(apiVersion: string, kind: string): ServedResource | undefined
  /** Receives the texts of Warning headers. */
  warn(text: string): void
}

/** Returns the decoded object. Throws StatusError (400, or 422 for a custom kind of another type). */
export function decodeObject(request: DecodeRequest): JsonObject {
  const { resource, body, type, fieldValidation, warn } = request
  const { value, duplicates } = readBody(resource, body, type)
  const said = saidType(request, value)
  // The order differs: custom kinds decode the fields before they check the type.
  if (!resource.isCustom) checkType(resource, value, said)
  const typed = resource.isCustom ? value : withType(resource, value)
  const { object, strictErrors } = resource.strategy.decode(typed)
  const faults = [...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`), ...strictErrors]
  // For a custom kind, upstream's message names the kind of the body.
  if (faults.length > 0 && fieldValidation === 'Strict')
    throw badRequest(
      `${said.kind} in version ${JSON.stringify(versionOf(said.apiVersion))} cannot be handled as a ${resource.isCustom ? said.kind : resource.kind}: strict decoding error: ${faults.join(', ')}`,
    )
  if (fieldValidation === 'Warn') for (const fault of faults) warn(fault)
  if (resource.isCustom) checkType(resource, value, said)
  return object
}

function readBody(
  resource: ServedResource,
  body: string,
  type: MediaType,
): { value: JsonObject; duplicates: readonly string[] } {
  try {
    const { value, duplicates } = parseBody(body, type)
    if (isJsonObject(value)) return { value, duplicates }
    if (value === null) return { value: {}, duplicates }
    throw new WireJsonError(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${typeMetaType}`)
  } catch (thrown) {
    if (!(thrown instanceof WireJsonError)) throw thrown
    if (thrown instanceof WireNumberError) throw unhandled(resource, thrown.message)
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${thrown.message}`, body)
  }
}

/**
 * Returns the type that the body states.
 * A built-in kind may omit it, because the path gives it; a custom kind must state it. Throws StatusError (400).
 */
function saidType({ resource, body, kindOf: of }: DecodeRequest, value: JsonObject): StatedType {
  const kind = own(value, 'kind')
  if (resource.isCustom && (typeof kind !== 'string' || kind === ''))
    throw unrecognized(resource, `Object 'Kind' is missing in '${body}'`, body)
  const otherwise = resource.isCustom ? '' : apiVersionOf(resource)
  return { of, kind: textOr(kind, resource.kind), apiVersion: textOr(own(value, 'apiVersion'), otherwise) }
}

function withType(resource: ServedResource, value: JsonObject): JsonObject {
  const { kind } = resource
  const apiVersion = apiVersionOf(resource)
  return own(value, 'kind') === kind && own(value, 'apiVersion') === apiVersion ? value : { ...value, kind, apiVersion }
}

/** Type that a body states. */
interface StatedType {
  readonly of: DecodeRequest['kindOf']
  readonly kind: string
  readonly apiVersion: string
}

/** Throws StatusError unless the body states the type that the endpoint accepts. */
function checkType(resource: ServedResource, value: JsonObject, { of, kind, apiVersion }: StatedType): void {
  const expected = apiVersionOf(resource)
  if (kind === resource.kind && apiVersion === expected) return
  if (resource.isCustom && apiVersion === expected)
    throw invalidObject({ group: resource.group, kind }, metadataText(value, 'name'), [
      invalid('kind', kind, `must be ${resource.kind}`),
    ])
  const known = of(apiVersion, kind)
  if (known !== undefined && !known.isCustom && !resource.isCustom) readAsSaid(resource, known, value)
  if (resource.isCustom || known?.shelf === resource.shelf)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
  const why =
    known === undefined || known.isCustom
      ? `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"`
      : `converting (${known.version}.${kind}) to (${packageOf(resource)}.${resource.kind}): unknown conversion`
  throw badRequest(
    `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${resource.kind}: ${why}`,
  )
}

/**
 * Decodes a body as its stated kind, because upstream reports decoding errors before the type mismatch.
 * Throws StatusError (400).
 */
function readAsSaid(resource: ServedResource, known: ServedResource, value: JsonObject): void {
  try {
    known.strategy.decode(value)
  } catch (thrown) {
    if (!(thrown instanceof StatusError) || thrown.parts.code !== 400) throw thrown
    throw badRequest(thrown.message.replace(`handled as a ${known.kind}:`, `handled as a ${resource.kind}:`))
  }
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1)
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

function unhandled({ kind, version }: ServedResource, why: string): StatusError {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)
}

function unrecognized(resource: ServedResource, why: string, body: string): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why} (${summary(body)})`)
}

/** Source: summarizeData in k8s.io/apiserver/pkg/endpoints/handlers/rest.go. */
function summary(body: string): string {
  const limit = 30
  const bytes = Buffer.from(body, 'utf8')
  if (bytes.length === 0) return '<empty>'
  if (bytes[0] === 0x7b) return bytes.length > limit ? `${bytes.subarray(0, limit).toString('utf8')} ...` : body
  return bytes.length > limit ? `${bytes.subarray(0, limit).toString('hex')} ...` : bytes.toString('hex')
}
