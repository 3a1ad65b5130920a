// Parser of request bodies: JSON or YAML within size limits; reports duplicate keys.
// Source of the texts: k8s.io/apimachinery/pkg/runtime/serializer/json.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { parseWireJson, type WireJson, WireJsonError } from '../base/wire-json.ts'
import { badRequest, StatusError } from './status-error.ts'
import { maxYamlLength, parseYaml } from './yaml-text.ts'

export type MediaType = 'application/json' | 'application/yaml'

/** Source: --max-request-body-bytes of generic API servers. */
export const maxBodyBytes = 3 * 1024 * 1024

/** Throws StatusError (413) for a body over the size limit. */
export function checkLength({ body }: { readonly body: string }): void {
  // A text has one to three bytes per UTF-16 unit.
  if (body.length * 3 > maxBodyBytes && Buffer.byteLength(body) > maxBodyBytes) throw tooLong()
}

export function tooLong(): StatusError {
  return new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${maxBodyBytes}`,
  })
}

/** A media type with well-formed parameters. Source: Go's mime.ParseMediaType. */
const wholeType = /^[^;]*(;\s*[^\s;="]+\s*=\s*([^\s;"]+|"([^"\\]|\\.)*")\s*)*;?\s*$/

/** Returns the type of a body; JSON without a content type. Throws StatusError (415). */
export function bodyTypeOf(contentType: string | undefined): MediaType {
  if (contentType === undefined || contentType === '') return 'application/json'
  const isWhole = wholeType.test(contentType) && !saysTwoThings(contentType)
  const type = isWhole ? contentType.split(';')[0]?.trim().toLowerCase() : undefined
  if (type === 'application/json') return 'application/json'
  if (type === 'application/yaml') return 'application/yaml'
  throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])
}

/** Returns whether a parameter, whatever its case, has two different values. */
function saysTwoThings(contentType: string): boolean {
  const values = new Map<string, string>()
  return [...contentType.matchAll(/;\s*([^\s;="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]+)/g)].some(
    ([, name = '', value = '']) => {
      const key = name.toLowerCase()
      const plain = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
      const known = values.get(key) ?? plain
      values.set(key, plain)
      return known !== plain
    },
  )
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  })
}

/** Parses a body. Throws WireJsonError with the decoder's text, and StatusError (413) for YAML over the limit. */
export function parseBody(text: string, type: MediaType): WireJson {
  if (type === 'application/json' || looksLikeJson(text)) return parseWireJson(text)
  if (text.length > maxYamlLength) throw yamlTooLong(text.length)
  return parseYaml(text)
}

function yamlTooLong(length: number): StatusError {
  return new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: a body in YAML has at most ${maxYamlLength} characters, this one has ${length}; send it as JSON`,
  })
}

/** Parses a body that must be an object. Throws StatusError (400) with a text that starts with `what`. */
export function parseObject(
  text: string,
  type: MediaType,
  what: string,
  goType = 'map[string]interface {}',
): { value: JsonObject; duplicates: readonly string[] } {
  try {
    const { value, duplicates } = parseBody(text, type)
    if (isJsonObject(value)) return { value, duplicates }
    if (value === null) return { value: {}, duplicates } // Like Go, which reads null into any struct or map.
    throw badRequest(`${what}: json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${goType}`)
  } catch (thrown) {
    if (thrown instanceof WireJsonError) throw badRequest(`${what}: ${thrown.message}`)
    throw thrown
  }
}

/** Go type by which the decoder reads the type of a body, as error texts print it. */
export const typeMetaType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

export function goTypeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

function looksLikeJson(text: string): boolean {
  return /^\s*\{/.test(text)
}
