// Reading and writing of managedFields.
// A list that was written here is never parsed again; one that was read is parsed once.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { parsePathElement } from '../../diff/field-path.ts'
import { FieldSet } from '../../diff/field-set.ts'
import { goQuoted } from '../field-error.ts'
import { compareEntries, identityText, ManagedEntry } from './managed-entry.ts'
import { readFields } from './shared-fields.ts'

/** Entries by identity text. */
export type Managed = ReadonlyMap<string, ManagedEntry>

export const nothingManaged: Managed = new Map()

/** Returns `metadata.managedFields`; undefined if absent or malformed. */
export function managedFieldsOf(object: JsonObject): readonly JsonObject[] | undefined {
  const metadata = own(object, 'metadata')
  const list = isJsonObject(metadata) ? own(metadata, 'managedFields') : undefined
  return isJsonList(list) && list.every(isEntry) ? list : undefined
}

/** Returns the object with other managedFields, or without them for undefined; the same reference if equal. */
export function withManagedFields(object: JsonObject, list: readonly JsonObject[] | undefined): JsonObject {
  const metadata = own(object, 'metadata')
  const before = isJsonObject(metadata) ? metadata : {}
  if (own(before, 'managedFields') === list) return object
  if (list !== undefined) return { ...object, metadata: { ...before, managedFields: list } }
  const { managedFields: _, ...rest } = before
  return { ...object, metadata: rest }
}

/** Returns whether the list resets the tracking: it is empty, or has one empty entry. */
export function isReset(list: readonly JsonObject[] | undefined): boolean {
  if (list === undefined || list.length > 1) return false
  return list.every((entry) => entryFields.every((name) => isZero(own(entry, name))))
}

/** Returns the decoded object with the empty list of `sent`: decoding drops the list, but it resets the tracking. */
export function withReset(object: JsonObject, sent: JsonObject): JsonObject {
  return managedFieldsOf(sent)?.length === 0 ? withManagedFields(object, []) : object
}

const read = new WeakMap<readonly JsonObject[], Managed | string>()

/** Returns the entries by identity text, or the error in one sentence. */
export function readManagedFields(list: readonly JsonObject[] | undefined): Managed | string {
  if (list === undefined) return nothingManaged
  let managed = read.get(list)
  if (managed === undefined) {
    managed = readEntries(list)
    read.set(list, managed)
  }
  return managed
}

/** Returns the list of an object; the same reference as before if equal. Undefined without entries. */
export function writeManagedFields(
  managed: Managed,
  before: readonly JsonObject[] | undefined,
): readonly JsonObject[] | undefined {
  if (managed.size === 0) return undefined
  const list = [...managed.values()].sort(compareEntries).map(({ json }) => json)
  if (before?.length === list.length && list.every((entry, index) => entry === before[index])) return before
  read.set(list, managed)
  return list
}

function readEntries(list: readonly JsonObject[]): Managed | string {
  const managed = new Map<string, ManagedEntry>()
  for (const [index, json] of list.entries()) {
    const entry = readEntry(json, index)
    if (typeof entry === 'string') return entry
    managed.set(identityText(entry), entry)
  }
  return managed
}

function readEntry(json: JsonObject, index: number): ManagedEntry | string {
  const operation = text(json, 'operation')
  if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`'
  const apiVersion = text(json, 'apiVersion')
  if (apiVersion === '') return 'apiVersion must not be empty'
  const fieldsType = text(json, 'fieldsType')
  if (fieldsType === '') return `missing fieldsType in managed fields entry ${index}`
  if (fieldsType !== 'FieldsV1') return `invalid fieldsType ${goQuoted(fieldsType)} in managed fields entry ${index}`
  const fieldsV1 = own(json, 'fieldsV1') ?? null
  const fields = fieldsOf(fieldsV1)
  if (fields === undefined) return `invalid fieldsV1 in managed fields entry ${index}`
  const identity = {
    manager: text(json, 'manager'),
    operation,
    apiVersion,
    subresource: text(json, 'subresource'),
  } as const
  return new ManagedEntry(identity, fields, timeOf(own(json, 'time')), json)
}

function fieldsOf(fieldsV1: Json): FieldSet | undefined {
  if (fieldsV1 === null) return FieldSet.empty
  return isJsonObject(fieldsV1) ? readFields(fieldsV1, isFieldsV1) : undefined
}

/** Accepts steps of an unknown kind, which a later server may write; rejects anything that is no step. */
function isFieldsV1(value: Json): boolean {
  if (value === null) return true
  if (!isJsonObject(value)) return false
  return Object.keys(value).every((key) => {
    if (key === '.') return true
    if (key.charAt(1) !== ':') return false
    if (!'fvki'.includes(key.charAt(0))) return true
    return parsePathElement(key) !== undefined && isFieldsV1(value[key] ?? null)
  })
}

const textFields = ['manager', 'operation', 'apiVersion', 'fieldsType', 'subresource'] as const
const entryFields = [...textFields, 'time', 'fieldsV1']

/** Returns whether the value can be decoded as an entry. */
function isEntry(value: Json): value is JsonObject {
  if (!isJsonObject(value)) return false
  const time = own(value, 'time') ?? null
  return textFields.every((name) => isText(own(value, name) ?? null)) && (time === null || timeOf(time) !== undefined)
}

function isText(value: Json): boolean {
  return value === null || typeof value === 'string'
}

function isZero(value: Json | undefined): boolean {
  return value === undefined || value === null || value === ''
}

function text(json: JsonObject, name: string): string {
  const value = own(json, name)
  return typeof value === 'string' ? value : ''
}

const wholeSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

function timeOf(value: Json | undefined): string | undefined {
  if (typeof value !== 'string' || !rfc3339.test(value)) return undefined
  if (wholeSeconds.test(value)) return value
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, 19)}Z`
}
