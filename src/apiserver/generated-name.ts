// Names from `generateName`: the prefix and five random characters that cannot spell a word.
// Source: k8s.io/apiserver/pkg/storage/names/generate.go, k8s.io/apimachinery/pkg/util/rand.
import type { Random } from '../base/random.ts'

const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxLength = 63

export function generatedName(prefix: string, random: Random): string {
  return `${prefix.slice(0, maxLength - suffixLength)}${randomSuffix(random)}`
}

export function randomSuffix(random: Random, length = suffixLength): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random.next() * alphabet.length))).join('')
}
