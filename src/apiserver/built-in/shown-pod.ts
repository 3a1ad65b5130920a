// Printed form of pods in error messages (shown-form.ts): every field of every part, under the names of the internal
// types.
// Each error parses the table again: errors are rare, and parsing takes less than a millisecond.
import { assert } from '../../base/assert.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { mapAt, structAt, valueAt } from './field-walk.ts'
import { podPrintTable } from './pod-print-table.ts'
import { type Show, showFlag, showList, showNumber, showOptional, showPointer, showText } from './shown-form.ts'

/** Fields of the spec that the internal types have in the security context. */
const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers']

export function shownPodTemplate(template: JsonObject): Json {
  return shownAs('PodTemplateSpec', { ...template, spec: internalSpec(mapAt(template, 'spec')) })
}

export function shownPodSpec(pod: JsonObject): Json {
  return shownAs('PodSpec', internalSpec(pod))
}

function internalSpec(pod: JsonObject): JsonObject {
  const moved = hostFields.flatMap((key): [string, Json][] => {
    const value = valueAt(pod, key)
    return value === undefined ? [] : [[key, value]]
  })
  const context = structAt(pod, 'securityContext')
  if (context === undefined && moved.length === 0) return pod
  return { ...pod, securityContext: { ...context, ...Object.fromEntries(moved) } }
}

interface PrintedField {
  readonly name: string
  /** Path in the object: one key, or two for a field of a nested struct. */
  readonly keys: readonly string[]
  readonly isLeftOutEmpty: boolean
  readonly type: string
}

function shownAs(type: string, value: Json | undefined): Json {
  return showOf(type, structsOf(podPrintTable))(value)
}

function showOf(type: string, known: ReadonlyMap<string, readonly PrintedField[]>): Show {
  if (type.startsWith('*')) return showPointer(showOf(type.slice(1), known))
  if (type.startsWith('[]')) return showList(showOf(type.slice(2), known))
  if (type.startsWith('{}')) return showMapOf(showOf(type.slice(2), known))
  switch (type) {
    case 's':
      return showText
    case 'b':
      return showFlag
    case 'i':
    case 'p':
      return showNumber
    case 'q':
      return (value) => value ?? '0'
    case 't':
    case 'j':
      return showOptional
    default: {
      const fields = known.get(type)
      assert(fields !== undefined, `the table of printed types has ${type}`)
      return (value) => shownStruct(fields, isJsonObject(value) ? value : {}, known)
    }
  }
}

function shownStruct(
  fields: readonly PrintedField[],
  struct: JsonObject,
  known: ReadonlyMap<string, readonly PrintedField[]>,
): JsonObject {
  return Object.fromEntries(
    fields.flatMap(({ name, keys, isLeftOutEmpty, type }): [string, Json][] => {
      const value = keys.reduce<Json | undefined>(
        (inner, key) => (isJsonObject(inner) ? own(inner, key) : undefined),
        struct,
      )
      return isLeftOutEmpty && isEmpty(value) ? [] : [[name, showOf(type, known)(value)]]
    }),
  )
}

function isEmpty(value: Json | undefined): boolean {
  if (isJsonList(value)) return value.length === 0
  if (isJsonObject(value)) return Object.keys(value).length === 0
  return value === undefined || value === null || value === '' || value === 0 || value === false
}

function showMapOf(show: Show): Show {
  return (value) => {
    if (!isJsonObject(value)) return null
    const keys = Object.keys(value).sort()
    return Object.fromEntries(keys.map((key) => [key, show(own(value, key))]))
  }
}

function structsOf(table: string): ReadonlyMap<string, readonly PrintedField[]> {
  const lines = table.trim().replace(/\n /g, ' ').split('\n')
  return new Map(
    lines.map((line) => {
      const [name = '', ...fields] = line.split(/ +/)
      return [name, fields.map(fieldOf)]
    }),
  )
}

function fieldOf(text: string): PrintedField {
  const [left = '', type = ''] = text.split(':')
  const [printed = '', key] = left.split('=')
  const name = printed.replace(/^[?~]/, '')
  return {
    name,
    keys: key === undefined ? [`${name.charAt(0).toLowerCase()}${name.slice(1)}`] : key.split('.'),
    isLeftOutEmpty: name !== printed,
    type,
  }
}
