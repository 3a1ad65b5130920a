// Merge of a controller's status with the parts of other writers. Conditions and fields of others stay when the
// controller's own change. Own are the fields that managedFields record for the status manager. If managedFields cannot
// tell, own is what this process has reported. Pure.
import { deepEqual, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { type FieldSet, fieldSetOf } from '../diff/field-set.ts'
import type { Condition } from '../object/condition.ts'
import type { LiveObject } from '../object/object.ts'
import type { ResourceStatus } from './records.ts'
import type { StatusPart } from './status-part.ts'

/** Fields and conditions that a controller has reported in this process, on any resource. */
export interface Reported {
  readonly fields: ReadonlySet<string>
  readonly conditions: ReadonlySet<string>
}

export interface ForeignStatusInput {
  /** The resource as the API server stores it. */
  readonly live: LiveObject
  /** The controller's own status, and nothing else. */
  readonly next: ResourceStatus
  readonly reported: Reported
  /** The field manager of the controller's status. */
  readonly manager: string
  readonly part: StatusPart
}

/** Returns the status to store: `next` plus what others have written. Without a change it is the identical status. */
export function withForeign({ live, next, reported, manager, part }: ForeignStatusInput): ResourceStatus {
  const previous = (live.status ?? {}) as ResourceStatus & JsonObject // A status is JSON.
  const owned = ownedStatusOf(live, manager)
  const { conditions: ours = [], ...fields } = next as ResourceStatus & JsonObject
  const isKept = (name: string) =>
    part.isOthersField(name) || (!part.ownFields.has(name) && (owned !== undefined || !reported.fields.has(name)))
  const others = Object.fromEntries(
    Object.entries(previous).filter(([name]) => isKept(name) || Object.hasOwn(fields, name)),
  )
  const merged = owned === undefined ? { ...others, ...fields } : mergedFields(others, fields, owned)
  const conditions = mergedConditions(previous.conditions ?? [], ours, ownsType(owned, { reported, part }))
  // Both came from JSON.
  return { ...merged, conditions } as unknown as ResourceStatus
}

/** Undefined: there is no managedFields entry, or one of another version, whose paths may be spelled differently. */
function ownedStatusOf({ apiVersion, metadata }: LiveObject, ours: string): FieldSet | undefined {
  const entry = metadata.managedFields?.find(({ manager, subresource }) => manager === ours && subresource === 'status')
  if (entry?.fieldsV1 === undefined || entry.apiVersion !== apiVersion) return undefined
  return fieldSetOf(entry.fieldsV1).field('status')
}

/** A field that is owned as a whole is replaced as a whole. */
function mergedFields(previous: JsonObject, next: JsonObject, owned: FieldSet | undefined): JsonObject {
  const merged = new Map(Object.entries(next))
  for (const [name, before] of Object.entries(previous)) {
    if (before === undefined) continue
    const below = owned?.field(name)
    const after = own(next, name)
    if (after === undefined && below === undefined) merged.set(name, before)
    if (!isJsonObject(before) || (below !== undefined && below.grain !== 'fields')) continue
    if (after !== undefined && !isJsonObject(after)) continue
    const both = mergedFields(before, after ?? {}, below)
    if (after !== undefined || Object.keys(both).length > 0) merged.set(name, both)
  }
  return Object.fromEntries(merged)
}

/** Keeps the positions of the conditions of others. The same conditions in another order count as equal. */
function mergedConditions(
  previous: readonly Condition[],
  ours: readonly Condition[],
  isOurs: (type: string) => boolean,
): readonly Condition[] {
  const claimed = new Map(ours.map((condition) => [condition.type, condition]))
  const others = previous.filter(({ type }) => !claimed.has(type) && !isOurs(type))
  if (others.length === 0) return ours
  const left = previous.flatMap(
    (condition) => claimed.get(condition.type) ?? (others.includes(condition) ? [condition] : []),
  )
  const merged = [...left, ...ours.filter(({ type }) => !previous.some((before) => before.type === type))]
  return deepEqual(merged as unknown as Json, previous as unknown as Json) ? previous : merged
}

/** The API server records the owner of each condition only for a list of type `map`. */
function ownsType(
  owned: FieldSet | undefined,
  { reported, part }: Pick<ForeignStatusInput, 'reported' | 'part'>,
): (type: string) => boolean {
  const list = owned?.field('conditions')
  return (type) =>
    part.isOwnType(type) ||
    (list?.grain === 'items' ? list.child({ kind: 'key', key: { type } }) !== undefined : reported.conditions.has(type))
}
