// Can jsii enumerate these values? `cdk8s import` makes a member's name of each value and leaves out those whose name is
// taken, without a word; then a value could never be written.
import type { Json, JsonObject } from '../base/json.ts'

/** The schema of an enum, or that of all values of the type where some would be lost; `{}` where there is no one type. */
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

/**
 * Other characters are stripped from enums before anything is generated, an empty value is passed over, and the program fails
 * on what every object of JavaScript answers to.
 */
function isNameable(value: string): boolean {
  return /^-?[A-Za-z0-9][A-Za-z0-9 _./-]*$/.test(value) && !(value in Object.prototype)
}

/** Values with different folded names get different members: case, punctuation and the words put for it do not count. */
function foldedName(value: Json): string {
  return String(value)
    .toLowerCase()
    .replaceAll(/hyphen|underscore|period|forward|slash|value/g, '')
    .replaceAll(/[^a-z0-9]/g, '')
}
