// What does a Secret hold under a key, as text? Pure.
import { type LiveObject, valueAt } from '../../index.ts'

/** Undefined where it is missing or empty. */
export function secretText(secret: LiveObject | undefined, key: string): string | undefined {
  const encoded = secret === undefined ? undefined : valueAt(secret, 'data', key)
  if (typeof encoded !== 'string' || encoded === '') return undefined
  return Buffer.from(encoded, 'base64').toString('utf8')
}
