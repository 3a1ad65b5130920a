// What must be known of the world before a store can be made or judged? Small JSON facts: whether its storage class exists,
// what keeps its pods, and what its volume claims allow and need.
import type { Refusal } from '../../index.ts'
import type { PodCounts } from '../stateful-set/pod-counts.ts'
import type { PodTrouble } from '../stateful-set/pod-trouble.ts'
import type { BlockingPod } from '../stateful-set/stuck-rollout.ts'
import type { VolumeGrowth } from '../stateful-set/volume-growth.ts'
import type { Admission } from './retained-volumes.ts'

export interface KvStoreFacts extends Admission, VolumeGrowth {
  /** The named class is not there. A store that names none, or the empty class, misses nothing. */
  readonly isStorageClassMissing: boolean
  /** What the operator's rules do not allow. */
  readonly rejection?: Required<Refusal>
  /** When a rejection may be over; milliseconds since the epoch. */
  readonly lookAgainAtMs?: number
  readonly trouble?: PodTrouble
  /** What the StatefulSet waits for before it goes on, if that has failed. */
  readonly blockingPod?: BlockingPod
  /** Names of claims beyond the admitted replicas, in ordinal order. All of them once the store is being deleted. */
  readonly unusedClaims: readonly string[]
  /** Names of claims in use that were there before the store. */
  readonly olderClaims: readonly string[]
  /** Made, and not gone again for its volumes to grow. */
  readonly hasStatefulSet: boolean
  /** It is to be declared once more before the store goes. */
  readonly isStatefulSetUnsettled: boolean
  /** For as long as the StatefulSet has not counted them all. Present if there are any. */
  readonly pods?: PodCounts
}
