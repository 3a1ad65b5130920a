// What must be known of the world before a store can be made or judged? Small JSON facts: whether its storage class exists,
// what keeps its pods, and which volume claims no replica uses any more. Pure.
import { isBeingDeleted, type KubeObject } from '../../index.ts'
import type { PodTrouble } from './pod-trouble.ts'
import { ordinalOf } from './replica.ts'
import type { BlockingPod } from './stuck-rollout.ts'

export interface KvStoreFacts {
  /** The named class is not there. A store that names none, or the empty class, misses nothing. */
  readonly isStorageClassMissing: boolean
  readonly trouble?: PodTrouble
  /** What the StatefulSet waits for before it goes on, if that has failed. */
  readonly blockingPod?: BlockingPod
  /** Names of claims beyond the wanted replicas, in ordinal order. All of them once the store is being deleted. */
  readonly unusedClaims: readonly string[]
}

/** Names of the claims that stay although no replica has their ordinal, the number that their name ends in. */
export function unusedClaimsOf(claims: readonly KubeObject[], replicas: number): readonly string[] {
  return claims
    .filter((claim) => !isBeingDeleted(claim))
    .map((claim) => ({ name: claim.metadata.name, ordinal: ordinalOf(claim) ?? -1 }))
    .filter(({ ordinal }) => ordinal >= replicas)
    .sort((left, right) => left.ordinal - right.ordinal)
    .map(({ name }) => name)
}

/** How many claims an Event names; it holds 1,024 characters. */
const listedClaims = 8

/** What people are told when a store goes and its data stays. */
export function retentionNote(claims: readonly string[]): string {
  const more = claims.length > listedClaims ? ` and ${claims.length - listedClaims} more` : ''
  const names = claims.slice(0, listedClaims).join(', ') + more
  return `kept ${claims.length} volume claims with their data: ${names}; delete them when the data is no longer needed`
}
