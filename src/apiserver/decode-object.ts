// Is this body an object of the kind that the endpoint takes? Type, version and fields are checked and told in the decoder's words.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/{create,rest}.go, k8s.io/apimachinery/pkg/runtime/serializer.
import { isJsonObject, type JsonObject, own } from '../base/json.ts'
import { WireJsonError } from '../base/wire-json.ts'
import { apiVersionOf } from './object-form.ts'
import { goTypeOf, type MediaType, parseBody } from './request-body.ts'
import { badRequest } from './status-error.ts'
import type { ServedResource } from './strategy.ts'
import type { FieldValidation } from './write-options.ts'

export interface DecodeRequest {
  readonly resource: ServedResource
  readonly body: string
  readonly type: MediaType
  readonly fieldValidation: FieldValidation
  /** Takes the texts of Warning headers. */
  warn(text: string): void
}

/** The object as its kind reads it. Throws StatusError (400). */
export function decodeObject({ resource, body, type, fieldValidation, warn }: DecodeRequest): JsonObject {
  const { value, duplicates } = readBody(resource, body, type)
  const typed = withType(resource, value, body)
  const { object, strictErrors } = resource.strategy.decode(typed)
  const faults = [...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`), ...strictErrors]
  if (faults.length === 0 || fieldValidation === 'Ignore') return object
  if (fieldValidation === 'Strict')
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${faults.join(', ')}`,
    )
  for (const fault of faults) warn(fault)
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
    throw new WireJsonError(
      `json: cannot unmarshal ${goTypeOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  } catch (thrown) {
    if (!(thrown instanceof WireJsonError)) throw thrown
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${thrown.message}`, body)
  }
}

/** Built-in kinds are taken without their type, which the path gives; custom kinds have to say it. */
function withType(resource: ServedResource, value: JsonObject, body: string): JsonObject {
  const kind = own(value, 'kind')
  const apiVersion = own(value, 'apiVersion')
  const expected = apiVersionOf(resource)
  if (resource.isCustom && (typeof kind !== 'string' || kind === ''))
    throw unrecognized(resource, `Object 'Kind' is missing in '${body}'`, body)
  const [actualVersion = '', actualGroup = ''] = String(apiVersion ?? expected)
    .split('/')
    .reverse()
  const actualKind = typeof kind === 'string' && kind !== '' ? kind : resource.kind
  if (apiVersion !== undefined && apiVersion !== expected && apiVersion !== '')
    throw badRequest(
      `the API version in the data (${actualGroup === '' ? actualVersion : `${actualGroup}/${actualVersion}`}) does not match the expected API version (${expected})`,
    )
  if (actualKind !== resource.kind)
    throw badRequest(
      `${actualKind} in version ${JSON.stringify(actualVersion)} cannot be handled as a ${resource.kind}: no kind ${JSON.stringify(actualKind)} is registered for version ${JSON.stringify(expected)} in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"`,
    )
  return kind === resource.kind && apiVersion === expected
    ? value
    : { ...value, kind: resource.kind, apiVersion: expected }
}

function unrecognized(resource: ServedResource, why: string, body: string): ReturnType<typeof badRequest> {
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
