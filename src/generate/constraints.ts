// Describes constraints of a schema that a type cannot express, in sentences for doc comments.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'

/**
 * Returns one line for all simple constraints, then one for each rule. The order does not depend on the order of keys
 * in the file.
 */
export function constraintsOf(node: JsonObject): string[] {
  const simple = [...ranges(node), ...texts(node), ...listSemantics(node)].join(' ')
  return [...(simple === '' ? [] : [simple]), ...rules(node)]
}

function ranges(node: JsonObject): string[] {
  const noLess = own(node, 'exclusiveMinimum') === true ? 'Greater than' : 'At least'
  const noMore = own(node, 'exclusiveMaximum') === true ? 'Less than' : 'At most'
  return [
    number(node, 'minimum', (bound) => `${noLess} ${bound}.`),
    number(node, 'maximum', (bound) => `${noMore} ${bound}.`),
    number(node, 'multipleOf', (bound) => `A multiple of ${bound}.`),
    number(node, 'minLength', (bound) => `At least ${counted(bound, 'character')}.`),
    number(node, 'maxLength', (bound) => `At most ${counted(bound, 'character')}.`),
    number(node, 'minItems', (bound) => `At least ${counted(bound, 'item')}.`),
    number(node, 'maxItems', (bound) => `At most ${counted(bound, 'item')}.`),
    number(node, 'minProperties', (bound) => `At least ${counted(bound, 'key')}.`),
    number(node, 'maxProperties', (bound) => `At most ${counted(bound, 'key')}.`),
  ].flat()
}

function number(node: JsonObject, key: string, sentence: (bound: number) => string): string[] {
  const bound = own(node, key)
  return typeof bound === 'number' ? [sentence(bound)] : []
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function texts(node: JsonObject): string[] {
  const format = own(node, 'format')
  const pattern = own(node, 'pattern')
  return [
    ...(typeof format === 'string' ? [formatSentence(format)] : []),
    ...(typeof pattern === 'string' ? [`Matches \`${pattern}\`.`] : []),
  ]
}

function formatSentence(format: string): string {
  return format === 'date-time' ? 'A time as in RFC 3339, such as 2026-01-31T12:00:00Z.' : `Format ${format}.`
}

function listSemantics(node: JsonObject): string[] {
  const keys = own(node, 'x-kubernetes-list-map-keys')
  switch (own(node, 'x-kubernetes-list-type')) {
    case 'map':
      return [`One item for each ${isJsonList(keys) ? keys.join(' and ') : 'key'}.`]
    case 'set':
      return ['No item twice.']
    default:
      return []
  }
}

function rules(node: JsonObject): string[] {
  const validations = own(node, 'x-kubernetes-validations')
  if (!isJsonList(validations)) return []
  return validations.filter(isJsonObject).map((validation) => `Rule: ${ruleText(validation)}.`)
}

/** Returns the message of a rule if it has one, because people can read it. */
function ruleText(validation: JsonObject): string {
  const text: Json | undefined = own(validation, 'message') ?? own(validation, 'rule')
  return String(text).replace(/\.$/, '')
}
