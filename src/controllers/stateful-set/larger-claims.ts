// How are claims asked for more room? By one field on what the StatefulSet made; the StatefulSet itself, whose templates cannot change, is
// made anew around its pods. Pure.
import { ApiObject, type Chart } from 'cdk8s'
import { contribute, recreateOnChange } from '../../index.ts'
import type { VolumeGrowth } from './volume-growth.ts'

export interface LargerClaimsInput extends Pick<VolumeGrowth, 'claimsToGrow'> {
  readonly statefulSet: ApiObject
  /** Made, and not gone again for its volumes to grow. */
  readonly hasStatefulSet: boolean
  readonly size: string
}

/** The claims come first of all, so that a refusal leaves everything as it is. */
export function growClaims(chart: Chart, { statefulSet, hasStatefulSet, claimsToGrow, size }: LargerClaimsInput): void {
  // The pods stay, and the new StatefulSet finds them by their labels.
  recreateOnChange(statefulSet, { dependents: 'orphan' })
  for (const name of claimsToGrow) {
    const claim = largerClaim(chart, name, size)
    // Pods without a StatefulSet wait for nothing.
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
