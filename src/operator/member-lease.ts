// Lease of one member of a sharded operator: its identity, its duration without a renewal, and the slots that no other
// member may take. Patches hold only against the version that was read, so that one of two writers wins. Pure, except
// for an injected clock.
import type { Clock } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import { hashOf } from '../base/text-hash.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { type Slot, slotCount } from '../reconcile/shard.ts'
import { claimPatch, firstLease, holderOf, type LeaseLocation, leaseSpecOf, releasePatch } from './lease.ts'

/** Label of each member's Lease: the operator's name. */
const membersLabel = 'konverge.dev/members-of'
/** The member's slots as ranges, and the number of all slots: `0-84,90/256`. */
const slotsAnnotation = 'konverge.dev/slots'
/** `joining` until the member's caches are filled; then `ready`, and the member takes slots. */
const stateAnnotation = 'konverge.dev/member-state'

/** State that a member publishes in its Lease. */
export interface Membership {
  readonly identity: string
  readonly durationMs: number
  readonly slots: ReadonlySet<Slot>
  readonly isReady: boolean
}

/** Lease of another member. */
export interface MemberLease extends Omit<Membership, 'identity'> {
  readonly name: string
  readonly live: LiveObject
  /** Undefined: the member has left or was expelled. */
  readonly identity: string | undefined
}

const everySlot: ReadonlySet<Slot> = new Set(Array.from({ length: slotCount }, (_, slot) => slot))

/** Returns the name of a member's Lease: `shop-member-9f86d081`. */
export function memberLeaseName(operatorName: string, identity: string): string {
  return `${operatorName}-member-${hashOf(identity).toString(16).padStart(8, '0')}`
}

export function firstMemberLease(
  location: LeaseLocation,
  { operatorName, membership, clock }: { operatorName: string; membership: Membership; clock: Clock },
): KubeObject {
  const lease = firstLease(location, membership, clock)
  const labels = { [membersLabel]: operatorName }
  return { ...lease, metadata: { ...lease.metadata, labels, annotations: annotationsOf(membership) } }
}

/** Returns the merge patch that renews a member's Lease and publishes its slots. */
export function renewalPatch(live: LiveObject, membership: Membership, clock: Clock): JsonObject {
  return patchWith(claimPatch(live, membership, clock), membership)
}

/** Returns the merge patch by which a member leaves, or another member expels it: it has no slots and cannot renew. */
export function leavingPatch(live: LiveObject): JsonObject {
  return patchWith(releasePatch(live), { slots: new Set(), isReady: false })
}

/**
 * Parses a Lease. If this version cannot read its slots, the member counts as the owner of all slots, so that others
 * take none.
 */
export function memberLeaseOf(live: LiveObject): MemberLease {
  const { name, annotations = {} } = live.metadata
  const { leaseDurationSeconds = 0 } = leaseSpecOf(live)
  return {
    name,
    live,
    identity: holderOf(live),
    durationMs: leaseDurationSeconds * 1000,
    slots: slotsIn(annotations[slotsAnnotation] ?? '') ?? everySlot,
    isReady: annotations[stateAnnotation] === 'ready',
  }
}

/** Formats slots: `0-84,90/256`. */
export function slotsText(slots: ReadonlySet<Slot>): string {
  const ranges: { from: Slot; to: Slot }[] = []
  for (const slot of [...slots].sort((left, right) => left - right)) {
    const last = ranges.at(-1)
    if (last !== undefined && last.to === slot - 1) last.to = slot
    else ranges.push({ from: slot, to: slot })
  }
  const texts = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`))
  return `${texts.join(',')}/${slotCount}`
}

/** Parses slots; undefined if the text has another format or another number of slots. */
export function slotsIn(text: string): ReadonlySet<Slot> | undefined {
  const [ranges = '', count] = text.split('/')
  if (count !== String(slotCount) || text.length > maxTextLength) return undefined
  const slots = new Set<Slot>()
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(range) ?? []
    const [from, to] = [Number(first), Number(last)]
    if (!(from <= to && to < slotCount)) return undefined
    for (let slot = from; slot <= to; slot++) slots.add(slot)
  }
  return slots
}

/** Enough for the longest text: every second slot as a single number. */
const maxTextLength = 1_024

function annotationsOf({ slots, isReady }: Pick<Membership, 'slots' | 'isReady'>) {
  return { [slotsAnnotation]: slotsText(slots), [stateAnnotation]: isReady ? 'ready' : 'joining' }
}

function patchWith(patch: JsonObject, membership: Pick<Membership, 'slots' | 'isReady'>): JsonObject {
  return { ...patch, metadata: { ...(patch['metadata'] as JsonObject), annotations: annotationsOf(membership) } }
}

/** Returns the label selector of all members' Leases. */
export function membersSelector(operatorName: string): string {
  return `${membersLabel}=${operatorName}`
}
