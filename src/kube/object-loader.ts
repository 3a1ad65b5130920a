// Reads one object that may not exist. Invariant: only NotFound of the API server counts as absence; every other
// failure rejects.
import type { LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'
import type { KubeClient, Location } from './client.ts'
import { isKubeError } from './kube-errors.ts'

/** Returns the object, or undefined if it does not exist. Rejects otherwise like `KubeClient.get`. */
export async function loadIfPresent(
  client: Pick<KubeClient, 'get'>,
  resource: Resource,
  at: Location,
  signal: AbortSignal,
): Promise<LiveObject | undefined> {
  try {
    return await client.get(resource, at, signal)
  } catch (thrown) {
    if (isKubeError(thrown, 'NotFound')) return undefined
    throw thrown
  }
}
