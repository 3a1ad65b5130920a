// Dry run of an apply in the cluster, as `kubectl apply` would send it.
import { deepEqual, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { KubeClient } from '../kube/client.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { asJson, type KubeObject, type LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'

export interface Trial {
  /** Undefined if the resource does not exist yet. */
  readonly live: LiveObject | undefined
  readonly after: LiveObject
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Returns the resource before and after its apply. A resource of a client-side apply gets the patch of a client-side
 * apply, which removes fields that the file no longer has. Every other one gets a server-side apply as `fieldManager`.
 * Rejects with a KubeError if the server would reject it.
 */
export async function tryResource(
  client: KubeClient,
  { resource, object, fieldManager }: { resource: Resource; object: KubeObject; fieldManager: string },
  signal: AbortSignal,
): Promise<Trial> {
  const options = { fieldManager, dryRun: true, fieldValidation: 'Strict' } as const
  const live = await loadIfPresent(client, resource, object.metadata, signal)
  if (live === undefined) return { live, after: await client.create(resource, object, options, signal) }
  const original = lastAppliedOf(live)
  if (original === undefined || isAppliedBy(live, fieldManager))
    return { live, after: await client.apply(resource, object, { ...options, force: true }, signal) }
  const body = threeWayPatch(original, asJson(object), asJson(live))
  if (Object.keys(body).length === 0) return { live, after: live }
  return { live, after: await client.patch(resource, live.metadata, { type: 'merge', body }, options, signal) }
}

function isAppliedBy({ metadata: { managedFields = [] } }: LiveObject, fieldManager: string): boolean {
  return managedFields.some(({ manager, operation }) => manager === fieldManager && operation === 'Apply')
}

/**
 * Returns the last declaration of a client-side apply; undefined if there was none, or if the annotation is invalid.
 */
function lastAppliedOf({ metadata }: LiveObject): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(metadata.annotations?.[lastApplied] ?? '')
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the merge patch of a client-side apply: values of `modified` that differ from `live`, and null for fields
 * that only `original` has. Source: apimachinery, jsonmergepatch.CreateThreeWayJSONMergePatch.
 */
export function threeWayPatch(original: JsonObject, modified: JsonObject, live: JsonObject): JsonObject {
  const set = Object.entries(modified).flatMap(([name, value]): readonly (readonly [string, Json | undefined])[] => {
    const now = own(live, name)
    if (!isJsonObject(value) || !isJsonObject(now)) return deepEqual(value, now) ? [] : [[name, value]]
    const before = own(original, name)
    const below = threeWayPatch(isJsonObject(before) ? before : {}, value, now)
    return Object.keys(below).length === 0 ? [] : [[name, below]]
  })
  const gone = Object.keys(original).filter(
    (name) => own(modified, name) === undefined && own(live, name) !== undefined,
  )
  return Object.fromEntries([...set, ...gone.map((name) => [name, null] as const)])
}
