// Default roles, bindings and priority classes of a new cluster, kept in the form in which a real API server stores
// them.
// They bypass the write path to keep the start cheap. A start recreates objects that were deleted.
// Source: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy; the data comes from a real server.
import type { JsonObject } from '../base/json.ts'
import type { Random } from '../base/random.ts'
import { structsAt, textAt } from './built-in/field-walk.ts'
import { metadataOf, metadataText } from './metadata.ts'
import type { ObjectLog } from './object-log.ts'
import type { SystemClient } from './system-client.ts'

export interface BootstrapOptions {
  readonly log: ObjectLog
  readonly random: Random
  readonly client: SystemClient
  /** Current time, RFC 3339 as in metadata. */
  readonly timestamp: string
}

/**
 * Stores each object that the log lacks.
 * `objects` are stored forms without the values that differ between servers: uid, times and resourceVersion.
 */
export function keepBootstrapObjects(
  objects: readonly JsonObject[],
  { log, random, client, timestamp }: BootstrapOptions,
): void {
  for (const object of objects) {
    const resource = client.resource(textAt(object, 'apiVersion'), textAt(object, 'kind'))
    if (resource === undefined) continue
    const namespace = metadataText(object, 'namespace')
    const place = { shelf: resource.shelf, namespace, name: metadataText(object, 'name') }
    if (log.get(place) !== undefined) continue
    const uid = random.uuid()
    const metadata = metadataOf(object)
    const managedFields = structsAt(metadata, 'managedFields').map((entry) => ({ ...entry, time: timestamp }))
    log.commit(place, 'created', (resourceVersion) => ({
      ...object,
      metadata: { name: place.name, uid, resourceVersion, creationTimestamp: timestamp, ...metadata, managedFields },
    }))
  }
}
