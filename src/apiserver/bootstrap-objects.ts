// Which roles, bindings and priorities has a cluster from its first moment? Those that a real server makes for itself, kept here in the
// very form in which it stores them, so that a start pays for no writing. One that was deleted is there again after the next start.
// Source: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy; the data is a real server's.
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
  /** Now, as metadata carries it. */
  readonly timestamp: string
}

/** `objects` are stored forms without what differs from server to server: uid, times and resourceVersion. */
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
