// State of a namespace without values that differ between runs. Each uid becomes the name of its object; versions,
// times, addresses and the namespace's name become words. Everything else counts: labels, annotations, conditions,
// generations, and the fields that the operator owns. Pure.
import { applySetId } from '../../src/synth/membership.ts'

/** Fields of every object that this module reads. */
export interface AnyObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly generateName?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const address = /\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g
const applySet = /applyset-[\w-]+-v1/g
/** Versions of other objects, times, and hashes of values that contain the namespace. */
const passing = new Set([
  'resourceVersion',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'konverge.dev/applied-hash',
])

/** Returns one entry per object, by kind and name, in order of keys. */
export function endStateOf(namespace: string, objects: readonly AnyObject[]): Readonly<Record<string, unknown>> {
  const generated = new Map(objects.flatMap(({ metadata }) => generatedName(metadata)))
  const titleOf = ({ kind, metadata: { name } }: AnyObject) => `${kind} ${generated.get(name) ?? name}`
  const words = new Map(
    objects.flatMap((object) => {
      const { apiVersion, kind, metadata } = object
      const set = applySetId({ apiVersion, kind, metadata: { name: metadata.name, namespace } })
      return [
        [metadata.uid, `uid of ${titleOf(object)}`],
        [set, `apply set of ${titleOf(object)}`],
      ] as const
    }),
  )
  const worded = (text: string) =>
    text
      .replace(uid, (found) => words.get(found) ?? 'uid of something else')
      .replace(applySet, (found) => words.get(found) ?? 'apply set of something else')
      .replace(time, 'time')
      .replace(address, 'address')
      .replaceAll(namespace, 'namespace')
  const plain = (value: unknown, key = ''): unknown => {
    if (passing.has(key)) return `any ${key}`
    if (typeof value === 'string') return worded(generated.get(value) ?? value)
    if (Array.isArray(value)) {
      const items = value.filter((item) => key !== 'managedFields' || isOurs(item)).map((item) => plain(item))
      // The server sorts them by time with a resolution of seconds.
      return key === 'managedFields' ? items.map(asText).sort() : items
    }
    if (value === null || typeof value !== 'object') return value
    return sorted(Object.entries(value).map(([name, part]) => [worded(name), plain(part, name)] as const))
  }
  return sorted(objects.map((object) => [worded(titleOf(object)), plain(withoutSteps(object))] as const))
}

/** Drops the generation of an EndpointSlice: it depends on whether the Service or its pods came first. */
function withoutSteps(object: AnyObject): AnyObject {
  if (object.kind !== 'EndpointSlice') return object
  return { ...object, metadata: { ...object.metadata, generation: 'any' } }
}

/** Length of a generated suffix. It may consist of digits only. */
const madeUpLength = 5

/** Returns the name that the server generated and its replacement; a pod's ordinal is shorter. */
function generatedName({ name, generateName }: AnyObject['metadata']): readonly (readonly [string, string])[] {
  const isMadeUp =
    generateName !== undefined && name.startsWith(generateName) && name.length === generateName.length + madeUpLength
  return isMadeUp ? [[name, `${generateName}…`]] : []
}

function sorted(entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** The cluster's controllers race to write some fields first, and some write only if they come late. */
function isOurs(entry: { readonly manager?: string }): boolean {
  return entry.manager?.startsWith('konverge') ?? false
}

function asText(value: unknown): string {
  return JSON.stringify(value)
}
