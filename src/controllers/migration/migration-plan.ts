// Next action of a migration, decided only from the desired steps and the applied markers in the database. Another
// process therefore continues where the last one ended. Invariant: an applied step never runs again. Pure.
import type { MigrationStep, SqlStep } from '../engines/migration-step.ts'
import type { StepAttempt, StepFailure, StepMark } from '../engines/migration-target.ts'
import { planHash, stepChecksum } from './step-digest.ts'

export interface MigrationOrder {
  readonly steps: readonly MigrationStep[]
  readonly onFailure: 'Stop' | 'RunDown'
  /** Adopts SQL steps whose verification holds, as long as no step can have changed the database. */
  readonly adoptsBaseline: boolean
  /** A new value allows another try of failed steps. */
  readonly retryToken: string
  /** Maximum number of attempts of one step. */
  readonly maxAttempts: number
  readonly approval: { readonly kind: 'Auto' } | { readonly kind: 'Manual'; readonly approvedPlan: string | undefined }
}

export interface Truth {
  readonly marks: readonly StepMark[]
  /** Results of verification queries in this pass, by step name. */
  readonly verified: ReadonlyMap<string, boolean>
}

export type Decision =
  | { readonly kind: 'done' }
  /** Runs the verification query, then decides again. `inDoubt`: an earlier attempt may have left partial effects. */
  | { readonly kind: 'verify'; readonly step: MigrationStep; readonly inDoubt?: StepAttempt }
  | { readonly kind: 'run'; readonly attempt: StepAttempt }
  /** The step is done, by an attempt of this plan or by an unknown actor. Only the marker is missing. */
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
  // A half-done step may be the reason that an earlier verification fails, for good. So it completes first.
  const absent = next !== undefined && mayHaveActed(pass, next) ? undefined : firstAbsent(pass)
  if (absent !== undefined) return absent
  if (next === undefined) return { kind: 'done' }
  const { approval } = order
  if (approval.kind === 'Manual' && approval.approvedPlan !== pass.plan)
    return { kind: 'awaitApproval', plan: pass.plan }
  return advance(pass, next)
}

/** Decision that ends a run: no step starts, and none is rolled back. */
export type End = Extract<Decision, { kind: 'done' | 'awaitApproval' | 'refuse' | 'failed' }>

export function isEnd(decision: Decision): decision is End {
  return ['done', 'awaitApproval', 'refuse', 'failed'].includes(decision.kind)
}

/** Returns the steps that may continue an existing replication: all but failed ones, with their present checksums. */
export function keptSteps(
  steps: readonly MigrationStep[],
  marks: readonly StepMark[],
): readonly { readonly name: string; readonly checksum: string }[] {
  const open = steps.filter(({ name }) => !marks.some((mark) => mark.name === name && mark.state === 'Failed'))
  return open.map((step) => ({ name: step.name, checksum: stepChecksum(step) }))
}

/** Returns the steps that one transaction can rehearse: from `from` to the first step that is no transactional SQL. */
export function rehearsable(steps: readonly MigrationStep[], from: MigrationStep): readonly SqlStep[] {
  const open = steps.slice(steps.indexOf(from))
  const end = open.findIndex((step) => step.kind !== 'SQL' || !step.isTransactional)
  return open.slice(0, end === -1 ? undefined : end).filter((step) => step.kind === 'SQL')
}

/** Input of a decision. */
interface Pass {
  readonly order: MigrationOrder
  readonly plan: string
  readonly known: ReadonlyMap<string, StepMark>
  readonly verified: Truth['verified']
}

function isApplied({ state }: StepMark): boolean {
  // A step whose rollback failed is still in effect.
  return state === 'Applied' || state === 'Adopted' || state === 'UndoFailed'
}

/** Rejects steps unless all applied steps come first, unchanged and in their order. */
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

/** Returns the failure that ends the run. It also blocks earlier steps, which a rollback reopens. */
function finalFailure(pass: Pass): Failed | undefined {
  for (const step of pass.order.steps) {
    const mark = pass.known.get(step.name)
    const isFinal = mark !== undefined && isSameTry(mark, pass) && !isOvercome(mark, pass)
    const failure = isFinal ? failureOf(mark, step, pass.order) : undefined
    if (failure !== undefined) return { kind: 'failed', step: step.name, failure }
  }
  return undefined
}

/** A failed rollback is no failure any more once a later step is applied, even if an old token returns. */
function isOvercome({ state, ordinal }: StepMark, { known }: Pass): boolean {
  return state === 'UndoFailed' && [...known.values()].some((mark) => isApplied(mark) && mark.ordinal > ordinal)
}

function failureOf(
  { state, failure, attempts }: StepMark,
  step: MigrationStep,
  { maxAttempts }: MigrationOrder,
): StepFailure | undefined {
  if (state === 'Failed' || state === 'UndoFailed') return failure ?? unknownFailure
  // Replication continues without a worker, so interruptions of its workers do not count.
  const isUnending = step.kind === 'Copy' && step.mode === 'Logical'
  if (state !== 'Running' || attempts < maxAttempts || isUnending) return undefined
  return { sqlState: undefined, message: `interrupted ${attempts} times, and not tried again` }
}

const unknownFailure: StepFailure = { sqlState: undefined, message: 'failed for a reason that was not written down' }

/** Changed steps and a new token each start another try. */
function isSameTry(mark: StepMark, { plan, order }: Pass): boolean {
  return mark.plan === plan && mark.token === order.retryToken
}

/** Rolls back the steps that this plan applied, in reverse order. Steps of earlier plans stay. */
function wayBack({ order, plan }: Pass, applied: readonly StepMark[], failure: Failed): Decision {
  const last = applied.toSorted((left, right) => right.ordinal - left.ordinal)[0]
  const step = order.steps.find(({ name }) => name === last?.name)
  if (last === undefined || step === undefined || last.plan !== plan || last.state === 'Adopted') return failure
  if (last.state === 'UndoFailed' && last.token === order.retryToken) return failure
  if (step.kind === 'Assert' || step.down !== undefined) return { kind: 'undo', step }
  const message = `${failure.failure.message}; step ${step.name} has no way back, so what was applied up to it stays`
  return { ...failure, failure: { ...failure.failure, message } }
}

/** Finds a step that is recorded as applied, and whose verification query is unanswered or fails. */
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

/**
 * Returns the applied steps whose verification must still hold. Assertions hold only when they are reached, and
 * superseded steps need not hold.
 */
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
  // The run itself checks assertions. Copies compare rows, because a query can hold over a part of the rows.
  if (next.kind !== 'SQL' || next.verify === undefined) return { kind: 'run', attempt }
  const mark = known.get(next.name)
  // An attempt outside a transaction may have completed unnoticed, or before it failed. Only for this text of the step.
  const isInDoubt = mayHaveActed(pass, next) && mark?.checksum === attempt.checksum
  if (!isInDoubt && !isBaseline(pass)) return { kind: 'run', attempt }
  const holds = verified.get(next.name)
  if (holds === undefined) return { kind: 'verify', step: next, ...(isInDoubt ? { inDoubt: attempt } : {}) }
  if (!holds) return { kind: 'run', attempt }
  // No attempt has acted, so none can have superseded an earlier step.
  if (!isInDoubt) return { kind: 'adopt', attempt: { ...attempt, earlier: [] }, as: 'Adopted' }
  // A failed attempt may have found objects of another actor, which a changed query accepts. A rollback must keep them.
  const isOurs = mark?.state === 'Running' && mark.plan === plan
  return { kind: 'adopt', attempt, as: isOurs ? 'Applied' : 'Adopted' }
}

/** Returns whether all effects existed before: steps are adopted only, and failed ones are rolled back. */
function isBaseline({ order, known }: Pass): boolean {
  return (
    order.adoptsBaseline && [...known.values()].every((mark) => mark.state === 'Adopted' || isTakenBack(mark, order))
  )
}

/** Returns whether the database rolled the attempt back. Unknown, so false, for a text that is no step any more. */
function isTakenBack({ name, state, checksum }: StepMark, { steps }: MigrationOrder): boolean {
  if (state !== 'Failed' && state !== 'Running') return false
  const step = steps.find((candidate) => candidate.name === name)
  return step?.kind === 'SQL' && step.isTransactional && stepChecksum(step) === checksum
}

/** Outside a transaction, neither an interruption nor a failure rolls effects back. */
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
