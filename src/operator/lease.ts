// Lease objects: claims and releases as merge patches. Invariants: a patch holds only against the version that was
// read, so that one of two candidates wins; it keeps fields of others. Times in the Lease are informative: no decision
// reads them. Source: coordination.k8s.io/v1 LeaseSpec.
import { type Clock, microTimestampOf } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import { Lease, type LeaseSpec } from '../object/built-in.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { apiVersionOf } from '../object/resource.ts'

/** Namespace and name of a Lease. */
export interface LeaseLocation {
  readonly namespace: string
  readonly name: string
}

/** Claimant, and the duration of its claim. */
export interface Claim {
  readonly identity: string
  readonly durationMs: number
}

/** Returns the Lease to create if none exists. */
export function firstLease(location: LeaseLocation, claim: Claim, clock: Clock): KubeObject {
  const spec = { ...claimed(claim, clock), acquireTime: microTimestampOf(clock), leaseTransitions: 0 }
  return { apiVersion: apiVersionOf(Lease), kind: Lease.kind, metadata: { ...location }, spec }
}

/**
 * Returns the merge patch that takes the Lease, or renews it for its holder. The API server rejects it with Conflict
 * after another write.
 */
export function claimPatch(lease: LiveObject, claim: Claim, clock: Clock): JsonObject {
  const isRenewal = holderOf(lease) === claim.identity
  const { leaseTransitions } = leaseSpecOf(lease)
  const taken = {
    acquireTime: microTimestampOf(clock),
    leaseTransitions: leaseTransitions === undefined ? 0 : leaseTransitions + 1,
  }
  return { ...versionOf(lease), spec: { ...claimed(claim, clock), ...(isRenewal ? {} : taken) } }
}

/** Returns the merge patch that releases the Lease: others can claim it at once (`isReleased`). */
export function releasePatch(lease: LiveObject): JsonObject {
  const spec = { holderIdentity: null, leaseDurationSeconds: null, acquireTime: null, renewTime: null }
  return { ...versionOf(lease), spec }
}

/** Returns the holder; undefined if there is none or its name is empty. */
export function holderOf(lease: LiveObject): string | undefined {
  return leaseSpecOf(lease).holderIdentity || undefined
}

/**
 * Returns whether the Lease was released in order, or never held. After a removal of the holder by hand, renewTime
 * remains, and the holder may not know yet.
 */
export function isReleased(lease: LiveObject): boolean {
  return holderOf(lease) === undefined && leaseSpecOf(lease).renewTime === undefined
}

export function leaseSpecOf({ spec }: LiveObject): LeaseSpec {
  // Sound: the API server validates Leases. A Lease without a spec is allowed.
  return (spec ?? {}) as LeaseSpec
}

function claimed({ identity, durationMs }: Claim, clock: Clock) {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    renewTime: microTimestampOf(clock),
  }
}

function versionOf({ metadata: { resourceVersion } }: LiveObject): JsonObject {
  return { metadata: { resourceVersion } }
}
