// Field ownership in the model API server: server-side apply on objects whose lists are atomic, except for a few keyed
// ones. Fields are leaf paths; the module writes fieldsV1 from them in the server's form.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject } from '../src/base/json.ts'
import { asJson, type KubeObject, type LiveObject, type ManagedFieldsEntry } from '../src/object/object.ts'

/** Leaf paths by manager, each a JSON list of fieldsV1 steps. */
export type Ownership = ReadonlyMap<string, ReadonlySet<string>>

/** Keys of the list maps that tests use, by the name of the field. */
const listKeys: Readonly<Record<string, readonly string[]>> = {
  ports: ['port', 'protocol'],
  ownerReferences: ['uid'],
}
const unowned = new Set(['apiVersion', 'kind', 'status'])
const unownedMetadata = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'])
const deletionMetadata = new Set(['deletionTimestamp', 'deletionGracePeriodSeconds', 'managedFields'])

export interface ApplyInput {
  readonly stored: LiveObject | undefined
  readonly ownership: Ownership | undefined
  readonly object: KubeObject
  readonly fieldManager: string
  readonly force: boolean
}

export type Applied =
  | { readonly kind: 'stored'; readonly object: LiveObject; readonly ownership: Ownership }
  | { readonly kind: 'conflict'; readonly with: readonly Rival[] }

/** A manager with other values, and its fields, for example `.data.index`. */
export interface Rival {
  readonly manager: string
  readonly fields: readonly string[]
}

/** Applies an object by server-side apply. */
export function applied({ stored, ownership = new Map(), object, fieldManager, force }: ApplyInput): Applied {
  const wanted = leavesOf(object)
  const there = stored === undefined ? new Map<string, Json>() : leavesOf(stored)
  const isTaken = (path: string, owned: ReadonlySet<string>) =>
    owned.has(path) && wanted.has(path) && !deepEqual(there.get(path), wanted.get(path))
  const rivals = [...ownership].flatMap(([manager, owned]) => {
    const taken = manager === fieldManager ? [] : [...owned].filter((path) => isTaken(path, owned))
    return taken.length === 0 ? [] : [{ manager: manager.replace(/ Update$/, ''), fields: taken.map(renderLeaf) }]
  })
  if (rivals.length > 0 && !force) return { kind: 'conflict', with: rivals }
  const next = new Map<string, ReadonlySet<string>>()
  for (const [manager, owned] of ownership)
    if (manager !== fieldManager) next.set(manager, new Set([...owned].filter((path) => !isTaken(path, owned))))
  const othersOwn = (path: string) => [...next.values()].some((owned) => owned.has(path))
  for (const path of ownership.get(fieldManager) ?? []) if (!wanted.has(path) && !othersOwn(path)) there.delete(path)
  for (const [path, value] of wanted) there.set(path, value)
  next.set(fieldManager, new Set(wanted.keys()))
  const base = stored ?? object
  const { apiVersion, kind } = object
  const kept = Object.fromEntries(
    Object.entries(asJson(base).metadata as JsonObject).filter(
      ([name]) => unownedMetadata.has(name) || deletionMetadata.has(name),
    ),
  )
  const body = objectOf(there)
  const metadata = { ...(isJsonObject(body.metadata) ? body.metadata : {}), ...kept }
  const status = stored?.status === undefined ? {} : { status: stored.status }
  // The parts come from an object.
  return {
    kind: 'stored',
    object: { ...body, apiVersion, kind, metadata, ...status } as unknown as LiveObject,
    ownership: next,
  }
}

/** Returns the ownership after a write by other means than apply: only the writer owns the changed fields. */
export function givenUp(ownership: Ownership, before: LiveObject, after: LiveObject, manager: string): Ownership {
  const [was, is] = [leavesOf(before), leavesOf(after)]
  const changed = [...is.keys()].filter((path) => !deepEqual(was.get(path), is.get(path)))
  const gone = [...was.keys()].filter((path) => !is.has(path))
  if (changed.length === 0 && gone.length === 0) return ownership
  const lost = new Set([...changed, ...gone])
  const next = new Map(
    [...ownership].map(([name, owned]) => [name, new Set([...owned].filter((path) => !lost.has(path)))] as const),
  )
  const name = `${manager} Update`
  return next.set(name, new Set([...(next.get(name) ?? []), ...changed]))
}

/** Returns the object with managedFields from the ownership. All updates of a manager become one entry. */
export function withOwnership(object: LiveObject, ownership: Ownership): LiveObject {
  const managedFields = [...ownership]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(
      ([name, paths]): ManagedFieldsEntry => ({
        manager: name.replace(/ Update$/, ''),
        operation: name.endsWith(' Update') ? 'Update' : 'Apply',
        apiVersion: object.apiVersion,
        fieldsType: 'FieldsV1',
        fieldsV1: fieldsV1Of(paths),
      }),
    )
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } }
}

/** Returns the ownership that a patch of managedFields describes. */
export function ownershipOf(entries: readonly ManagedFieldsEntry[]): Ownership {
  return new Map(
    entries.map(({ manager, operation, fieldsV1 = {} }) => {
      const paths = new Set<string>()
      const visit = (node: JsonObject, path: readonly string[]): void => {
        const below = Object.entries(node).filter(([step]) => step !== '.')
        if (below.length === 0 && path.length > 0) paths.add(JSON.stringify(path))
        for (const [step, inner] of below) if (isJsonObject(inner)) visit(inner, [...path, step])
      }
      visit(fieldsV1, [])
      return [operation === 'Update' ? `${manager} Update` : manager, paths]
    }),
  )
}

/** `text` is a path of leavesOf. */
const renderLeaf = (text: string): string =>
  (JSON.parse(text) as readonly string[]).map((step) => `.${step.replace(/^f:/, '')}`).join('')

function leavesOf(object: KubeObject): Map<string, Json> {
  const leaves = new Map<string, Json>()
  const visit = (value: Json, path: readonly string[], name: string): void => {
    const keys = listKeys[name]
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [field, inner] of Object.entries(value))
        if (inner !== undefined && !isUnowned(path, field)) visit(inner, [...path, `f:${field}`], field)
    } else if (keys !== undefined && isJsonList(value) && value.length > 0) {
      for (const item of value) if (isJsonObject(item)) visit(item, [...path, `k:${keyOf(item, keys)}`], '')
    } else leaves.set(JSON.stringify(path), value)
  }
  for (const [field, value] of Object.entries(asJson(object)))
    if (value !== undefined && !unowned.has(field)) visit(value, [`f:${field}`], field)
  return leaves
}

function isUnowned(path: readonly string[], field: string): boolean {
  return path.length === 1 && path[0] === 'f:metadata' && (unownedMetadata.has(field) || deletionMetadata.has(field))
}

function keyOf(item: JsonObject, keys: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]]))))
}

/** Returns the object with these leaves; keyed items keep their order. */
function objectOf(leaves: ReadonlyMap<string, Json>): JsonObject {
  const root: Record<string, unknown> = {}
  for (const [text, value] of leaves) {
    // A path of leavesOf.
    const path = JSON.parse(text) as readonly string[]
    path.reduce<Record<string, unknown>>((holder, step, depth) => {
      const inner = depth === path.length - 1 ? value : (holder[step] ?? {})
      holder[step] = inner
      return inner as Record<string, unknown>
    }, root)
  }
  return unwrapped(root) as JsonObject
}

function unwrapped(value: unknown): Json {
  if (!isJsonObject(value)) return value as Json
  const steps = Object.entries(value)
  if (steps.length > 0 && steps.every(([step]) => step.startsWith('k:')))
    return steps.map(([, item]) => unwrapped(item))
  return Object.fromEntries(
    steps.map(([step, inner]) => [step.startsWith('f:') ? step.slice(2) : step, unwrapped(inner)]),
  )
}

function fieldsV1Of(paths: ReadonlySet<string>): JsonObject {
  const root: Record<string, unknown> = {}
  for (const text of paths) {
    let holder = root
    // A path of leavesOf.
    for (const step of JSON.parse(text) as readonly string[]) {
      holder[step] ??= step.startsWith('k:') ? { '.': {} } : {}
      holder = holder[step] as Record<string, unknown>
    }
  }
  return root as JsonObject
}
