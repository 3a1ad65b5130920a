// Runner of a migration: reads the applied markers, decides the next action and performs it, until none is left.
// Invariant: after the loss of a session it reads everything again from the database, as a new process does. So a lost
// connection, a crash and a paused worker are one case.
import { type Clock, CodedError, sleep } from '../../index.ts'
import type { MigrationStep } from '../engines/migration-step.ts'
import type {
  MigrationClaim,
  MigrationTarget,
  StepAttempt,
  StepFailure,
  StepMark,
} from '../engines/migration-target.ts'
import { StepError } from '../engines/step-error.ts'
import type { Finding, TextPlace } from '../engines/step-review.ts'
import type { MigrationEvent, MigrationOutcome } from './migration-outcome.ts'
import {
  type Decision,
  decide,
  type End,
  isEnd,
  keptSteps,
  type MigrationOrder,
  rehearsable,
} from './migration-plan.ts'

export interface MigrationRun {
  readonly order: MigrationOrder
  /** Findings on all steps. For applied steps only those on verifications matter: only these run again. */
  readonly findings: readonly Finding[]
  /** Runs steps in a transaction that is rolled back, before the first of them runs. */
  readonly isRehearsed: boolean
  /** Only removes replications of earlier steps, and starts no step. */
  readonly isParting: boolean
  /** Opens a session. Each try of the run uses a new one. */
  readonly take: (signal: AbortSignal) => Promise<MigrationClaim>
  readonly clock: Clock
  readonly patience: Patience
  readonly onNews: (news: MigrationEvent) => void
}

export interface Patience {
  /** Maximum wait for the lock. */
  readonly lockWaitMs: number
  readonly lockPollMs: number
  /** First wait after a lost session or a contention. Each further wait is twice as long, up to 30 s. */
  readonly firstRetryMs: number
  /** Maximum number of consecutive sessions without progress. */
  readonly maxLosses: number
}

/** Resolves with the outcome. Rejects with a permanent error, or with the last error of an unreachable database. */
export async function runMigration(run: MigrationRun, signal: AbortSignal): Promise<MigrationOutcome> {
  return new Run(run, signal).untilItEnds()
}

const maxRetryMs = 30_000

class Run {
  readonly #run: MigrationRun
  readonly #signal: AbortSignal
  /** Failure that is not recorded yet, because it ended the session too. */
  #unwritten: Unwritten | undefined
  #losses = 0
  /** Number of consecutive contentions before a step's start. */
  #contended = 0
  #hasRehearsed = false

  constructor(run: MigrationRun, signal: AbortSignal) {
    this.#run = run
    this.#signal = signal
  }

  async untilItEnds(): Promise<MigrationOutcome> {
    for (;;) {
      try {
        return await this.#life()
      } catch (error) {
        const { maxLosses, firstRetryMs } = this.#run.patience
        this.#losses += 1
        if (this.#signal.aborted || !mayPass(error) || this.#losses > maxLosses) throw error
        this.#run.onNews({ kind: 'lost', message: error.message })
        await this.#wait(firstRetryMs * 2 ** (this.#losses - 1))
      }
    }
  }

  async #life(): Promise<MigrationOutcome> {
    const taken = await this.#take()
    if (taken.kind === 'lockedByOther') return { kind: 'LockedByOther', holder: taken.holder }
    try {
      return await this.#work(taken.target)
    } finally {
      await taken.target.close()
    }
  }

  async #take(): Promise<MigrationClaim> {
    const { take, clock, patience } = this.#run
    const until = clock.monotonicMs() + patience.lockWaitMs
    for (;;) {
      const taken = await take(this.#signal)
      if (taken.kind === 'held' || clock.monotonicMs() >= until) return taken
      await this.#wait(patience.lockPollMs)
    }
  }

  async #work(target: MigrationTarget): Promise<MigrationOutcome> {
    await this.#writeFailure(target)
    const { order, findings, isParting } = this.#run
    if (isParting) return { kind: 'Parted', left: await target.part() }
    await this.#forsake(target)
    const verified = new Map<string, boolean>()
    for (;;) {
      const marks = await target.marks()
      const decision = decide(order, { marks, verified })
      if (isEnd(decision)) return outcomeOf(decision)
      const open = findings.filter(({ place }) => isInTheWay(place, decision, marks))
      if (open.length > 0) return { kind: 'Invalid', findings: open }
      if (decision.kind === 'verify') {
        const failure = await this.#verify(target, decision, verified)
        if (failure !== undefined) return { kind: 'Failed', reason: 'VerifyFailed', step: decision.step.name, failure }
        continue
      }
      const rehearsal = decision.kind === 'run' ? await this.#rehearse(target, decision.attempt.step) : undefined
      if (rehearsal !== undefined) return { kind: 'RehearsalFailed', ...rehearsal }
      if (decision.kind === 'undo') {
        await this.#undo(target, decision.step)
        verified.clear()
      } else if (await this.#advance(target, decision)) verified.set(decision.attempt.step.name, true)
      this.#losses = 0
    }
  }

  /** Removes replications of changed and failed steps. */
  async #forsake(target: MigrationTarget): Promise<void> {
    const { order, onNews } = this.#run
    for (const message of await target.forsake(keptSteps(order.steps, await target.marks())))
      onNews({ kind: 'lost', message: `${message}; drop them there by hand` })
  }

  /** Rehearses once per run, from the first step that runs, and not again before later steps. */
  async #rehearse(target: MigrationTarget, next: MigrationStep): ReturnType<MigrationTarget['rehearse']> {
    const { isRehearsed, order } = this.#run
    if (!isRehearsed || this.#hasRehearsed) return undefined
    const failed = await target.rehearse(rehearsable(order.steps, next))
    this.#hasRehearsed = true
    return failed
  }

  /** Returns the failure of the query itself, if it cannot run. Such a failure says nothing about the step. */
  async #verify(
    target: MigrationTarget,
    { step, inDoubt }: Extract<Decision, { kind: 'verify' }>,
    verified: Map<string, boolean>,
  ): Promise<StepFailure | undefined> {
    try {
      if (inDoubt !== undefined) await target.clean(step)
      verified.set(step.name, step.verify === undefined || (await target.holds(step.verify, step)))
      return undefined
    } catch (error) {
      if (!(error instanceof StepError)) throw error
      if (error.code === 'StepFailed') return error.failure
      if (error.code === 'LeaseLost' || inDoubt === undefined) throw error
      await this.#giveWay(target, error, { attempt: inDoubt, isBegun: false })
      return undefined
    }
  }

  /** Returns whether the step was applied. If not, the markers have the reason. */
  async #advance(target: MigrationTarget, decision: Extract<Decision, { kind: 'run' | 'adopt' }>): Promise<boolean> {
    const { attempt } = decision
    const { onNews } = this.#run
    const { name: step } = attempt.step
    let isBegun = false
    try {
      if (decision.kind === 'adopt') await target.adopt(attempt, decision.as)
      else {
        onNews({ kind: 'begun', step })
        await target.begin(attempt)
        isBegun = true
        await this.#apply(target, attempt)
      }
      this.#contended = 0
      onNews({ kind: decision.kind === 'adopt' ? 'adopted' : 'applied', step })
      return true
    } catch (error) {
      if (!(error instanceof StepError) || error.code === 'LeaseLost') throw error
      if (error.code === 'StepContended') await this.#giveWay(target, error, { attempt, isBegun })
      else await this.#fail(target, { attempt, failure: error.failure })
      return false
    }
  }

  /** Waits for another try, or records the failure after the last one. */
  async #giveWay(target: MigrationTarget, { failure }: StepError, contention: Contention): Promise<void> {
    const { order, patience } = this.#run
    const attempts = await this.#attempts(target, contention)
    if (attempts < order.maxAttempts) return this.#wait(patience.firstRetryMs * 2 ** (attempts - 1))
    await this.#fail(target, { attempt: contention.attempt, failure })
  }

  /** Counts contentions before the start, which no marker counts. Progress of a copy resets the marker's count. */
  async #attempts(target: MigrationTarget, { attempt, isBegun }: Contention): Promise<number> {
    this.#contended = isBegun ? 0 : this.#contended + 1
    if (!isBegun) return this.#contended
    return (await target.marks()).find(({ name }) => name === attempt.step.name)?.attempts ?? attempt.attempt
  }

  async #fail(target: MigrationTarget, unwritten: Unwritten): Promise<void> {
    this.#contended = 0
    this.#unwritten = unwritten
    await this.#writeFailure(target)
  }

  async #apply(target: MigrationTarget, attempt: StepAttempt): Promise<void> {
    const { onNews } = this.#run
    const { step } = attempt
    switch (step.kind) {
      case 'SQL':
        return target.applySql({ ...attempt, step })
      case 'Copy':
        return target.applyCopy({ ...attempt, step }, (progress) => onNews({ kind: 'copied', ...progress }))
      case 'Assert':
        if (await target.holds(step.verify, step)) return target.adopt(attempt, 'Applied')
        throw new StepError('StepFailed', { sqlState: undefined, message: 'the assertion does not hold' })
    }
  }

  async #writeFailure(target: MigrationTarget): Promise<void> {
    if (this.#unwritten === undefined) return
    const { attempt, failure } = this.#unwritten
    await target.fail(attempt, failure)
    this.#unwritten = undefined
    this.#run.onNews({ kind: 'failed', step: attempt.step.name, failure })
    await this.#forsake(target)
  }

  async #undo(target: MigrationTarget, step: MigrationStep): Promise<void> {
    const { onNews, order, patience } = this.#run
    for (let attempt = 1; ; attempt += 1) {
      try {
        await target.undo(step)
        return onNews({ kind: 'undone', step: step.name })
      } catch (error) {
        if (!(error instanceof StepError) || error.code === 'LeaseLost') throw error
        if (error.code === 'StepFailed' || attempt >= order.maxAttempts) {
          await target.failUndo(step, error.failure, order.retryToken)
          return onNews({ kind: 'failed', step: step.name, failure: error.failure })
        }
        await this.#wait(patience.firstRetryMs * 2 ** (attempt - 1))
      }
    }
  }

  async #wait(delayMs: number): Promise<void> {
    await sleep(this.#run.clock, Math.min(maxRetryMs, delayMs), this.#signal)
  }
}

interface Unwritten {
  readonly attempt: StepAttempt
  readonly failure: StepFailure
}

interface Contention {
  readonly attempt: StepAttempt
  readonly isBegun: boolean
}

type Act = Exclude<Decision, End>

function outcomeOf(end: End): MigrationOutcome {
  switch (end.kind) {
    case 'done':
      return { kind: 'Completed' }
    case 'awaitApproval':
      return { kind: 'AwaitingApproval', plan: end.plan }
    case 'refuse':
      return { kind: 'Refused', reason: end.reason, step: end.step, message: end.message }
    case 'failed':
      return { kind: 'Failed', step: end.step, failure: end.failure }
  }
}

/** Returns whether the decision sends this text to the server. An applied step sends only its verification. */
function isInTheWay({ step, part }: TextPlace, decision: Act, marks: readonly StepMark[]): boolean {
  if (decision.kind === 'undo') return false
  if (decision.kind === 'verify') return part === 'verify' && step === decision.step.name
  const isAsked = part === 'verify' && decision.attempt.earlier.some(({ name }) => name === step)
  return isAsked || !isDone(step, marks)
}

function isDone(step: string, marks: readonly StepMark[]): boolean {
  return marks.some(({ name, state }) => name === step && (state === 'Applied' || state === 'Adopted'))
}

/** Returns whether another try can help: yes for lost sessions and leases, no for permanent rejections. */
function mayPass(error: unknown): error is CodedError {
  return error instanceof CodedError && error.remedy === 'retry'
}
