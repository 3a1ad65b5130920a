// What is the next step towards a thing outside that should be there? One decision from what is recorded, seen and wished to a
// step; the provisioner carries it out and asks again. Nothing is made before its record is stored (I3), what is not known is
// never taken for absent, and what was there and is not is reported before it is made anew.
//
//   no record ──create──▶ Pending ──seen, ours──▶ Available ──not seen──▶ vanished, or ──create──▶ Pending
//                          │  ▲                      │  ▲
//                          └──┘ not created:         └──┘ differs: update
//                               create again
import { unreachable } from '../base/assert.ts'
import { timestampAt } from '../base/clock.ts'
import type { Consistency, ExternalChange, ExternalRecord, ExternalWish, Observation, Token } from './external.ts'
import { isAskedForLately, type Ownership, ownershipOf } from './ownership.ts'
import {
  beingDeleted,
  described,
  lostFromSight,
  markMissing,
  notOwned,
  notYetVisible,
  provisioning,
  provisionTimeout,
  quoted,
  replaced,
  type Standing,
  vanished,
} from './standing.ts'

export type Wanted<Desired = unknown> = Extract<ExternalWish<Desired>, { kind: 'wanted' }>

export interface CreationInput {
  /** The External's. */
  readonly name: string
  readonly wish: Omit<Wanted, 'kind' | 'desired'>
  /** The resource, and its generation now. */
  readonly token: Token
  readonly record: ExternalRecord | undefined
  readonly observation: Observation<unknown>
  /** What differs from what is desired, where it can be seen. */
  readonly changes: readonly ExternalChange[]
  readonly consistency: Consistency
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
  /** For how long looks in a row have not shown it, since the last that did or the last creation; 0 at the first of them. */
  readonly missingForMs: number
  /** What this pass has done last. `nameTaken`: it tried to create, and was told that the name is taken. */
  readonly done: 'nothing' | 'created' | 'nameTaken' | 'updated'
  /** How many updates in a row, this pass included, were made for these very differences. */
  readonly futileUpdates: number
}

export type CreationStep =
  /** Store the record under its lock, create, look again. */
  | { readonly kind: 'create'; readonly record: ExternalRecord }
  /** Store the record under its lock, decide again: what is there is ours from now on. */
  | { readonly kind: 'adopt'; readonly record: ExternalRecord }
  /** Change it, look again. `drift`: what of it was as desired before, and somebody else changed it. */
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
      readonly standing: Standing
      /** What differs and is left. */
      readonly drift: readonly ExternalChange[]
    }

/** After so many updates in a row that change nothing we say so, and take our time. */
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
    // It has been seen. One look that does not show it proves nothing where looks may lag behind.
    if (proof === 'hint' && missingForMs < visibilityDelayMs) return rest(record, lostFromSight(name))
    const isExpected = record.phase === 'Deleting' || wish.recreatesIfMissing === true
    return isExpected ? creation(input) : rest(record, vanished(name, record.providerID))
  }
  if (done === 'nameTaken') {
    const message = `${quoted(name)} cannot be created, as the name is taken; what has it cannot be seen`
    return rest(record, { state: 'failed', reason: 'AlreadyExists', message, end: 'retry' })
  }
  if (proof === 'hint' && isAskedForLately({ ...input, visibilityDelayMs })) return rest(record, notYetVisible(name))
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
      // What was taken from us, or replaced, is taken over only if that was asked for since: two who adopt must not fight.
      if (wish.adopts === true && isNewGeneration(input)) return stepWhenAdopted(input, there)
      const was = record?.providerID
      const isReplaced = ownership === 'replaced' && was !== undefined
      return rest(record, isReplaced ? replaced(name, { was, is: providerID }) : notOwned(name, owner))
    }
    default:
      return unreachable(ownership)
  }
}

/** First it is recorded, then it is marked. */
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

/** What we ourselves have put in its place may lack what was carried out there: that is to be carried out here, and no drift. */
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
    const standing: Standing = {
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

/** Only a creation has a limit: what was there once and is busy is left its time. */
function pending(input: CreationInput, detail: string): Standing {
  const { record, consistency, nowMs } = input
  const name = externalNameOf(input)
  const isCreation = record?.phase === 'Pending'
  const isLate = isCreation && nowMs - Date.parse(record.requestedAt) > consistency.createTimeoutMs
  return isLate ? provisionTimeout(name, detail, consistency.createTimeoutMs) : provisioning(name, detail)
}

/** Has the spec changed since all of it was last carried out? */
function isNewGeneration({ record, token }: CreationInput): boolean {
  return record?.appliedGeneration !== token.generation
}

/** The name that it has; one that was recorded is never changed. */
export function externalNameOf({ record, wish }: Pick<CreationInput, 'record' | 'wish'>): string {
  return record?.externalName ?? wish.externalName
}

/** Also of one that is made again: under the same name, and with no memory of the one before. */
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
  standing: Standing,
  drift: readonly ExternalChange[] = [],
): CreationStep {
  return { kind: 'rest', record, standing, drift }
}
