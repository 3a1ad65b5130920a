// What may be the key of an artifact? Plain words with slashes between, so that it is the same in a bucket, in a folder and in an address,
// and leads nowhere else. Pure.
import { StoreError } from './store-error.ts'

const word = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/
/** S3 takes 1,024 bytes. */
const longestKey = 900

export function isKey(key: string): boolean {
  return key.length <= longestKey && key.split('/').every((part) => word.test(part))
}

/** The key itself. Throws InvalidKey. */
export function checkedKey(key: string): string {
  if (!isKey(key)) throw invalid(key)
  return key
}

/** As a key, or one that ends with a slash, or empty: everything. */
export function checkedPrefix(prefix: string): string {
  if (prefix !== '') checkedKey(prefix.replace(/\/$/, ''))
  return prefix
}

function invalid(key: string): StoreError {
  const message = `${JSON.stringify(key)} cannot be the key of an artifact: only letters, digits, dots, dashes and slashes can be in it`
  return new StoreError({ code: 'InvalidKey', message, remedy: 'stop' })
}
