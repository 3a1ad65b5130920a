// Reads one object that need not exist. Only the server's own "there is none" is absence; every other failure stays one.
import type { LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'
import type { KubeClient, Location } from './client.ts'
import { isKubeError } from './kube-errors.ts'

/** Undefined if there is no such object. Rejects like `KubeClient.get` otherwise. */
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
