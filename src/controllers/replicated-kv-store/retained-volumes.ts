// Decides whether a replica may use the volume that an earlier replica of its ordinal left. On a scale-out its data is
// older than the store's. A stale member may bring back deleted data, or the others may reject it. So the scale-out is
// held until a user decides; running replicas are never removed for it.
// A store that is created again uses its volumes: they are all its data, and are kept for that. Pure; decision 0013.
import { isBeingDeleted, type KubeObject, type LiveObject, nameList, valueAt } from '../../index.ts'
import { ordinalOf } from '../stateful-set/replica.ts'
import { listedClaims } from '../stateful-set/volume-growth.ts'

export interface Admission {
  /** Number of replicas for the StatefulSet now: the desired one, unless a stale claim holds the scale-out. */
  readonly admittedReplicas: number
  /** Names of the claims that hold the scale-out, in ordinal order. */
  readonly staleClaims: readonly string[]
}

export interface AdmissionInput {
  readonly wanted: number
  /** StatefulSet in the cache. Its replicas are those that were admitted before. */
  readonly statefulSet: LiveObject | undefined
  readonly pods: readonly LiveObject[]
  readonly claims: readonly LiveObject[]
  /** Claims in the last status. While there is no StatefulSet, they show which replicas were removed. */
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
 * Returns the number of replicas that had their volumes before this reconcile. An existing pod has its volume, whatever
 * the cache says of replicas: a hold must never remove a replica.
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

/** Returns the names of claims that stay without a replica of their ordinal, in ordinal order. */
export function unusedClaimsOf(claims: readonly KubeObject[], replicas: number): readonly string[] {
  const staying = claims.filter((claim) => !isLeaving(claim))
  return byOrdinal(staying, replicas, Number.POSITIVE_INFINITY).map(({ name }) => name)
}

/** Returns the claims of these replicas, in ordinal order. */
export function claimsInUse(claims: readonly LiveObject[], replicas: number): readonly LiveObject[] {
  const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]))
  const staying = claims.filter((claim) => !isLeaving(claim))
  return byOrdinal(staying, 0, replicas).flatMap(({ name }) => byName.get(name) ?? [])
}

/**
 * Returns the names of claims in use that are older than the store: it started from the data of an earlier store of its
 * name.
 */
export function olderClaimsOf(claims: readonly KubeObject[], store: KubeObject, replicas: number): readonly string[] {
  const bornMs = Date.parse(store.metadata.creationTimestamp ?? '')
  const older = claims.filter(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') < bornMs)
  return byOrdinal(older, 0, replicas).map(({ name }) => name)
}

/**
 * True if the claim is being deleted, or is owned by a pod and will be deleted with it. A StatefulSet sets that owner
 * with whenScaled Delete.
 */
function isLeaving(claim: KubeObject): boolean {
  return isBeingDeleted(claim) || (claim.metadata.ownerReferences?.some(({ kind }) => kind === 'Pod') ?? false)
}

interface Numbered {
  readonly name: string
  readonly ordinal: number
}

/** Returns the claims with an ordinal from `from` up to `end`, exclusive. */
function byOrdinal(claims: readonly KubeObject[], from: number, end: number): readonly Numbered[] {
  return claims
    .flatMap(({ metadata: { name } }): readonly Numbered[] => {
      const ordinal = ordinalOf(name)
      return ordinal === undefined ? [] : [{ name, ordinal }]
    })
    .filter(({ ordinal }) => ordinal >= from && ordinal < end)
    .sort((left, right) => left.ordinal - right.ordinal)
}

/** Message for a store that is deleted while its data stays. */
export function retentionNote(claims: readonly string[]): string {
  return `kept ${claims.length} volume claims with their data: ${nameList(claims, listedClaims)}; delete them when the data is no longer needed`
}

/** Message while a scale-out is held, with the ways to decide. */
export function holdNote({ admittedReplicas, staleClaims }: Admission, wanted: number): string {
  return (
    `the scale-out to ${wanted} replicas is held at ${admittedReplicas}: replicas that were taken away left volume claims with ` +
    `older data: ${nameList(staleClaims, listedClaims)}; delete them, or set spec.storage.reuseRetained to Allow to begin with that data`
  )
}

/** Message for a store that was created on older volumes. */
export function reuseNote(claims: readonly string[]): string {
  return `the store began with the data of volume claims older than itself: ${nameList(claims, listedClaims)}`
}
