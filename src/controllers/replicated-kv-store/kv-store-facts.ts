// Facts about the cluster that a store's desired state and status depend on, as small JSON values: its StorageClass,
// its pods, and its volume claims.
import type { InvalidSpec } from '../../index.ts'
import type { PodCounts } from '../stateful-set/pod-counts.ts'
import type { PodProblem } from '../stateful-set/pod-problem.ts'
import type { BlockingPod } from '../stateful-set/stuck-rollout.ts'
import type { VolumeGrowth } from '../stateful-set/volume-growth.ts'
import type { Admission } from './retained-volumes.ts'

export interface KvStoreFacts extends Admission, VolumeGrowth {
  /** The named class does not exist. False for a store without a class, or with the empty class. */
  readonly isStorageClassMissing: boolean
  /** Rejection by the operator's policy. */
  readonly rejection?: Required<InvalidSpec>
  /** Time of the next check of a rejection, in milliseconds since the epoch. */
  readonly lookAgainAtMs?: number
  readonly trouble?: PodProblem
  /** A failed pod that the StatefulSet waits for. */
  readonly blockingPod?: BlockingPod
  /** Names of claims beyond the admitted replicas, in ordinal order. All claims while the store is being deleted. */
  readonly unusedClaims: readonly string[]
  /** Names of claims in use that are older than the store. */
  readonly olderClaims: readonly string[]
  /** False before creation, and while it is deleted for its volumes to grow. */
  readonly hasStatefulSet: boolean
  /** The StatefulSet has to be applied once more before the store is deleted. */
  readonly isStatefulSetUnsettled: boolean
  /** Present while the StatefulSet has not counted all pods, if there are any. */
  readonly pods?: PodCounts
}
