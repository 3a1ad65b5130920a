// What does a body say? JSON or YAML to a tree, with keys that stand twice, within bounds: no alias bomb, no depth beyond reason.
// Source of the texts: k8s.io/apimachinery/pkg/runtime/serializer/json, sigs.k8s.io/yaml.
import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { parseWireJson, type WireJson, WireJsonError } from '../base/wire-json.ts'
import { badRequest, StatusError } from './status-error.ts'

export type MediaType = 'application/json' | 'application/yaml'

/** More aliases than any manifest has; a bomb of nested aliases has millions. */
const maxAliases = 100

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

/** The type of a create's or update's body; none counts as JSON. Throws StatusError (415). */
export function bodyTypeOf(contentType: string | undefined): MediaType {
  if (contentType === undefined || contentType === '') return 'application/json'
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return 'application/json'
  if (type === 'application/yaml') return 'application/yaml'
  throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  })
}

/** Throws WireJsonError with the decoder's own text. */
export function parseBody(text: string, type: MediaType): WireJson {
  if (type === 'application/json') return parseWireJson(text)
  return looksLikeJson(text) ? parseWireJson(text) : parseYaml(text)
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

function parseYaml(text: string): WireJson {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    intAsBigInt: true,
    merge: true,
    lineCounter: lines,
  })
  const [fault] = document.errors
  if (fault !== undefined) throw new WireJsonError(`yaml: ${fault.message.split('\n')[0] ?? ''}`)
  const duplicates: string[] = []
  visit(document, {
    Map: (_, map) => {
      if (!isMap(map)) return
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : ''
        if (seen.has(name)) duplicates.push(name)
        seen.add(name)
      }
    },
  })
  try {
    return { value: withPlainNumbers(document.toJS({ maxAliasCount: maxAliases }) as Json), duplicates } // JSON's own types.
  } catch (thrown) {
    if (thrown instanceof ReferenceError) throw new WireJsonError('yaml: document contains excessive aliasing')
    throw thrown
  }
}

/** YAML integers were read exactly; most are plain numbers. Dates and other tags have no place in JSON. */
function withPlainNumbers(value: Json): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map((item: Json) => withPlainNumbers(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withPlainNumbers(field ?? null)]))
}
