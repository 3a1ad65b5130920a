// What is to be done next? Decided from the steps as they are wished and the marks in the database, and from nothing that this process
// remembers, so that every life goes on where the one before ended. Nothing that was applied is ever run again.
import type { MigrationStep, SqlStep } from '../engines/migration-step.ts'
import type { StepAttempt, StepFailure, StepMark } from '../engines/migration-target.ts'
import { planHash, stepChecksum } from './step-digest.ts'

export interface MigrationOrder {
  readonly steps: readonly MigrationStep[]
  readonly onFailure: 'Stop' | 'RunDown'
  /** Until a step may have changed anything, those of SQL whose verification holds are taken as done. */
  readonly adoptsBaseline: boolean
  /** Another one lets what failed be tried again. */
  readonly retryToken: string
  /** Of one step: how often it may be interrupted. */
  readonly maxAttempts: number
  readonly approval: { readonly kind: 'Auto' } | { readonly kind: 'Manual'; readonly approvedPlan: string | undefined }
}

export interface Truth {
  readonly marks: readonly StepMark[]
  /** What queries said in this pass, by the name of the step. */
  readonly verified: ReadonlyMap<string, boolean>
}

export type Decision =
  | { readonly kind: 'done' }
  /** Ask its query, then decide again. In doubt, an earlier attempt may have left something that looks like the real thing. */
  | { readonly kind: 'verify'; readonly step: MigrationStep; readonly inDoubt?: StepAttempt }
  | { readonly kind: 'run'; readonly attempt: StepAttempt }
  /** It is done, by an attempt of this plan or by nobody knows whom; only the mark is missing. */
  | { readonly kind: 'adopt'; readonly attempt: StepAttempt; readonly as: 'Applied' | 'Adopted' }
  | { readonly kind: 'undo'; readonly step: MigrationStep }
  | { readonly kind: 'awaitApproval'; readonly plan: string }
  | { readonly kind: 'refuse'; readonly reason: RejectionReason; readonly step: string; readonly message: string }
  | { readonly kind: 'failed'; readonly step: string; readonly failure: StepFailure }

export type RejectionReason = 'ChecksumChanged' | 'OrderChanged' | 'RecordedButAbsent'

export function decide(order: MigrationOrder, { marks, verified }: Truth): Decision {
  const applied = marks.filter(isApplied)
  const pass: Pass = {
    order,
    plan: planHash(order.steps),
    known: new Map(marks.map((mark) => [mark.name, mark])),
    verified,
  }
  const history = historyRejection(order.steps, applied)
  if (history !== undefined) return history
  const failure = finalFailure(pass)
  if (failure !== undefined) return order.onFailure === 'Stop' ? failure : wayBack(pass, applied, failure)
  const next = order.steps[applied.length]
  // What is half done may be what ends the word of an earlier one, which would never be asked with success again: the end comes first.
  const absent = next !== undefined && mayHaveActed(pass, next) ? undefined : firstAbsent(pass)
  if (absent !== undefined) return absent
  if (next === undefined) return { kind: 'done' }
  const { approval } = order
  if (approval.kind === 'Manual' && approval.approvedPlan !== pass.plan)
    return { kind: 'awaitApproval', plan: pass.plan }
  return advance(pass, next)
}

/** No step is begun, or taken back. */
export type End = Extract<Decision, { kind: 'done' | 'awaitApproval' | 'refuse' | 'failed' }>

export function isEnd(decision: Decision): decision is End {
  return ['done', 'awaitApproval', 'refuse', 'failed'].includes(decision.kind)
}

/** With these a replication that was begun is gone on with: not with what is another step now, and not with what failed. */
export function keptSteps(
  steps: readonly MigrationStep[],
  marks: readonly StepMark[],
): readonly { readonly name: string; readonly checksum: string }[] {
  const open = steps.filter(({ name }) => !marks.some((mark) => mark.name === name && mark.state === 'Failed'))
  return open.map((step) => ({ name: step.name, checksum: stepChecksum(step) }))
}

/** What can be tried in one transaction: the steps from this one on, up to the first that is no such SQL. */
export function rehearsable(steps: readonly MigrationStep[], from: MigrationStep): readonly SqlStep[] {
  const open = steps.slice(steps.indexOf(from))
  const end = open.findIndex((step) => step.kind !== 'SQL' || !step.isTransactional)
  return open.slice(0, end === -1 ? undefined : end).filter((step) => step.kind === 'SQL')
}

/** What a decision is made from. */
interface Pass {
  readonly order: MigrationOrder
  readonly plan: string
  readonly known: ReadonlyMap<string, StepMark>
  readonly verified: Truth['verified']
}

function isApplied({ state }: StepMark): boolean {
  // A step whose way back failed is still there.
  return state === 'Applied' || state === 'Adopted' || state === 'UndoFailed'
}

/** What was applied has to be the beginning of the steps, as it was and in its order. */
function historyRejection(steps: readonly MigrationStep[], applied: readonly StepMark[]): Decision | undefined {
  const refuse = (reason: RejectionReason, step: string, message: string) =>
    ({ kind: 'refuse', reason, step, message }) as const
  const marks = new Map(applied.map((mark) => [mark.name, mark]))
  for (const { name, checksum } of applied) {
    const step = steps.find((candidate) => candidate.name === name)
    if (step === undefined) return refuse('OrderChanged', name, `step ${name} was applied and is no step any more`)
    if (stepChecksum(step) !== checksum) {
      return refuse('ChecksumChanged', name, `step ${name} was applied and reads otherwise now; add a step instead`)
    }
  }
  const inOrder = applied.toSorted((left, right) => left.ordinal - right.ordinal)
  for (const [at, { name }] of inOrder.entries()) {
    const here = steps[at]
    if (here === undefined || here.name === name) continue
    const message = marks.has(here.name)
      ? `steps ${name} and ${here.name} were applied in the other order`
      : `step ${here.name} stands before ${name}, which was applied without it; add steps at the end`
    return refuse('OrderChanged', here.name, message)
  }
  return undefined
}

type Failed = Extract<Decision, { kind: 'failed' }>

/** On the way back, steps before the one that failed are open again: not even they are run. */
function finalFailure(pass: Pass): Failed | undefined {
  for (const step of pass.order.steps) {
    const mark = pass.known.get(step.name)
    const isFinal = mark !== undefined && isSameTry(mark, pass) && !isOvercome(mark, pass)
    const failure = isFinal ? failureOf(mark, step, pass.order) : undefined
    if (failure !== undefined) return { kind: 'failed', step: step.name, failure }
  }
  return undefined
}

/** Steps that were applied after a way back had failed were wanted: it is no failure any more, whatever token comes again. */
function isOvercome({ state, ordinal }: StepMark, { known }: Pass): boolean {
  return state === 'UndoFailed' && [...known.values()].some((mark) => isApplied(mark) && mark.ordinal > ordinal)
}

function failureOf(
  { state, failure, attempts }: StepMark,
  step: MigrationStep,
  { maxAttempts }: MigrationOrder,
): StepFailure | undefined {
  if (state === 'Failed' || state === 'UndoFailed') return failure ?? unknownFailure
  // What servers do by themselves goes on while no worker is at it, and is removed by one that gets to it.
  const isUnending = step.kind === 'Copy' && step.mode === 'Logical'
  if (state !== 'Running' || attempts < maxAttempts || isUnending) return undefined
  return { sqlState: undefined, message: `interrupted ${attempts} times, and not tried again` }
}

const unknownFailure: StepFailure = { sqlState: undefined, message: 'failed for a reason that was not written down' }

/** Whoever changes anything about the steps wants another try, and whoever says so. */
function isSameTry(mark: StepMark, { plan, order }: Pass): boolean {
  return mark.plan === plan && mark.token === order.retryToken
}

/** Backwards over what this very plan applied: what earlier ones did was wanted and stays. */
function wayBack({ order, plan }: Pass, applied: readonly StepMark[], failure: Failed): Decision {
  const last = applied.toSorted((left, right) => right.ordinal - left.ordinal)[0]
  const step = order.steps.find(({ name }) => name === last?.name)
  if (last === undefined || step === undefined || last.plan !== plan || last.state === 'Adopted') return failure
  if (last.state === 'UndoFailed' && last.token === order.retryToken) return failure
  if (step.kind === 'Assert' || step.down !== undefined) return { kind: 'undo', step }
  const message = `${failure.failure.message}; step ${step.name} has no way back, so what was applied up to it stays`
  return { ...failure, failure: { ...failure.failure, message } }
}

/** The database says that a step was applied, and the step's own query says that it was not. */
function firstAbsent(pass: Pass): Decision | undefined {
  for (const step of heldToTheirWord(pass)) {
    const holds = pass.verified.get(step.name)
    if (holds === undefined) return { kind: 'verify', step }
    if (holds) continue
    const message = `step ${step.name} is recorded as applied, and its verification does not hold any more`
    return { kind: 'refuse', reason: 'RecordedButAbsent', step: step.name, message }
  }
  return undefined
}

/** An assertion is about the moment it is reached at; a step that another has overtaken need not hold. */
function heldToTheirWord({ order, known }: Pass): readonly MigrationStep[] {
  return order.steps.filter(({ kind, name, verify }) => {
    const mark = known.get(name)
    return (
      kind !== 'Assert' &&
      verify !== undefined &&
      mark !== undefined &&
      isApplied(mark) &&
      mark.supersededBy === undefined
    )
  })
}

function advance(pass: Pass, next: MigrationStep): Decision {
  const { plan, known, verified } = pass
  const attempt = attemptAt(pass, next)
  // An assertion is asked when it is reached; rows are compared, and a query that holds over a part of them says nothing.
  if (next.kind !== 'SQL' || next.verify === undefined) return { kind: 'run', attempt }
  const mark = known.get(next.name)
  // An attempt outside a transaction may have come to its end without anybody hearing of it, or before it failed. Only one of this text.
  const isInDoubt = mayHaveActed(pass, next) && mark?.checksum === attempt.checksum
  if (!isInDoubt && !isBaseline(pass)) return { kind: 'run', attempt }
  const holds = verified.get(next.name)
  if (holds === undefined) return { kind: 'verify', step: next, ...(isInDoubt ? { inDoubt: attempt } : {}) }
  if (!holds) return { kind: 'run', attempt }
  // Nobody has acted, so nobody can have ended the word of an earlier one.
  if (!isInDoubt) return { kind: 'adopt', attempt: { ...attempt, earlier: [] }, as: 'Adopted' }
  // What failed may have failed over what was there, and who asks otherwise now may find that: the way back leaves it.
  const isOurs = mark?.state === 'Running' && mark.plan === plan
  return { kind: 'adopt', attempt, as: isOurs ? 'Applied' : 'Adopted' }
}

/** Nothing but what was found is there: steps that failed over it have left nothing. */
function isBaseline({ order, known }: Pass): boolean {
  return (
    order.adoptsBaseline && [...known.values()].every((mark) => mark.state === 'Adopted' || isTakenBack(mark, order))
  )
}

/** By the database. Of a text that is no step any more nobody knows. */
function isTakenBack({ name, state, checksum }: StepMark, { steps }: MigrationOrder): boolean {
  if (state !== 'Failed' && state !== 'Running') return false
  const step = steps.find((candidate) => candidate.name === name)
  return step?.kind === 'SQL' && step.isTransactional && stepChecksum(step) === checksum
}

/** Outside a transaction nothing was taken back, neither by an interruption nor by a failure. */
function mayHaveActed({ known }: Pass, step: MigrationStep): boolean {
  const state = known.get(step.name)?.state
  return step.kind === 'SQL' && !step.isTransactional && (state === 'Running' || state === 'Failed')
}

function attemptAt(pass: Pass, step: MigrationStep): StepAttempt {
  const { order, plan, known } = pass
  const mark = known.get(step.name)
  const goesOn = mark !== undefined && mark.state === 'Running' && isSameTry(mark, pass)
  return {
    step,
    ordinal: order.steps.indexOf(step) + 1,
    checksum: stepChecksum(step),
    plan,
    token: order.retryToken,
    attempt: goesOn ? mark.attempts + 1 : 1,
    // An assertion changes nothing.
    earlier: step.kind === 'Assert' ? [] : heldToTheirWord(pass).flatMap(wordOf),
  }
}

function wordOf({ name, verify }: MigrationStep): StepAttempt['earlier'] {
  return verify === undefined ? [] : [{ name, verify }]
}
