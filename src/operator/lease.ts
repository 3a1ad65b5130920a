// What is written into the Lease? Claims and releases as patches that hold only against the version that was read, so that of
// two candidates one wins; fields that are not ours stay. Times in it are for people: no decision reads them.
// Source: coordination.k8s.io/v1 LeaseSpec.
import { type Clock, microTimestampOf } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import { Lease, type LeaseSpec } from '../object/built-in.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { apiVersionOf } from '../object/resource.ts'

/** Where the lease is. */
export interface LeaseLocation {
  readonly namespace: string
  readonly name: string
}

/** Who claims it, and for how long at a time. */
export interface Claim {
  readonly identity: string
  readonly durationMs: number
}

/** The lease of one who finds none. */
export function firstLease(location: LeaseLocation, claim: Claim, clock: Clock): KubeObject {
  const spec = { ...claimed(claim, clock), acquireTime: microTimestampOf(clock), leaseTransitions: 0 }
  return { apiVersion: apiVersionOf(Lease), kind: Lease.kind, metadata: { ...location }, spec }
}

/** The merge patch by which a lease is taken, or renewed by its holder; refused with Conflict if anybody wrote in between. */
export function claimPatch(lease: LiveObject, claim: Claim, clock: Clock): JsonObject {
  const isRenewal = holderOf(lease) === claim.identity
  const { leaseTransitions } = leaseSpecOf(lease)
  const taken = {
    acquireTime: microTimestampOf(clock),
    leaseTransitions: leaseTransitions === undefined ? 0 : leaseTransitions + 1,
  }
  return { ...versionOf(lease), spec: { ...claimed(claim, clock), ...(isRenewal ? {} : taken) } }
}

/** The merge patch by which the holder gives it back: free for everybody at once, as `isReleased` tells. */
export function releasePatch(lease: LiveObject): JsonObject {
  const spec = { holderIdentity: null, leaseDurationSeconds: null, acquireTime: null, renewTime: null }
  return { ...versionOf(lease), spec }
}

/** Undefined when nobody holds it; an empty name is none. */
export function holderOf(lease: LiveObject): string | undefined {
  return leaseSpecOf(lease).holderIdentity || undefined
}

/**
 * Was it given back in order, or never held? A holder that was taken out by hand leaves its renewTime behind, and may not know
 * yet.
 */
export function isReleased(lease: LiveObject): boolean {
  return holderOf(lease) === undefined && leaseSpecOf(lease).renewTime === undefined
}

export function leaseSpecOf({ spec }: LiveObject): LeaseSpec {
  // The API server validates Leases; a Lease without a spec is allowed.
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
