// Decisions of one member of a sharded operator, from a list of all members' Leases. Invariant: a slot never has two
// owners. It holds while no member's clock runs faster than another's by the factor duration / renew deadline (1.5 by
// default). The rules that keep it:
//
//   1. A member claims a slot in its own Lease. It takes the slot only when a later list, of one revision, shows its
//      claim and no other. The list must show the version that its last write returned: no earlier write is pending.
//   2. It releases its claim after the last reconcile of the slot has ended. That acknowledges the hand-over.
//   3. It works only until (sent its last successful renewal) + renew deadline.
//   4. The claims of another member end when that member releases them. They also end when its Lease has not changed
//      for its duration and a patch against that version has taken it. That member cannot renew then.
//
// If two members take one slot, the later list shows the claim of the earlier one, which still holds. Members never
// wait for each other: each follows its own list. A rendezvous hash only assigns slots; a wrong assignment causes a
// delay, never two owners.
import { hashOf } from '../base/text-hash.ts'
import type { LiveObject } from '../object/object.ts'
import { type Slot, slotCount } from '../reconcile/shard.ts'
import type { ElectionTiming } from './election.ts'
import { type MemberLease, memberLeaseOf } from './member-lease.ts'

/** Observation of one version of another member's Lease. */
export interface MemberObservation {
  readonly lease: MemberLease
  /** Time of the first observation of this version, on this process's monotonic clock. */
  readonly atMs: number
  /** The Lease was deleted by hand while its member had slots; the member may not know yet. */
  readonly isGone: boolean
}

/** Observations by the name of the Lease, without the own Lease. */
export type MemberObservations = ReadonlyMap<string, MemberObservation>

/** State of this member at the time of a list. */
export interface Own {
  readonly identity: string
  /** Own Lease from the list; undefined: the list does not contain it. */
  readonly lease: MemberLease | undefined
  /** Version that the last write of the own Lease returned; undefined: the outcome of that write is unknown. */
  readonly writtenVersion: string | undefined
  /** Slots that this member works, fills or drains. */
  readonly held: ReadonlySet<Slot>
  /** Slots of `held` that this member already drains. */
  readonly draining: ReadonlySet<Slot>
  readonly timing: ElectionTiming
}

export interface ShardsDecision {
  /** Sorted identities of the members that share the slots. */
  readonly members: readonly string[]
  /** Slots that this member now owns; it may load their objects. */
  readonly take: readonly Slot[]
  /** Slots that the hash assigns to another member; no reconcile of them starts any more. */
  readonly give: readonly Slot[]
  /** Next claims of the own Lease. */
  readonly claims: ReadonlySet<Slot>
  /** Members whose Lease has expired. */
  readonly expel: readonly MemberLease[]
  /** Leases without a member. */
  readonly remove: readonly MemberLease[]
}

/** Returns the observations after a list. */
export function afterList(
  before: MemberObservations,
  leases: readonly LiveObject[],
  { ownName, nowMs, timing }: { readonly ownName: string; readonly nowMs: number; readonly timing: ElectionTiming },
): MemberObservations {
  const after = new Map<string, MemberObservation>()
  for (const live of leases) {
    if (live.metadata.name === ownName) continue
    const known = before.get(live.metadata.name)
    const isSame = known !== undefined && !known.isGone && isSameVersion(known.lease.live, live)
    after.set(live.metadata.name, isSame ? known : { lease: memberLeaseOf(live), atMs: nowMs, isGone: false })
  }
  for (const [name, sighting] of before) {
    if (after.has(name) || sighting.lease.slots.size === 0 || nowMs >= endMs(sighting, timing)) continue
    after.set(name, { ...sighting, isGone: true })
  }
  return after
}

/** Returns the decisions; undefined: another member took the Lease, and this process must end. */
export function decideShards(sightings: MemberObservations, own: Own, nowMs: number): ShardsDecision | undefined {
  const { lease, identity, held, draining, timing } = own
  if (lease === undefined || lease.identity !== identity) return undefined
  const others = [...sightings.values()]
  const living = [lease, ...others.filter(({ isGone }) => !isGone).map((sighting) => sighting.lease)]
  const members = living.flatMap(({ identity: its, isReady }) => (its !== undefined && isReady ? [its] : [])).sort()
  const claimedByOthers = new Set(others.flatMap((other) => [...other.lease.slots]))
  const claims = new Set(held)
  const isConfirmed = lease.live.metadata.resourceVersion === own.writtenVersion
  const take: Slot[] = []
  const give: Slot[] = []
  for (let slot = 0; slot < slotCount; slot++) {
    const isWanted = winnerOf(slot, members) === identity
    if (held.has(slot)) {
      if (!isWanted && !draining.has(slot)) give.push(slot)
      continue
    }
    if (!isWanted) continue
    const isClaimed = lease.slots.has(slot)
    const isFree = !claimedByOthers.has(slot)
    if (isClaimed || isFree) claims.add(slot)
    if (isClaimed && isFree && isConfirmed) take.push(slot)
  }
  const ended = others.filter((sighting) => !sighting.isGone && nowMs >= endMs(sighting, timing))
  return {
    members,
    take,
    give,
    claims,
    expel: ended.flatMap((sighting) => (sighting.lease.identity === undefined ? [] : [sighting.lease])),
    remove: ended.flatMap((sighting) => (sighting.lease.identity === undefined ? [sighting.lease] : [])),
  }
}

/**
 * Returns the member with the highest weight; undefined without members. A member that joins or leaves moves no slot
 * between two others.
 */
export function winnerOf(slot: Slot, members: readonly string[]): string | undefined {
  let winner: { readonly member: string; readonly weight: number } | undefined
  for (const member of members) {
    const weight = hashOf(`${slot} ${member}`)
    const isHigher = winner === undefined || weight > winner.weight
    if (isHigher || (weight === winner?.weight && member > winner.member)) winner = { member, weight }
  }
  return winner?.member
}

/** Returns the time when the member of an unchanged Lease no longer acts, by this process's clock. */
function endMs({ lease, atMs }: MemberObservation, { durationMs }: ElectionTiming): number {
  return atMs + Math.max(durationMs, lease.durationMs)
}

function isSameVersion(left: LiveObject, right: LiveObject): boolean {
  return left.metadata.uid === right.metadata.uid && left.metadata.resourceVersion === right.metadata.resourceVersion
}
