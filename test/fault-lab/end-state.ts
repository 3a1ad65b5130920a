// Are two namespaces in the same state? Objects without what differs from run to run: the text of each is kept whole, but
// uids become the name of what they identify, and versions, times, addresses and the namespace's own name become words.
// Everything else counts: labels, annotations, conditions, generations, and which fields the operator owns. Pure.
import { applySetId } from '../../src/synth/membership.ts'

/** What every object of any kind has, as far as this file looks at it. */
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
/** Versions of other objects, marks of when, and hashes over what names the namespace. */
const passing = new Set([
  'resourceVersion',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'konverge.dev/applied-hash',
])

/** One entry an object, by kind and name, in the order of their keys. */
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
      // The server sorts these by time, of which it keeps seconds.
      return key === 'managedFields' ? items.map(asText).sort() : items
    }
    if (value === null || typeof value !== 'object') return value
    return sorted(Object.entries(value).map(([name, part]) => [worded(name), plain(part, name)] as const))
  }
  return sorted(objects.map((object) => [worded(titleOf(object)), plain(withoutSteps(object))] as const))
}

/** In how many steps an EndpointSlice was filled follows from who was first: the Service or its pods. */
function withoutSteps(object: AnyObject): AnyObject {
  if (object.kind !== 'EndpointSlice') return object
  return { ...object, metadata: { ...object.metadata, generation: 'any' } }
}

/** How many characters the server makes up. They may all be digits. */
const madeUpLength = 5

/** A name that the server made up; a pod's number is none of those. */
function generatedName({ name, generateName }: AnyObject['metadata']): readonly (readonly [string, string])[] {
  const isMadeUp =
    generateName !== undefined && name.startsWith(generateName) && name.length === generateName.length + madeUpLength
  return isMadeUp ? [[name, `${generateName}…`]] : []
}

function sorted(entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** The cluster's own controllers race for who is the first to write a field, and some write only if they come late. */
function isOurs(entry: { readonly manager?: string }): boolean {
  return entry.manager?.startsWith('konverge') ?? false
}

function asText(value: unknown): string {
  return JSON.stringify(value)
}
