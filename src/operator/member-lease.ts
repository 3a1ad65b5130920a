// The Lease of one member of a sharded operator: who the member is, how long it lives without a renewal, and the slots that no other member
// may take. Patches hold only against the version that was read, so that of two writers one wins. Pure but for the clock that comes in.
import type { Clock } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import { hashOf } from '../base/text-hash.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { type Slot, slotCount } from '../reconcile/shard.ts'
import { claimPatch, firstLease, holderOf, type LeaseLocation, leaseSpecOf, releasePatch } from './lease.ts'

/** On the Lease of each member: the operator's name. */
const membersLabel = 'konverge.dev/members-of'
/** The slots of the member as ranges, and how many slots there are: `0-84,90/256`. */
const slotsAnnotation = 'konverge.dev/slots'
/** `joining` until the member's caches are filled: then it is `ready`, and takes slots. */
const stateAnnotation = 'konverge.dev/member-state'

/** What a member writes of itself. */
export interface Membership {
  readonly identity: string
  readonly durationMs: number
  readonly slots: ReadonlySet<Slot>
  readonly isReady: boolean
}

/** A Lease as another member reads it. */
export interface MemberLease extends Omit<Membership, 'identity'> {
  readonly name: string
  readonly live: LiveObject
  /** Undefined: the member has left, or was expelled. */
  readonly identity: string | undefined
}

const everySlot: ReadonlySet<Slot> = new Set(Array.from({ length: slotCount }, (_, slot) => slot))

/** The name of the Lease of one member: `shop-member-9f86d081`. */
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

/** The merge patch by which a member renews its Lease and says which slots are its own. */
export function renewalPatch(live: LiveObject, membership: Membership, clock: Clock): JsonObject {
  return patchWith(claimPatch(live, membership, clock), membership)
}

/** The merge patch by which a member leaves, or is expelled by another one: it has no slots any more, and cannot renew. */
export function leavingPatch(live: LiveObject): JsonObject {
  return patchWith(releasePatch(live), { slots: new Set(), isReady: false })
}

/** A Lease that does not say which slots it has in a way that this version understands has all of them: others then take none. */
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

/** `0-84,90/256` */
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

/** Undefined: the text is of another form, or of another number of slots. */
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

/** Every second slot, as single numbers. */
const maxTextLength = 1_024

function annotationsOf({ slots, isReady }: Pick<Membership, 'slots' | 'isReady'>) {
  return { [slotsAnnotation]: slotsText(slots), [stateAnnotation]: isReady ? 'ready' : 'joining' }
}

function patchWith(patch: JsonObject, membership: Pick<Membership, 'slots' | 'isReady'>): JsonObject {
  return { ...patch, metadata: { ...(patch['metadata'] as JsonObject), annotations: annotationsOf(membership) } }
}

/** Selects the Leases of all members. */
export function membersSelector(operatorName: string): string {
  return `${membersLabel}=${operatorName}`
}
