// Short hashes in names: FNV sums as in Go, in letters that cannot spell a word.
// Sources: hash/fnv of Go, k8s.io/apimachinery/pkg/util/rand, SafeEncodeString.
import { canonicalJson, type Json } from '../../../base/json.ts'

const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const offset = 2_166_136_261
const prime = 16_777_619
const encoder = new TextEncoder()

/** FNV-1 with 32 bits. */
export function fnv32(text: string): number {
  let sum = offset
  for (const byte of encoder.encode(text)) sum = (Math.imul(sum, prime) ^ byte) >>> 0
  return sum
}

/** FNV-1a with 32 bits. */
export function fnv32a(text: string): number {
  let sum = offset
  for (const byte of encoder.encode(text)) sum = Math.imul(sum ^ byte, prime) >>> 0
  return sum
}

export function safeHash(sum: number): string {
  return [...String(sum)].map((digit) => alphabet.charAt(digit.charCodeAt(0) % alphabet.length)).join('')
}

const escaped = /[<>&\u2028\u2029]/g

/** Returns JSON as Go's Marshal writes a map: sorted keys, and characters special in HTML escaped. */
export function goMapJson(value: Json): string {
  return canonicalJson(value).replaceAll(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
