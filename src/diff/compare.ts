// Comparison of a desired with a live object, along the fields that the manager owns. Invariants: fields of other
// writers and additions of the server are never seen (I7), and equal means that an apply would change nothing. Linear
// in the size of both; nothing is copied or changed.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { asJson, type KubeObject, type LiveObject } from '../object/object.ts'
import { appliedHashOf } from './applied-hash.ts'
import { type FieldShape, type Shape, shapeOfKind } from './built-in-shapes.ts'
import { type FieldPath, fieldElement, formatPathElement, indexElement, type PathElement } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { declaredItems, type KeyedItem, keyedItems, keyOf } from './list-keys.ts'
import { ownedFieldsOf } from './owned-fields.ts'
import { hasNothingToOwn, isEmpty, isVacant } from './vacant.ts'

/**
 * Effect of an apply on one field.
 *
 * - `add`: declared, and absent or not owned yet; `live` is the value of another owner, if there is one.
 * - `change`: owned, with another value. `remove`: owned, and no longer declared.
 * - `reorder`: the items of a list map are complete but in another order, which matters, e.g. for init containers.
 * `desired` and `live` are the keys of the owned items.
 */
export interface Change {
  readonly kind: 'add' | 'change' | 'remove' | 'reorder'
  readonly path: FieldPath
  readonly desired?: Json
  readonly live?: Json
}

export type Comparison =
  /** The manager has never applied this object, or did in another version of its kind. */
  | { readonly kind: 'unowned' }
  /** `extras`: absent if no value is owned as a whole, so that there are none. */
  | { readonly kind: 'equal'; readonly extras?: Extras }
  /**
   * At least one change, in the order of the desired object. `doubted`: digest of the extras, if an apply verifies only
   * them.
   */
  | { readonly kind: 'different'; readonly changes: readonly Change[]; readonly doubted?: string }

/**
 * Undeclared fields that count as defaults, as changes of kind `remove`. A user who applies under the same manager and
 * keeps the hash can add some. Only a comparison with an API response, or another apply, distinguishes them from
 * defaults.
 */
export interface Extras {
  /** Inside values that are owned as a whole. */
  readonly defaults: readonly Change[]
  /** The contents of maps that are declared empty. Other managers may own them. */
  readonly contents: readonly Change[]
}

export interface CompareInput {
  /** Normalized; with its hash, or as part of another owner's object. */
  readonly desired: KubeObject
  /** With the manager's entry of managedFields. */
  readonly live: LiveObject
  readonly manager: string
}

/**
 * Compares along the fields that `manager` owns. Undeclared fields inside a value that is owned as a whole count as
 * defaults under two conditions. The stored hash is that of the desired object, and the defaults of the kind are not
 * known. Otherwise they are changes of kind `remove`, unless the server is known to add them. For custom kinds the
 * change of the hash represents them, because nothing distinguishes them from defaults.
 */
export function compare({ desired, live, manager }: CompareInput): Comparison {
  const owned = ownedFieldsOf(live, manager)
  if (owned === undefined || desired.apiVersion !== live.apiVersion) return { kind: 'unowned' }
  const hash = appliedHashOf(desired)
  const shape = shapeOfKind(desired)
  const isProven = hash !== undefined && (shape === undefined || hash === appliedHashOf(live, desired))
  const walk = new Walk(!isProven ? 'left over' : shape?.isExact === true ? 'granted' : 'defaults')
  walk.fields(asJson(desired), owned, asJson(live), shape)
  const { changes, extras } = walk
  if (changes.length > 0) return { kind: 'different', changes }
  return extras === undefined ? equal : { kind: 'equal', extras }
}

/**
 * Returns the additions and takeovers of a first apply, map by map: each declared value, whoever owns the live one.
 * Lists count as whole values.
 */
export function declaredChanges({ desired, live }: Pick<CompareInput, 'desired' | 'live'>): readonly Change[] {
  const { metadata = {}, ...fields } = asJson(desired)
  const { metadata: liveMetadata, ...liveFields } = asJson(live)
  const isOwnable = (unowned: ReadonlySet<string>) => (change: Change, at: number) => {
    const element = change.path[at]
    return element?.kind !== 'field' || !unowned.has(element.name)
  }
  return [
    ...additions(metadata, liveMetadata, [fieldElement('metadata')]).filter((one) =>
      isOwnable(unownedMetadata)(one, 1),
    ),
    ...additions(fields, liveFields, []).filter((one) => isOwnable(unownedRoot)(one, 0)),
  ]
}

function additions(desired: Json, live: Json | undefined, path: FieldPath): readonly Change[] {
  const map = mapOf(desired)
  if (map === undefined || Object.keys(map).length === 0)
    return [{ kind: 'add', path, desired, ...(live === undefined ? {} : { live }) }]
  const liveMap = mapOf(live) ?? {}
  return Object.keys(map).flatMap((name) => {
    const value = map[name]
    return value === undefined ? [] : additions(value, own(liveMap, name), [...path, fieldElement(name)])
  })
}

const equal: Comparison = Object.freeze({ kind: 'equal' })

/** Fields that the server keeps out of managedFields: the object's identity and its own fields. */
const unownedRoot: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status'])
const unownedMetadata: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'resourceVersion',
  'selfLink',
  'uid',
])

/**
 * Meaning of undeclared fields inside a value that is owned as a whole. `granted`: defaults if the kind is known to
 * have some.
 */
type ExtrasAre = 'defaults' | 'granted' | 'left over'

/** A field of a struct: its owned part, its value, and its known facts. */
interface FieldAtHand {
  readonly owned: FieldSet | undefined
  readonly live: Json | undefined
  readonly field: FieldShape | undefined
}

/** One comparison: its current position, and its findings. */
class Walk {
  readonly changes: Change[] = []
  /** Undefined until a value is met that may have extras. */
  extras: { readonly defaults: Change[]; readonly contents: Change[] } | undefined
  readonly #extrasAre: ExtrasAre
  /** Fields as bare names: an element for each would be most of the allocations of a comparison. */
  readonly #path: (string | PathElement)[] = []

  constructor(extrasAre: ExtrasAre) {
    this.#extrasAre = extrasAre
  }

  /** Compares a map or struct that is owned field by field. */
  fields(desired: JsonObject, owned: FieldSet, live: JsonObject, shape: Shape | undefined): void {
    for (const name of Object.keys(desired)) {
      const value = desired[name]
      if (value === undefined || this.#isUnownable(name)) continue
      this.#path.push(name)
      const below = owned.field(name)
      // An object always has metadata; the server records nothing for it while no field in it is owned.
      if (name === 'metadata' && this.#path.length === 1) {
        this.fields(mapOf(value) ?? {}, below ?? FieldSet.empty, mapOf(own(live, name)) ?? {}, undefined)
      } else this.#field(value, { owned: below, live: own(live, name), field: shape?.fields.get(name) })
      this.#path.pop()
    }
    for (const { element, set } of owned.children.values()) {
      if (element.kind !== 'field' || own(desired, element.name) !== undefined) continue
      this.#path.push(element.name)
      this.#undeclared(set, own(live, element.name))
      this.#path.pop()
    }
  }

  #field(desired: Json, { owned, live, field }: FieldAtHand): void {
    if (field?.empty === 'absent' && isEmpty(desired)) {
      // The empty value is complete, whoever owns it. A user who empties the field again also takes the managedFields
      // entry.
      if (!isVacant(live)) this.#found(owned === undefined ? 'add' : 'change', { desired, live })
    } else if (owned === undefined) this.#unowned(desired, live)
    else this.#owned(desired, owned, live, structOf(field))
  }

  #owned(desired: Json, owned: FieldSet, live: Json | undefined, shape: Shape | undefined): void {
    const map = mapOf(desired)
    const list = listOf(desired)
    const liveMap = mapOf(live)
    const liveList = listOf(live)
    if (owned.grain === 'fields' && map !== undefined && liveMap !== undefined) this.fields(map, owned, liveMap, shape)
    else if (owned.grain === 'items' && list !== undefined && liveList !== undefined) {
      this.#items(list, owned, liveList, shape)
    } else if (owned.grain === 'values' && list !== undefined && liveList !== undefined) {
      this.#values(list, owned, liveList)
    } else this.#whole(desired, live, shape)
  }

  /** Compares a list that is owned item by item. */
  #items(desired: readonly Json[], owned: FieldSet, live: readonly Json[], shape: Shape | undefined): void {
    const liveItems = keyedItems(live, owned.keyNames)
    const livePosition = new Map(liveItems.map(({ text }, index) => [text, index]))
    const declared = declaredItems(desired, owned)
    for (const { item, text } of declared) {
      const child = owned.children.get(text)
      const liveItem = liveItems[livePosition.get(text) ?? -1]?.item
      this.#path.push(child?.element ?? { kind: 'key', key: keyOf(item, owned.keyNames) })
      if (child === undefined || liveItem === undefined) this.#unowned(item, liveItem)
      else this.#owned(item, child.set, liveItem, shape)
      this.#path.pop()
    }
    const declaredKeys = new Set(declared.map(({ text }) => text))
    for (const [text, { element, set }] of owned.children) {
      if (declaredKeys.has(text)) continue
      this.#path.push(element)
      this.#undeclared(set, liveItems[livePosition.get(text) ?? -1]?.item)
      this.#path.pop()
    }
    this.#order(declared, livePosition, owned.keyNames)
  }

  /**
   * The server keeps the owned items in their declared order, with items of others in between, so another order is a
   * change.
   */
  #order(declared: readonly KeyedItem[], livePosition: ReadonlyMap<string, number>, keyNames: readonly string[]): void {
    const present = declared.filter(({ text }) => livePosition.has(text))
    const positionOf = ({ text }: KeyedItem): number => livePosition.get(text) ?? -1
    if (present.every((item, index) => index === 0 || positionOf(item) >= positionOf(present[index - 1] ?? item)))
      return
    const liveOrder = [...present].sort((left, right) => positionOf(left) - positionOf(right))
    const keysOf = (items: readonly KeyedItem[]): Json => items.map(({ item }) => keyOf(item, keyNames))
    this.#found('reorder', { desired: keysOf(present), live: keysOf(liveOrder) })
  }

  /** Compares a list that is owned as a set: the order does not matter. */
  #values(desired: readonly Json[], owned: FieldSet, live: readonly Json[]): void {
    const textOf = (value: Json): string => formatPathElement({ kind: 'value', value })
    const present = new Set(live.map(textOf))
    const declared = new Set(desired.map(textOf))
    for (const value of desired) {
      if (owned.children.has(textOf(value)) && present.has(textOf(value))) continue
      this.#path.push({ kind: 'value', value })
      this.#found('add', { desired: value, live: present.has(textOf(value)) ? value : undefined })
      this.#path.pop()
    }
    for (const [text, { element, set }] of owned.children) {
      if (declared.has(text) || element.kind !== 'value') continue
      this.#path.push(element)
      this.#undeclared(set, present.has(text) ? element.value : undefined)
      this.#path.pop()
    }
  }

  /**
   * Compares a value that is owned as one. If it is owned and absent, no writer removed it, because that would have
   * removed the ownership too: the server omits empty values.
   *
   * An owned empty struct declares only its presence: in a granular one, all contents are defaults or fields of others.
   */
  #whole(desired: Json, live: Json | undefined, shape: Shape | undefined): void {
    if (live === undefined) {
      if (!isVacant(desired)) this.#found('add', { desired })
      return
    }
    const isPresenceOnly = isJsonObject(desired) && isEmpty(desired) && isJsonObject(live) && shape?.isAtomic !== true
    if (!isPresenceOnly) this.#covered(desired, live, shape)
    else if (shape === undefined && this.#extrasAre !== 'left over') this.#contents(live)
  }

  /** Collects the contents of a map that is declared empty: it may be merged as one value, which nothing here shows. */
  #contents(live: JsonObject): void {
    const { contents } = this.#takenForDefaults()
    if (!isVacant(live)) contents.push({ kind: 'remove', path: this.#here(), live })
  }

  /** Inside a value that is owned as one: everything declared is present, and nothing else except defaults. */
  #covered(desired: Json, live: Json | undefined, shape: Shape | undefined): void {
    if (desired === live || (desired === null && isVacant(live))) return
    if (isJsonObject(desired) && isJsonObject(live)) {
      for (const name of Object.keys(desired)) {
        const value = desired[name]
        if (value === undefined) continue
        this.#path.push(name)
        this.#covered(value, own(live, name), structOf(shape?.fields.get(name)))
        this.#path.pop()
      }
      this.#extras(desired, live, shape)
    } else if (isJsonList(desired) && isJsonList(live) && desired.length === live.length) {
      desired.forEach((item, index) => {
        this.#path.push(indexElement(index))
        this.#covered(item, live[index], shape)
        this.#path.pop()
      })
    } else this.#found(live === undefined ? 'add' : 'change', { desired, live })
  }

  /** Fields that a struct has and that are not declared: defaults, or leftovers. */
  #extras(desired: JsonObject, live: JsonObject, shape: Shape | undefined): void {
    const taken = this.#extrasAre === 'left over' ? undefined : this.#takenForDefaults()
    for (const name of Object.keys(live)) {
      const value = live[name]
      if (value === undefined || value === null || own(desired, name) !== undefined) continue
      const granted = shape?.fields.get(name)?.granted
      if (granted === '*' || (granted !== undefined && granted === String(value))) continue
      this.#path.push(name)
      if (taken !== undefined && (granted === '?' || this.#extrasAre === 'defaults')) {
        taken.defaults.push({ kind: 'remove', path: this.#here(), live: value })
      } else if (granted !== '?') this.#found('remove', { live: value })
      this.#path.pop()
    }
  }

  #takenForDefaults(): { readonly defaults: Change[]; readonly contents: Change[] } {
    this.extras ??= { defaults: [], contents: [] }
    return this.extras
  }

  /**
   * Declared and not owned: an apply takes it. For an empty list the server may record no ownership, so it counts only
   * if the live one is not empty.
   */
  #unowned(desired: Json, live: Json | undefined): void {
    if (!hasNothingToOwn(desired) || !isVacant(live)) this.#found('add', { desired, live })
  }

  /** Owned and no longer declared: an apply releases it. No change if the server never stored it. */
  #undeclared(owned: FieldSet, live: Json | undefined): void {
    if (live === undefined) return
    if (!owned.isMember && owned.grain === 'fields' && isJsonObject(live)) this.fields({}, owned, live, undefined)
    else if (!owned.isMember && owned.grain === 'items' && isJsonList(live)) this.#items([], owned, live, undefined)
    else if (!owned.isMember && owned.grain === 'values' && isJsonList(live)) this.#values([], owned, live)
    else this.#found('remove', { live })
  }

  #isUnownable(name: string): boolean {
    if (this.#path.length === 0) return unownedRoot.has(name)
    return this.#path.length === 1 && this.#path[0] === 'metadata' && unownedMetadata.has(name)
  }

  #found(kind: Change['kind'], { desired, live }: { readonly desired?: Json; readonly live?: Json | undefined }): void {
    this.changes.push({
      kind,
      path: this.#here(),
      ...(desired === undefined ? {} : { desired }),
      ...(live === undefined ? {} : { live }),
    })
  }

  #here(): FieldPath {
    return this.#path.map((step) => (typeof step === 'string' ? fieldElement(step) : step))
  }
}

function structOf(field: FieldShape | undefined): Shape | undefined {
  const holds = field?.holds
  return typeof holds === 'object' ? holds : undefined
}

/** Returns the value as a map; an absent value, and null, which declares nothing, as an empty map. */
function mapOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return {}
  return isJsonObject(value) ? value : undefined
}

function listOf(value: Json | undefined): readonly Json[] | undefined {
  if (value === undefined || value === null) return []
  return isJsonList(value) ? value : undefined
}
