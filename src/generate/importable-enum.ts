// Checks whether jsii can enumerate values. `cdk8s import` derives a member name from each value and silently drops
// values whose name is taken; such a value could never be written.
import type { Json, JsonObject } from '../base/json.ts'

/**
 * Returns the schema of an enum; if values would be lost, the schema of all values of their type; `{}` if they have
 * several types.
 */
export function importableEnum(values: readonly Json[]): JsonObject {
  const [type, ...others] = new Set(values.map((value) => typeof value))
  if (others.length > 0) return {}
  switch (type) {
    case 'string':
    case 'number': {
      const distinct = [...new Set(values)]
      const names = new Set(distinct.map(foldedName))
      const isKept = names.size === distinct.length && distinct.every((value) => isNameable(String(value)))
      return isKept ? { type, enum: distinct } : { type }
    }
    case 'boolean':
      return { type }
    default:
      return {}
  }
}

/** The program strips other characters from enums, skips an empty value, and fails on names of Object.prototype. */
function isNameable(value: string): boolean {
  return /^-?[A-Za-z0-9][A-Za-z0-9 _./-]*$/.test(value) && !(value in Object.prototype)
}

/** Values with different folded names get different members: case, punctuation and the words for it do not count. */
function foldedName(value: Json): string {
  return String(value)
    .toLowerCase()
    .replaceAll(/hyphen|underscore|period|forward|slash|value/g, '')
    .replaceAll(/[^a-z0-9]/g, '')
}
