// The decisions of one member of a sharded operator, from a list of all members' Leases. Invariant: a slot has never two owners, as long as no
// member's clock runs faster than another's by the factor duration / renew deadline (1.5 by default). The rules that keep it:
//
//   1. A member claims a slot in its own Lease, and takes it only when a later list, of one revision, shows its claim and no other. The list
//      shows the very version that its last write was answered with: no earlier write of its own can still arrive.
//   2. It gives up its claim after the last reconcile of the slot has ended. That is the acknowledgment of the hand-over.
//   3. It works only until (sent its last successful renewal) + renew deadline.
//   4. The claims of another end when that one gives them up, or when its Lease has not changed for its duration and was taken from it by a
//      patch against that very version. It cannot renew then.
//
// Of two members that take one slot, the later list shows the claim of the earlier, which still stands. Members never wait for each other:
// each follows its own list. A rendezvous hash says who should have a slot, and only that; a wrong answer delays, and harms nothing.
import { hashOf } from '../base/text-hash.ts'
import type { LiveObject } from '../object/object.ts'
import { type Slot, slotCount } from '../reconcile/shard.ts'
import type { ElectionTiming } from './election.ts'
import { type MemberLease, memberLeaseOf } from './member-lease.ts'

/** One version of the Lease of another member, as this process saw it. */
export interface MemberSighting {
  readonly lease: MemberLease
  /** When this process first saw this version, on its monotonic clock. */
  readonly atMs: number
  /** The Lease was deleted by hand while its member had slots: the member may not know yet. */
  readonly isGone: boolean
}

/** By the name of the Lease, without the own one. */
export type MemberSightings = ReadonlyMap<string, MemberSighting>

/** This member, when a list came. */
export interface Own {
  readonly identity: string
  /** From the list; undefined: it is not there. */
  readonly lease: MemberLease | undefined
  /** The version that the last write of the own Lease was answered with; undefined: what became of that write is not known. */
  readonly writtenVersion: string | undefined
  /** The slots that it works, fills or drains. */
  readonly held: ReadonlySet<Slot>
  /** Of those, the slots that it drains already. */
  readonly draining: ReadonlySet<Slot>
  readonly timing: ElectionTiming
}

export interface ShardsDecision {
  /** Identities of the members among which the slots are divided, sorted. */
  readonly members: readonly string[]
  /** From now on this member's own: their objects may be loaded. */
  readonly take: readonly Slot[]
  /** Another member's by the hash: no reconcile of theirs begins any more. */
  readonly give: readonly Slot[]
  /** What the own Lease is to claim next. */
  readonly claims: ReadonlySet<Slot>
  /** Members whose Lease has run out. */
  readonly expel: readonly MemberLease[]
  /** Leases that no member has any more. */
  readonly remove: readonly MemberLease[]
}

/** What this process knows of the others after a list. */
export function afterList(
  before: MemberSightings,
  leases: readonly LiveObject[],
  { ownName, nowMs, timing }: { readonly ownName: string; readonly nowMs: number; readonly timing: ElectionTiming },
): MemberSightings {
  const after = new Map<string, MemberSighting>()
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

/** Undefined: the Lease was taken from this member, which must end. */
export function decideShards(sightings: MemberSightings, own: Own, nowMs: number): ShardsDecision | undefined {
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

/** The member with the highest weight; undefined without members. A member that comes or goes moves no slot between two others. */
export function winnerOf(slot: Slot, members: readonly string[]): string | undefined {
  let winner: { readonly member: string; readonly weight: number } | undefined
  for (const member of members) {
    const weight = hashOf(`${slot} ${member}`)
    const isHigher = winner === undefined || weight > winner.weight
    if (isHigher || (weight === winner?.weight && member > winner.member)) winner = { member, weight }
  }
  return winner?.member
}

/** When the member of a Lease that has not changed since acts no more, by this process's clock. */
function endMs({ lease, atMs }: MemberSighting, { durationMs }: ElectionTiming): number {
  return atMs + Math.max(durationMs, lease.durationMs)
}

function isSameVersion(left: LiveObject, right: LiveObject): boolean {
  return left.metadata.uid === right.metadata.uid && left.metadata.resourceVersion === right.metadata.resourceVersion
}
