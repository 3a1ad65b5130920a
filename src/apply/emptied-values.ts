// Values that an apply would drop instead of emptying: maps and lists that are declared empty and have only members of
// this manager. Server-side apply leaves null for such a map, which the schema of a custom kind always rejects.
// It also removes a struct that declares only such lists, or that has an empty list, with its defaults. A dropped value
// that the entry of another manager keeps becomes null as well. A JSON patch removes the members first.
// Pure. Invariant: it removes only fields that no other manager owns. Source: structured-merge-diff,
// typed.TypedValue.RemoveItems and merge.Updater.prune.
import { isJsonList, isJsonObject, type Json, own } from '../base/json.ts'
import type { JsonPatchOperation } from '../base/json-patch.ts'
import { type FieldPath, fieldElement, formatPathElement } from '../diff/field-path.ts'
import { FieldSet, fieldSetOf } from '../diff/field-set.ts'
import { declaredItems, keyedItems } from '../diff/list-keys.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import { hasNothingToOwn, isEmpty } from '../diff/vacant.ts'
import { asJson, type LiveObject } from '../object/object.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { fieldsToHandOver } from './field-ownership.ts'

/** One value to empty. */
export interface EmptiedValue {
  readonly path: FieldPath
  /** False: it is no longer declared, and the entry of another manager keeps it. */
  readonly isDeclared: boolean
  /** RFC 6901. */
  readonly pointer: string
  /** The live value without this manager's members. */
  readonly rest: Json
  /** This manager's members, below the path; only the path itself if it owns the presence of the value. */
  readonly members: FieldSet
}

/**
 * Returns the values to empty; none when in sync. For an object without the managedFields of all managers, the result
 * may have more values than needed. It lacks those that only the entry of another manager keeps. A contribution to an
 * object of another owner does not need it to remove its own fields.
 */
export function emptiedValues(desired: DesiredObject, live: LiveObject, manager: string): readonly EmptiedValue[] {
  const owned = ownedFieldsOf(live, manager)
  const isShared = desired.policies.contribute && !desired.policies.isSelf
  if (owned === undefined || isShared) return []
  const ours = owned.difference(fieldsToHandOver(desired, live, manager))
  const others = (live.metadata.managedFields ?? [])
    .filter((entry) => entry.manager !== manager || entry.operation !== 'Apply')
    .map(({ fieldsV1 }) => fieldSetOf(fieldsV1 ?? {}))
  const place = { desired: asJson(desired.lasting), live: asJson(live), owned: ours, path: [], pointer: '' }
  return emptiedBelow(place).filter(({ path, members, isDeclared }) => {
    const records = others.flatMap((set) => recordAt(set, path) ?? [])
    return (isDeclared || records.length > 0) && !records.some((record) => keepsMember(record, members))
  })
}

/** A list item is removed with the manager that owns it as an item, whatever others own inside it. */
function keepsMember(record: FieldSet, ours: FieldSet): boolean {
  return [...record.children].some(([step, { set }]) => set.isMember || ours.children.get(step)?.set.isMember !== true)
}

/** Returns the operations that remove this manager's members from the values. */
export function emptyingOperations(values: readonly EmptiedValue[]): readonly JsonPatchOperation[] {
  return values.map(({ pointer, rest }) => ({ op: 'replace', path: pointer, value: rest }))
}

/**
 * Returns this manager's fields below the values: they would outlive a member with its default value, and the apply
 * would remove it.
 */
export function emptiedFields(values: readonly EmptiedValue[]): FieldSet {
  return values
    .map(({ path, members }) => path.reduceRight((below: FieldSet, element) => below.below(element), members))
    .reduce((all, some) => all.union(some), FieldSet.empty)
}

interface Place {
  readonly desired: Json | undefined
  readonly live: Json | undefined
  readonly owned: FieldSet
  readonly path: FieldPath
  readonly pointer: string
}

function emptiedBelow(place: Place): readonly EmptiedValue[] {
  const { desired, live, owned, path, pointer } = place
  if (desired === null) return []
  if (owned.grain === 'whole') return presenceOf(place)
  if (desired === undefined) return undeclaredBelow(place)
  if (hasNothingToOwn(desired) || (isJsonObject(desired) && isEmpty(desired))) {
    const rest = withoutMembers(live, owned)
    return rest === undefined ? [] : [{ path, pointer, rest, isDeclared: true, members: membersOf(owned) }]
  }
  if (isJsonObject(desired) && isJsonObject(live)) {
    return fieldsBelow(place).flatMap(emptiedBelow)
  }
  return isJsonList(desired) && isJsonList(live) && owned.grain === 'items' ? emptiedInItems(desired, live, place) : []
}

/**
 * Returns a struct of which this manager owns only the presence, from an earlier `{}`. The apply of a struct with only
 * empty lists would remove it with its defaults.
 */
function presenceOf({ desired, live, owned, path, pointer }: Place): readonly EmptiedValue[] {
  if (!owned.isMember || !isJsonObject(desired) || !hasNothingToOwn(desired) || !isJsonObject(live)) return []
  const hasDefaults = Object.keys(live).some((name) => own(desired, name) === undefined)
  return hasDefaults ? [{ path, pointer, rest: live, isDeclared: true, members: FieldSet.leaf }] : []
}

/** Returns the value itself, and those below it. */
function undeclaredBelow(place: Place): readonly EmptiedValue[] {
  const { live, owned, path, pointer } = place
  const rest = withoutMembers(live, owned)
  const value = rest === undefined ? [] : [{ path, pointer, rest, isDeclared: false, members: membersOf(owned) }]
  return [...value, ...fieldsBelow(place).flatMap(emptiedBelow)]
}

/** Returns the fields of a map of which this manager owns a part. */
function fieldsBelow({ desired, live, owned, path, pointer }: Place): readonly Place[] {
  if (!isJsonObject(live)) return []
  return [...owned.children.values()].flatMap(({ element, set }) => {
    if (element.kind !== 'field') return []
    const { name } = element
    const below = { desired: isJsonObject(desired) ? own(desired, name) : undefined, live: own(live, name), owned: set }
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
    return [{ ...below, path: [...path, fieldElement(name)], pointer: `${pointer}/${step}` }]
  })
}

function membersOf({ children }: FieldSet): FieldSet {
  return new FieldSet(false, children)
}

function emptiedInItems(
  desired: readonly Json[],
  live: readonly Json[],
  { owned, path, pointer }: Place,
): readonly EmptiedValue[] {
  const positions = new Map(keyedItems(live, owned.keyNames).map(({ text }, index) => [text, index]))
  return declaredItems(desired, owned).flatMap(({ item, text }) => {
    const child = owned.children.get(text)
    const index = positions.get(text)
    if (child === undefined || index === undefined) return []
    const below = { desired: item, live: live[index], owned: child.set }
    return emptiedBelow({ ...below, path: [...path, child.element], pointer: `${pointer}/${index}` })
  })
}

/** Undefined if there is nothing to remove. */
function withoutMembers(live: Json | undefined, owned: FieldSet): Json | undefined {
  if (isJsonObject(live) && owned.grain === 'fields') {
    const left = Object.entries(live).filter(([name]) => owned.field(name) === undefined)
    return left.length === Object.keys(live).length ? undefined : Object.fromEntries(left)
  }
  if (!isJsonList(live)) return undefined
  const keyed = keyedItems(live, owned.keyNames)
  const isOurs = (item: Json, index: number): boolean =>
    owned.grain === 'values'
      ? owned.children.has(formatPathElement({ kind: 'value', value: item }))
      : owned.children.has(keyed[index]?.text ?? '')
  const left = live.filter((item, index) => !isOurs(item, index))
  return left.length === live.length ? undefined : left
}

function recordAt(set: FieldSet, path: FieldPath): FieldSet | undefined {
  let found: FieldSet | undefined = set
  for (const element of path) found = found?.child(element)
  return found
}
