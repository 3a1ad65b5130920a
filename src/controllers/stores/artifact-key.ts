// Keys of artifacts: plain words with slashes between.
// Invariant: a key is the same in a bucket, in a folder and in an address, and leads nowhere else. Pure.
import { StoreError } from './store-error.ts'

const word = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/
/** S3 accepts 1,024 bytes. */
const longestKey = 900

export function isKey(key: string): boolean {
  return key.length <= longestKey && key.split('/').every((part) => word.test(part))
}

/** Returns the key. Throws InvalidKey. */
export function checkedKey(key: string): string {
  if (!isKey(key)) throw invalid(key)
  return key
}

/** Returns the prefix: a key, a key that ends with a slash, or empty for everything. Throws InvalidKey. */
export function checkedPrefix(prefix: string): string {
  if (prefix !== '') checkedKey(prefix.replace(/\/$/, ''))
  return prefix
}

function invalid(key: string): StoreError {
  const message = `${JSON.stringify(key)} cannot be the key of an artifact: only letters, digits, dots, dashes and slashes can be in it`
  return new StoreError({ code: 'InvalidKey', message, remedy: 'stop' })
}
