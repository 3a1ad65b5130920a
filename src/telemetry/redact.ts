// Redaction of log fields: replaces values under keys that name secrets. It is the last defense after the rule that
// callers never log secrets (I11). Depth and width are bounded, so that no object breaks logging (I12).
import { lineText } from '../base/terminal-text.ts'

const maxDepth = 6
const maxItems = 100
const maxText = 8_192

const secretKeys: ReadonlySet<string> = new Set([
  'data',
  'stringdata',
  'password',
  'passwd',
  'passphrase',
  'token',
  'secret',
  'authorization',
  'credentials',
  'connectionstring',
  'privatekey',
  'apikey',
])
/** Matches `rootPassword`, `bearerToken` and the like. */
const secretEnding = /(password|token|privatekey|apikey)$/

const redactedText = '[redacted]'

/** Returns the value as plain JSON data. A word in brackets replaces secrets and values beyond the bounds. */
export function redact(value: unknown): unknown {
  return redactBelow(value, 0)
}

function redactBelow(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return lineText(value.length > maxText ? `${value.slice(0, maxText)}[cut]` : value)
    case 'number':
    case 'boolean':
    case 'undefined':
      return value
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : redactObject(value, depth)
    default:
      return `[${typeof value}]`
  }
}

function redactObject(value: object, depth: number): unknown {
  if (depth >= maxDepth) return '[deep]'
  if (value instanceof Error) return redactError(value, depth)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[no date]' : value.toISOString()
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return '[binary]'
  if (value instanceof Map || value instanceof Set) return redactList([...value], depth)
  if (Array.isArray(value)) return redactList(value, depth)
  const entries = Object.entries(value)
  const shown = entries
    .slice(0, maxItems)
    .map(([key, field]) => [lineText(key), isSecret(key, field) ? redactedText : redactBelow(field, depth + 1)])
  if (entries.length > maxItems) shown.push(['[more]', entries.length - maxItems])
  return Object.fromEntries(shown)
}

function redactList(items: readonly unknown[], depth: number): unknown[] {
  const shown = items.slice(0, maxItems).map((item) => redactBelow(item, depth + 1))
  return items.length > maxItems ? [...shown, `[${items.length - maxItems} more]`] : shown
}

/**
 * Returns only the standard fields of an Error. Libraries attach requests, rows and parameters, with values in them.
 */
function redactError(error: Error, depth: number): unknown {
  const code = 'code' in error ? error.code : undefined
  return {
    name: redactBelow(error.name, depth),
    message: redactBelow(error.message, depth),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: redactBelow(code, depth) } : {}),
    stack: redactBelow(error.stack, depth),
    ...(error.cause === undefined ? {} : { cause: redactBelow(error.cause, depth + 1) }),
  }
}

/** Returns whether a field is secret. Numbers and booleans are not: `{ token: true }`, `{ data: 3 }`. */
function isSecret(key: string, value: unknown): boolean {
  if (typeof value === 'boolean' || typeof value === 'number' || value === undefined || value === null) return false
  const word = key.replaceAll(/[-_.]/g, '').toLowerCase()
  return secretKeys.has(word) || secretEnding.test(word)
}
