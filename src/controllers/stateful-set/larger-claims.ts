// Requests more storage for existing claims, by a single field on each. The StatefulSet has immutable claim templates
// and is recreated around its pods. Pure.
import { ApiObject, type Chart } from 'cdk8s'
import { contribute, recreateOnChange } from '../../index.ts'
import type { VolumeGrowth } from './volume-growth.ts'

export interface LargerClaimsInput extends Pick<VolumeGrowth, 'claimsToGrow'> {
  readonly statefulSet: ApiObject
  /** False before creation, and while it is deleted for its volumes to grow. */
  readonly hasStatefulSet: boolean
  readonly size: string
}

/** The claims are changed first, so that a rejection leaves everything unchanged. */
export function growClaims(chart: Chart, { statefulSet, hasStatefulSet, claimsToGrow, size }: LargerClaimsInput): void {
  // The pods stay, and the new StatefulSet adopts them by their labels.
  recreateOnChange(statefulSet, { dependents: 'orphan' })
  for (const name of claimsToGrow) {
    const claim = largerClaim(chart, name, size)
    // Without a StatefulSet there is no object to order before.
    if (hasStatefulSet) statefulSet.node.addDependency(claim)
  }
}

function largerClaim(chart: Chart, name: string, size: string): ApiObject {
  const claim = new ApiObject(chart, `larger-${name}`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { resources: { requests: { storage: size } } },
  })
  contribute(claim)
  return claim
}
