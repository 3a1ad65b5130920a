// What does a Secret hold under a key, as text? Pure.
import { type LiveObject, valueAt } from '../../index.ts'

/** Undefined where it is missing or empty. */
export function secretText(secret: LiveObject | undefined, key: string): string | undefined {
  const encoded = secret === undefined ? undefined : valueAt(secret, 'data', key)
  if (typeof encoded !== 'string' || encoded === '') return undefined
  return Buffer.from(encoded, 'base64').toString('utf8')
}

/**
 * Editors and `echo` leave line breaks at the end of a value. The lookbehind lets the search begin once for each run of line breaks:
 * without it a run in the middle of a value is searched again from each of its characters, which took 8 s for 100 KB.
 */
export function withoutLineEnd(text: string): string {
  return text.replace(/(?<![\r\n])[\r\n]+$/, '')
}
