// Next step to remove an external resource: one decision from its journal entry and its observation. The provisioner
// carries the step out and decides again. Invariant: only a resource with this token is removed. The journal entry, and
// with it the finalizer, stays until an observation shows its absence; an unknown state is not absence.
import { unreachable } from '../base/assert.ts'
import type { Consistency, ExternalRecord, Observation, Token } from './external.ts'
import {
  beingDeleted,
  type ExternalState,
  notOwned,
  notVisible,
  notYetVisible,
  quoted,
  replaced,
} from './external-state.ts'
import { isRequestedRecently, ownershipOf } from './ownership.ts'

export interface RemovalInput {
  readonly token: Token
  readonly record: ExternalRecord
  readonly observation: Observation<unknown>
  readonly consistency: Consistency
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
  /**
   * Time since the first of the consecutive observations without the resource. 0 at that first one; an observation that
   * shows it, or a creation, resets it.
   */
  readonly missingForMs: number
  /** True if this pass has requested the removal. */
  readonly isAskedFor: boolean
}

export type RemovalStep =
  /** Store the journal entry under its lock, request the removal, observe again. */
  | { readonly kind: 'delete'; readonly record: ExternalRecord }
  /** Nothing more to do in this pass. */
  | { readonly kind: 'rest'; readonly record: ExternalRecord; readonly standing: ExternalState }
  /** It no longer belongs to the resource: the journal entry is removed. */
  | { readonly kind: 'end'; readonly standing: ExternalState }

export function removalStep(input: RemovalInput): RemovalStep {
  const { observation, record } = input
  switch (observation.kind) {
    case 'absent':
      return stepWhenAbsent(input, observation.proof)
    case 'deleting':
      return {
        kind: 'rest',
        record: removalRequested(record),
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
  // The time in the journal entry is not enough: a creation that was slow, or was cut off, may have succeeded later.
  const isProven = missingForMs >= visibilityDelayMs && !isRequestedRecently({ ...input, visibilityDelayMs })
  if (proof === 'authoritative' || isProven) return { kind: 'end', standing: gone(name) }
  const wasSeen = record.providerID !== undefined
  return { kind: 'rest', record, standing: wasSeen ? notVisible(name) : notYetVisible(name) }
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
        : { kind: 'delete', record: removalRequested(record) }
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

function removalRequested(record: ExternalRecord): ExternalRecord {
  return { ...record, phase: 'Deleting' }
}

export function gone(name: string): ExternalState {
  return { state: 'gone', reason: 'Gone', message: `${quoted(name)} is gone`, end: 'settled' }
}

function leftAlone({ reason, message }: ExternalState): ExternalState {
  return { state: 'kept', reason, message, end: 'settled' }
}
