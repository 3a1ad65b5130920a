// Values of a Secret that nothing else may contain. Keys in `publicKeys` name public facts.
import { isJsonObject } from '../../src/base/json.ts'

export interface SecretValue {
  readonly value: string
  readonly origin: string
}

/**
 * Keys whose values appear in conditions and status by design: server address, login name, certificates without keys.
 */
const publicKeys: ReadonlySet<string> = new Set([
  ...['host', 'port', 'username', 'user', 'database', 'dbname', 'sslmode', 'endpoint', 'region', 'bucket', 'namespace'],
  // Keys of Service Binding, and the login that the next rotation uses.
  ...['type', 'provider', 'username-next'],
  ...['ca.crt', 'tls.crt', 'server.crt', 'accessKeyId', 'accessKeyID', 'AWS_ACCESS_KEY_ID', 'aws_access_key_id'],
])

/** Returns the values of an object of kind Secret; a malformed object has none. */
export function secretValues(object: unknown): readonly SecretValue[] {
  if (!isJsonObject(object)) return []
  const { metadata, data, stringData } = object
  const place = isJsonObject(metadata) ? `${metadata['namespace'] ?? ''}/${metadata['name'] ?? ''}` : 'without a name'
  return [
    ...entriesOf(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()] as const),
    ...entriesOf(stringData),
  ]
    .filter(([key]) => !publicKeys.has(key))
    .map(([key, value]) => ({ value, origin: `Secret ${place} key ${key}` }))
}

/** Returns the Secrets in a response of the API server: one object, a list, or the frames of a watch. */
export function secretsIn(text: string): readonly unknown[] {
  return text.split('\n').flatMap((line) => {
    const value = parsed(line)
    if (!isJsonObject(value)) return []
    if (Array.isArray(value['items'])) return value['items']
    return [isJsonObject(value['object']) ? value['object'] : value]
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // A part of a frame.
  }
}

function entriesOf(value: unknown): readonly (readonly [string, string])[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : []))
}
