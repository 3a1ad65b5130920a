// The rules for what a spec has run in the cluster: images and storage classes. Pure.
import { ApiObject, type Chart } from 'cdk8s'
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import { apiVersionOf, hold, type Refusal, type Resource } from '../../index.ts'
import { imageRejection, type ReferencePolicy, type Rejection, storageClassRejection } from './reference-policy.ts'

/** The rejection of a Database's server in the cluster; undefined where it may be made, or is elsewhere. */
export function rejectedServer(
  { spec }: { readonly spec: DatabaseSpec },
  policy: ReferencePolicy,
): Rejection | undefined {
  const { inCluster } = spec.provider
  if (inCluster === undefined) return undefined
  const { image = `postgres:${spec.version}`, storage } = inCluster
  return imageRejection(image, policy) ?? storageClassRejection(storage.storageClassName, policy)
}

/** Keeps a resource that is being deleted as it is, until what `message` says changes: for `parting`. The object that it names is never made, of a kind that the controller owns. */
export function holdDeletion(chart: Chart, resource: Resource, { message }: Refusal): void {
  const placeholder = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name: 'held' } }
  hold(new ApiObject(chart, 'held', placeholder), { sentence: `the deletion waits: ${message}` })
}
