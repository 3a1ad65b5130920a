// What is the next step towards a thing outside being gone? One decision from what is recorded and seen to a step; the
// provisioner carries it out and asks again. Only what carries our token is removed; the record, and with it the finalizer, stays
// until the thing has been seen to be gone, and what cannot be looked at is not gone.
import { unreachable } from '../base/assert.ts'
import type { Consistency, ExternalRecord, Observation, Token } from './external.ts'
import { isAskedForLately, ownershipOf } from './ownership.ts'
import { beingDeleted, lostFromSight, notOwned, notYetVisible, quoted, replaced, type Standing } from './standing.ts'

export interface RemovalInput {
  readonly token: Token
  readonly record: ExternalRecord
  readonly observation: Observation<unknown>
  readonly consistency: Consistency
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
  /** For how long looks in a row have not shown it, since the last that did or the last creation; 0 at the first of them. */
  readonly missingForMs: number
  /** Has this pass asked for its removal? */
  readonly isAskedFor: boolean
}

export type RemovalStep =
  /** Store the record under its lock, ask for the removal, look again. */
  | { readonly kind: 'delete'; readonly record: ExternalRecord }
  /** Nothing more to do in this pass. */
  | { readonly kind: 'rest'; readonly record: ExternalRecord; readonly standing: Standing }
  /** It is no business of ours any more: the record goes. */
  | { readonly kind: 'end'; readonly standing: Standing }

export function removalStep(input: RemovalInput): RemovalStep {
  const { observation, record } = input
  switch (observation.kind) {
    case 'absent':
      return stepWhenAbsent(input, observation.proof)
    case 'deleting':
      return {
        kind: 'rest',
        record: asked(record),
        standing: beingDeleted(record.externalName, observation.detail),
      }
    case 'pending':
    case 'available':
    case 'broken':
      return stepWhenThere(input, observation)
    default:
      return unreachable(observation)
  }
}

function stepWhenAbsent(input: RemovalInput, proof: 'authoritative' | 'hint'): RemovalStep {
  const { record, consistency, missingForMs } = input
  const { visibilityDelayMs } = consistency
  const { externalName: name } = record
  // Not by the time in the record alone: a creation that took long, or was cut off, may have come about later.
  const isProven = missingForMs >= visibilityDelayMs && !isAskedForLately({ ...input, visibilityDelayMs })
  if (proof === 'authoritative' || isProven) return { kind: 'end', standing: gone(name) }
  const wasSeen = record.providerID !== undefined
  return { kind: 'rest', record, standing: wasSeen ? lostFromSight(name) : notYetVisible(name) }
}

type There = Extract<Observation<unknown>, { kind: 'pending' | 'available' | 'broken' }>

function stepWhenThere(input: RemovalInput, there: There): RemovalStep {
  const { record, consistency } = input
  const { externalName: name } = record
  const { owner } = there
  const { visibilityDelayMs } = consistency
  const providerID = there.kind === 'broken' ? undefined : there.providerID
  if (there.kind === 'broken' && owner === undefined) {
    const message = `${quoted(name)} cannot be removed, as it cannot be told whose it is: ${there.message}`
    return { kind: 'rest', record, standing: { state: 'broken', reason: there.reason, message, end: 'retry' } }
  }
  const succeeds = there.kind === 'available' ? there.succeeds : undefined
  const ownership = ownershipOf({ ...input, owner, providerID, succeeds, visibilityDelayMs })
  switch (ownership) {
    case 'ours':
      return input.isAskedFor
        ? { kind: 'rest', record, standing: beingDeleted(name, 'its removal has been asked for') }
        : { kind: 'delete', record: asked(record) }
    case 'late':
      return { kind: 'rest', record, standing: notYetVisible(name) }
    case 'unmarked':
    case 'foreign':
      return { kind: 'end', standing: leftAlone(notOwned(name, owner)) }
    case 'replaced':
      return {
        kind: 'end',
        standing: leftAlone(replaced(name, { was: record.providerID ?? '', is: providerID ?? '' })),
      }
    default:
      return unreachable(ownership)
  }
}

function asked(record: ExternalRecord): ExternalRecord {
  return { ...record, phase: 'Deleting' }
}

export function gone(name: string): Standing {
  return { state: 'gone', reason: 'Gone', message: `${quoted(name)} is gone`, end: 'settled' }
}

function leftAlone({ reason, message }: Standing): Standing {
  return { state: 'kept', reason, message, end: 'settled' }
}
