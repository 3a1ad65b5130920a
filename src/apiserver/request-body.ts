// What does a body say? JSON or YAML to a tree, with keys that stand twice, within bounds.
// Source of the texts: k8s.io/apimachinery/pkg/runtime/serializer/json.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { parseWireJson, type WireJson, WireJsonError } from '../base/wire-json.ts'
import { badRequest, StatusError } from './status-error.ts'
import { maxYamlLength, parseYaml } from './yaml-text.ts'

export type MediaType = 'application/json' | 'application/yaml'

/** Source: --max-request-body-bytes of generic API servers. */
export const maxBodyBytes = 3 * 1024 * 1024

/** Throws StatusError (413) for a body that is too long to be looked at. */
export function checkLength({ body }: { readonly body: string }): void {
  // No text is shorter in bytes than in characters, and none is longer than three times.
  if (body.length * 3 > maxBodyBytes && Buffer.byteLength(body) > maxBodyBytes) throw tooLong()
}

export function tooLong(): StatusError {
  return new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${maxBodyBytes}`,
  })
}

/** A type whose parameters are whole. Source: Go's mime.ParseMediaType. */
const wholeType = /^[^;]*(;\s*[^\s;="]+\s*=\s*([^\s;"]+|"([^"\\]|\\.)*")\s*)*;?\s*$/

/** The type of a create's or update's body; none counts as JSON. Throws StatusError (415). */
export function bodyTypeOf(contentType: string | undefined): MediaType {
  if (contentType === undefined || contentType === '') return 'application/json'
  const isWhole = wholeType.test(contentType) && !saysTwoThings(contentType)
  const type = isWhole ? contentType.split(';')[0]?.trim().toLowerCase() : undefined
  if (type === 'application/json') return 'application/json'
  if (type === 'application/yaml') return 'application/yaml'
  throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])
}

/** A parameter may be named twice, whatever the case of its letters, but not with another value. */
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

/** Throws WireJsonError with the decoder's own text, and StatusError (413) for YAML that is too long to be read. */
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

/** A body that has to be an object. Throws StatusError (400), `what` being the sentence's beginning. */
export function parseObject(
  text: string,
  type: MediaType,
  what: string,
  goType = 'map[string]interface {}',
): { value: JsonObject; duplicates: readonly string[] } {
  try {
    const { value, duplicates } = parseBody(text, type)
    if (isJsonObject(value)) return { value, duplicates }
    if (value === null) return { value: {}, duplicates } // As Go reads it into any struct or map.
    throw badRequest(`${what}: json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${goType}`)
  } catch (thrown) {
    if (thrown instanceof WireJsonError) throw badRequest(`${what}: ${thrown.message}`)
    throw thrown
  }
}

/** What the decoder reads first of a body: its type alone. */
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
