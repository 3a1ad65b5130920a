// May a replica begin with the volume that an earlier one of its number left behind? On a scale-out its data is older than the
// store's: a member from the past may bring back what was deleted, or be refused by the others. So the scale-out is held
// until a person decides; what runs already is never taken away for it. A store that is created anew is another matter: its
// volumes are all there is, and kept for that. Pure; decision 0013.
import { isBeingDeleted, type KubeObject, type LiveObject, nameList, valueAt } from '../../index.ts'
import { ordinalOf } from '../stateful-set/replica.ts'
import { listedClaims } from '../stateful-set/volume-growth.ts'

export interface Admission {
  /** How many replicas the StatefulSet is to have now: as many as are wanted, unless a stale claim is in the way. */
  readonly admittedReplicas: number
  /** Names of the claims that hold the scale-out, in ordinal order. */
  readonly staleClaims: readonly string[]
}

export interface AdmissionInput {
  readonly wanted: number
  /** As the cache has it; its replicas are those that were admitted before. */
  readonly statefulSet: LiveObject | undefined
  readonly pods: readonly LiveObject[]
  readonly claims: readonly LiveObject[]
  /** As last told in the status: while there is no StatefulSet, what is known of the replicas that were taken away. */
  readonly retainedClaims: readonly string[]
  readonly mayReuse: boolean
}

export function admissionOf(input: AdmissionInput): Admission {
  const { wanted, claims, mayReuse } = input
  const before = Math.min(replicasBefore(input), wanted)
  const stale = mayReuse
    ? []
    : byOrdinal(
        claims.filter((claim) => !isLeaving(claim)),
        before,
        wanted,
      )
  return { admittedReplicas: stale[0]?.ordinal ?? wanted, staleClaims: stale.map(({ name }) => name) }
}

/**
 * The replicas that had their volumes before this turn. A pod that is there has its volume, whatever the cache says of
 * replicas: a hold must never take a replica away.
 */
function replicasBefore({ wanted, statefulSet, pods, retainedClaims }: AdmissionInput): number {
  const running = pods.filter((pod) => !isBeingDeleted(pod)).map((pod) => (ordinalOf(pod.metadata.name) ?? -1) + 1)
  return Math.max(0, ...running, statefulSet === undefined ? firstOf(retainedClaims, wanted) : appliedTo(statefulSet))
}

function appliedTo(statefulSet: LiveObject): number {
  return Number(valueAt(statefulSet, 'spec', 'replicas') ?? 0)
}

function firstOf(claims: readonly string[], otherwise: number): number {
  return Math.min(otherwise, ...claims.map((name) => ordinalOf(name) ?? otherwise))
}

/** Names of the claims that stay although no replica has their ordinal, in ordinal order. */
export function unusedClaimsOf(claims: readonly KubeObject[], replicas: number): readonly string[] {
  const staying = claims.filter((claim) => !isLeaving(claim))
  return byOrdinal(staying, replicas, Number.POSITIVE_INFINITY).map(({ name }) => name)
}

/** The claims of these replicas, in ordinal order. */
export function claimsInUse(claims: readonly LiveObject[], replicas: number): readonly LiveObject[] {
  const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]))
  const staying = claims.filter((claim) => !isLeaving(claim))
  return byOrdinal(staying, 0, replicas).flatMap(({ name }) => byName.get(name) ?? [])
}

/** Names of the claims in use that are older than the store itself: it began with what an earlier store of its name left. */
export function olderClaimsOf(claims: readonly KubeObject[], store: KubeObject, replicas: number): readonly string[] {
  const bornMs = Date.parse(store.metadata.creationTimestamp ?? '')
  const older = claims.filter(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') < bornMs)
  return byOrdinal(older, 0, replicas).map(({ name }) => name)
}

/** Being deleted, or owned by a pod and so to be deleted with it: that is how a StatefulSet does it with whenScaled Delete. */
function isLeaving(claim: KubeObject): boolean {
  return isBeingDeleted(claim) || (claim.metadata.ownerReferences?.some(({ kind }) => kind === 'Pod') ?? false)
}

interface Numbered {
  readonly name: string
  readonly ordinal: number
}

/** Those with an ordinal from `from` up to, and without, `end`. */
function byOrdinal(claims: readonly KubeObject[], from: number, end: number): readonly Numbered[] {
  return claims
    .flatMap(({ metadata: { name } }): readonly Numbered[] => {
      const ordinal = ordinalOf(name)
      return ordinal === undefined ? [] : [{ name, ordinal }]
    })
    .filter(({ ordinal }) => ordinal >= from && ordinal < end)
    .sort((left, right) => left.ordinal - right.ordinal)
}

/** What people are told when a store goes and its data stays. */
export function retentionNote(claims: readonly string[]): string {
  return `kept ${claims.length} volume claims with their data: ${nameList(claims, listedClaims)}; delete them when the data is no longer needed`
}

/** What people are told while a scale-out is held, and how to decide. */
export function holdNote({ admittedReplicas, staleClaims }: Admission, wanted: number): string {
  return (
    `the scale-out to ${wanted} replicas is held at ${admittedReplicas}: replicas that were taken away left volume claims with ` +
    `older data: ${nameList(staleClaims, listedClaims)}; delete them, or set spec.storage.reuseRetained to Allow to begin with that data`
  )
}

/** What people are told of a store that was created on volumes that were there before it. */
export function reuseNote(claims: readonly string[]): string {
  return `the store began with the data of volume claims older than itself: ${nameList(claims, listedClaims)}`
}
