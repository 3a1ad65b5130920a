// Policy checks of a server in the cluster: its image and StorageClass. Pure.
import { ApiObject, type Chart } from 'cdk8s'
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import { apiVersionOf, hold, type InvalidSpec, type Resource } from '../../index.ts'
import { imageRejection, type ReferencePolicy, type Rejection, storageClassRejection } from './reference-policy.ts'

/** Returns the rejection of a Database's server in the cluster. Undefined if it is allowed, or external. */
export function rejectedServer(
  { spec }: { readonly spec: DatabaseSpec },
  policy: ReferencePolicy,
): Rejection | undefined {
  const { inCluster } = spec.provider
  if (inCluster === undefined) return undefined
  const { image = `postgres:${spec.version}`, storage } = inCluster
  return imageRejection(image, policy) ?? storageClassRejection(storage.storageClassName, policy)
}

/**
 * For `parting`: holds the deletion of a resource until the cause in `message` changes. Declares a placeholder object
 * of an owned kind, which is never created.
 */
export function holdDeletion(chart: Chart, resource: Resource, { message }: InvalidSpec): void {
  const placeholder = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name: 'held' } }
  hold(new ApiObject(chart, 'held', placeholder), { sentence: `the deletion waits: ${message}` })
}
