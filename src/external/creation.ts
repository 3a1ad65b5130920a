// Next step to create an external resource: one decision from its journal entry, its observation and the desired state.
// The provisioner carries the step out and decides again. Invariants: a creation follows its stored journal entry (I3).
// An unknown state never counts as absent. A vanished resource is reported before it is recreated.
//
//   no entry ──create──▶ Pending ──seen, ours──▶ Available ──not seen──▶ vanished, or ──create──▶ Pending
//                          │  ▲                      │  ▲
//                          └──┘ not created:         └──┘ differs: update
//                               create again
import { unreachable } from '../base/assert.ts'
import { timestampAt } from '../base/clock.ts'
import type { Consistency, DesiredExternal, ExternalChange, ExternalRecord, Observation, Token } from './external.ts'
import {
  beingDeleted,
  described,
  type ExternalState,
  markMissing,
  notOwned,
  notVisible,
  notYetVisible,
  provisioning,
  provisionTimeout,
  quoted,
  replaced,
  vanished,
} from './external-state.ts'
import { isRequestedRecently, type Ownership, ownershipOf } from './ownership.ts'

export type Wanted<Desired = unknown> = Extract<DesiredExternal<Desired>, { kind: 'wanted' }>

export interface CreationInput {
  /** Name of the External. */
  readonly name: string
  readonly wish: Omit<Wanted, 'kind' | 'desired'>
  /** UID of the resource, and its current generation. */
  readonly token: Token
  readonly record: ExternalRecord | undefined
  readonly observation: Observation<unknown>
  /** Differences from the desired state, if it can be observed. */
  readonly changes: readonly ExternalChange[]
  readonly consistency: Consistency
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
  /**
   * Time since the first of the consecutive observations without the resource. 0 at that first one; an observation that
   * shows it, or a creation, resets it.
   */
  readonly missingForMs: number
  /** Last action of this pass. `nameTaken`: the creation was rejected because the name is taken. */
  readonly done: 'nothing' | 'created' | 'nameTaken' | 'updated'
  /** Consecutive updates for the same differences, including this pass. */
  readonly futileUpdates: number
}

export type CreationStep =
  /** Store the journal entry under its lock, create, observe again. */
  | { readonly kind: 'create'; readonly record: ExternalRecord }
  /** Store the journal entry under its lock, decide again: from now on the resource is owned. */
  | { readonly kind: 'adopt'; readonly record: ExternalRecord }
  /** Update the resource, observe again. `drift`: the changes to fields that were as desired before, made by others. */
  | {
      readonly kind: 'update'
      readonly record: ExternalRecord
      readonly changes: readonly ExternalChange[]
      readonly drift: readonly ExternalChange[]
    }
  /** Nothing more to do in this pass. */
  | {
      readonly kind: 'rest'
      readonly record: ExternalRecord | undefined
      readonly standing: ExternalState
      /** Differences that stay. */
      readonly drift: readonly ExternalChange[]
    }

/** Consecutive updates without effect after which the resource reports a failure and retries with backoff. */
const mostFutileUpdates = 3

export function creationStep(input: CreationInput): CreationStep {
  const { observation, record } = input
  switch (observation.kind) {
    case 'absent':
      return stepWhenAbsent(input, observation.proof)
    case 'pending':
    case 'available':
      return stepWhenThere(input, observation)
    case 'deleting':
      return rest(record, beingDeleted(externalNameOf(input), observation.detail))
    case 'broken': {
      const { reason, message, isTerminal } = observation
      return rest(record, { state: 'broken', reason, message, end: isTerminal ? 'stopped' : 'retry' })
    }
    default:
      return unreachable(observation)
  }
}

function stepWhenAbsent(input: CreationInput, proof: 'authoritative' | 'hint'): CreationStep {
  const { record, wish, consistency, missingForMs, done } = input
  const { visibilityDelayMs } = consistency
  const name = externalNameOf(input)
  if (record?.providerID !== undefined) {
    // It was observed before. If observations can lag, one without it proves nothing.
    if (proof === 'hint' && missingForMs < visibilityDelayMs) return rest(record, notVisible(name))
    const isExpected = record.phase === 'Deleting' || wish.recreatesIfMissing === true
    return isExpected ? creation(input) : rest(record, vanished(name, record.providerID))
  }
  if (done === 'nameTaken') {
    const message = `${quoted(name)} cannot be created, as the name is taken; what has it cannot be seen`
    return rest(record, { state: 'failed', reason: 'AlreadyExists', message, end: 'retry' })
  }
  if (proof === 'hint' && isRequestedRecently({ ...input, visibilityDelayMs })) return rest(record, notYetVisible(name))
  if (done !== 'created') return creation(input)
  const message = `${quoted(name)} was created without complaint, and is not there`
  return rest(record, { state: 'failed', reason: 'NotCreated', message, end: 'retry' })
}

type There = Extract<Observation<unknown>, { kind: 'pending' | 'available' }>

function stepWhenThere(input: CreationInput, there: There): CreationStep {
  const { record, wish, consistency } = input
  const { owner, providerID } = there
  const name = externalNameOf(input)
  const { visibilityDelayMs } = consistency
  const succeeds = there.kind === 'available' ? there.succeeds : undefined
  const ownership = ownershipOf({ ...input, owner, providerID, succeeds, visibilityDelayMs })
  switch (ownership) {
    case 'ours':
    case 'unmarked':
      return stepWhenOurs(input, there, ownership)
    case 'late':
      return rest(record, notYetVisible(name))
    case 'foreign':
    case 'replaced': {
      // Takes over a lost or replaced resource only if a new generation asks for it: two adopting resources must not
      // fight.
      if (wish.adopts === true && isNewGeneration(input)) return stepWhenAdopted(input, there)
      const was = record?.providerID
      const isReplaced = ownership === 'replaced' && was !== undefined
      return rest(record, isReplaced ? replaced(name, { was, is: providerID }) : notOwned(name, owner))
    }
    default:
      return unreachable(ownership)
  }
}

/** Stores the journal entry first, then writes the ownership marker. */
function stepWhenAdopted(input: CreationInput, there: There): CreationStep {
  const { record } = input
  const isRecorded = record?.phase === 'Pending' && record.providerID === there.providerID
  return isRecorded ? stepWhenOurs(input, there, 'unmarked') : adoption(input, there)
}

function stepWhenOurs(input: CreationInput, there: There, ownership: Ownership): CreationStep {
  const { record, changes } = input
  if (record === undefined) return adoption(input, there)
  const { providerID } = there
  if (there.kind === 'pending') return rest({ ...record, providerID }, pending(input, there.detail))
  const seen: ExternalRecord = { ...followed(record, providerID), providerID, phase: 'Available' }
  return stepWhenAvailable(input, seen, ownership === 'ours' ? changes : [...changes, markMissing])
}

/** A successor that the operator itself created may lack earlier changes. They count as new changes, not as drift. */
function followed(record: ExternalRecord, providerID: string): ExternalRecord {
  const { appliedGeneration: _, ...other } = record
  return record.providerID === undefined || record.providerID === providerID ? record : other
}

function stepWhenAvailable(
  input: CreationInput,
  record: ExternalRecord,
  changes: readonly ExternalChange[],
): CreationStep {
  const { token, wish, done, futileUpdates } = input
  const name = quoted(externalNameOf(input))
  if (changes.length === 0) {
    const standing: ExternalState = {
      state: 'available',
      reason: 'AsDesired',
      message: `${name} is as desired`,
      end: 'settled',
    }
    return rest({ ...record, appliedGeneration: token.generation }, standing)
  }
  const drift = isNewGeneration({ ...input, record }) ? [] : changes.filter(({ isWished }) => isWished !== true)
  const due = wish.driftPolicy === 'Report' ? changes.filter((change) => !drift.includes(change)) : changes
  if (due.length === 0) {
    const message = `${name} differs, and is left so: ${described(drift)}`
    return rest(record, { state: 'available', reason: 'Drifted', message, end: 'settled' }, drift)
  }
  if (done !== 'updated') {
    return { kind: 'update', record, changes: due, drift: drift.filter((change) => due.includes(change)) }
  }
  const what = described(due)
  if (futileUpdates < mostFutileUpdates) {
    const message = `${name} has been changed, and does not show it yet: ${what}`
    return rest(record, { state: 'pending', reason: 'ChangesPending', message, end: 'waiting' })
  }
  const message = `${name} has been changed ${futileUpdates} times, and still differs: ${what}`
  return rest(record, { state: 'failed', reason: 'ChangesDoNotHold', message, end: 'retry' })
}

/** Only a creation has a time limit; a resource that existed and is busy may take any time. */
function pending(input: CreationInput, detail: string): ExternalState {
  const { record, consistency, nowMs } = input
  const name = externalNameOf(input)
  const isCreation = record?.phase === 'Pending'
  const isLate = isCreation && nowMs - Date.parse(record.requestedAt) > consistency.createTimeoutMs
  return isLate ? provisionTimeout(name, detail, consistency.createTimeoutMs) : provisioning(name, detail)
}

/** True if the spec has changed since the last complete update. */
function isNewGeneration({ record, token }: CreationInput): boolean {
  return record?.appliedGeneration !== token.generation
}

/** Returns the external name; a stored one never changes. */
export function externalNameOf({ record, wish }: Pick<CreationInput, 'record' | 'wish'>): string {
  return record?.externalName ?? wish.externalName
}

/** Also recreates: under the same name, and without data of the earlier journal entry. */
function creation(input: CreationInput): CreationStep {
  return { kind: 'create', record: intent(input) }
}

function adoption(input: CreationInput, { providerID }: There): CreationStep {
  return { kind: 'adopt', record: { ...intent(input), providerID } }
}

function intent(input: CreationInput): ExternalRecord {
  const { name, token, nowMs } = input
  return { name, phase: 'Pending', externalName: externalNameOf(input), token, requestedAt: timestampAt(nowMs) }
}

function rest(
  record: ExternalRecord | undefined,
  standing: ExternalState,
  drift: readonly ExternalChange[] = [],
): CreationStep {
  return { kind: 'rest', record, standing, drift }
}
