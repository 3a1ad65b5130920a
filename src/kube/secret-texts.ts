// The values of a Secret as texts, and a message without them. A long value is taken out wherever it stands; a short one, or a word, only
// where the API server quotes it as the value of a field, as other words of the message may be the same.
import { isJsonObject } from '../base/json.ts'

export interface SecretTexts {
  /** `namespace/name`. */
  readonly key: string
  readonly texts: readonly string[]
}

const redacted = '[redacted]'
/** Random values are longer, and words of messages mostly shorter. */
const longEnough = 8
const longestText = 8_192
const mostDigitsOfName = 4
/** Source: apimachinery/pkg/util/validation/field/errors.go. */
const quotedValue = /\b((?:Invalid|Unsupported|Duplicate|Required) value|Not found): ("(?:[^"\\]|\\.)*")/g

/** Undefined for what is no Secret. */
export function secretTexts(object: object): SecretTexts | undefined {
  if (!isJsonObject(object) || object['kind'] !== 'Secret') return undefined
  const { metadata, data, stringData } = object
  if (!isJsonObject(metadata)) return undefined
  const decoded = textsOf(data).flatMap((text) => [text, Buffer.from(text, 'base64').toString('utf8')])
  const texts = [...decoded, ...textsOf(stringData)].filter((text) => text !== '' && text.length <= longestText)
  return { key: `${metadata['namespace'] ?? ''}/${metadata['name'] ?? ''}`, texts }
}

/** The message with `[redacted]` in place of these texts. */
export function withoutSecretTexts(message: string, texts: readonly string[]): string {
  if (texts.length === 0) return message
  const known = new Set(texts)
  const unquoted = message.replaceAll(quotedValue, (whole, what: string, quoted: string) => {
    const value = unquotedText(quoted)
    return value !== undefined && known.has(value) ? `${what}: "${redacted}"` : whole
  })
  // The longest first: a part of another value may be a value too.
  const anywhere = [...known].filter(isDistinct).toSorted((left, right) => right.length - left.length)
  return anywhere.reduce(
    (cleaned, text) => cleaned.replaceAll(text, redacted).replaceAll(JSON.stringify(text).slice(1, -1), redacted),
    unquoted,
  )
}

/** Names of hosts, users and databases are words with dots and dashes, and messages name them on purpose. */
function isDistinct(text: string): boolean {
  const isName = /^[a-z0-9]*([-._][a-z0-9]+)*$/.test(text) && text.replaceAll(/[^0-9]/g, '').length <= mostDigitsOfName
  return text.length >= longEnough && !isName
}

function unquotedText(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted)
  } catch {
    return undefined // Go's quotes have escapes that JSON has not.
  }
}

function textsOf(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.values(value).filter((text) => typeof text === 'string') : []
}
