// Runs the steps of a migration on PostgreSQL, so that each takes effect once. A session of the admin holds an advisory
// lock; a session of the run does the work. Invariant: a step and its marker are one transaction, which locks the row
// of the worker's epoch. It cannot commit after another worker has taken over.
import { EngineError } from '../../engine-error.ts'
import type { CopyStep, MigrationStep, SqlStep, VerifyQuery } from '../../migration-step.ts'
import type {
  CopyProgress,
  MigrationClaim,
  MigrationTarget,
  StepAttempt,
  StepFailure,
  StepMark,
} from '../../migration-target.ts'
import { StepError } from '../../step-error.ts'
import type { SqlParser } from '../review/sql-parser.ts'
import { sql } from '../sql-text.ts'
import { runCopy } from './copy-runner.ts'
import type { CopySource } from './copy-source-client.ts'
import { type FollowPlace, followText } from './follow-plan.ts'
import { runFollow } from './follow-runner.ts'
import { type ForsakeOptions, forsakeReplications } from './forsake-runner.ts'
import { claimLease, leaseHolder } from './lease-client.ts'
import { leftoversIn, leftoversOf } from './leftover.ts'
import { cleanLeftovers } from './leftover-runner.ts'
import {
  fence,
  forgetProgress,
  type MarkOptions,
  marksIn,
  readLeftovers,
  readMarks,
  takeLock,
  writeDone,
  writeFailure,
  writeIntent,
  writeSuperseded,
  writeUndoFailure,
  writeUndone,
} from './mark-statements.ts'
import { runLoginName } from './run-login.ts'
import { RunLoginClient, type RunPlace } from './run-login-client.ts'
import { speaksOfAbsence } from './step-failure.ts'
import { type StepLimits, TargetSession } from './target-session-client.ts'

export interface TargetOptions extends Omit<RunPlace, 'applicationName'> {
  /** Permanent key of the markers: `namespace/name`. */
  readonly migration: string
  /** One migration with this lock name runs at a time. */
  readonly lock: string
  /** Name of this worker, for others that find the lock taken. */
  readonly holder: string
  /**
   * Opens the source of a copy by its name in the step. Undefined if it is not known. `role` is the login to create
   * there.
   */
  readonly openSource?: (source: string, role: string, signal: AbortSignal) => Promise<CopySource | undefined>
  readonly parser: SqlParser
  /** Delay between two observations of replicating servers. Default 1 s. */
  readonly pollMs?: number
}

/** Connects, takes the lock if it is free, and creates the marker schema if it is missing. */
export async function takeMigrationTarget(options: TargetOptions, signal: AbortSignal): Promise<MigrationClaim> {
  const { access, database, migration, lock, holder, owner } = options
  const server = `${access.host}:${access.port}`
  const applicationName = `konverge/migration/${migration}`.slice(0, 63)
  const login = await RunLoginClient.open({ ...options, applicationName }, signal)
  try {
    const [taken] = (await login.ask(takeLock(lock))).rows
    const marked = { database, admin: access.username }
    if (taken?.['isTaken'] !== 't') {
      const known = await leaseHolder(login, lock, marked)
      await login.close()
      return { kind: 'lockedByOther', holder: known ?? 'somebody' }
    }
    const epoch = await claimLease(login, { lock, holder }, marked)
    const site = `${taken['server']}/${database}`
    const place = `${site}/${lock}`
    const role = runLoginName(place)
    const session = await login.letIn(role, 'mark')
    const bare = new TargetSession({ session, server, login: role, owner, searchPath: '', signal })
    const searchPath = (await bare.say(ownSearchPath)).rows[0]?.['searchPath'] ?? ''
    const target = new TargetSession({ session, server, login: role, owner, searchPath, signal })
    return { kind: 'held', target: new PostgresMigrationTarget(options, { login, target, site, place, epoch, signal }) }
  } catch (error) {
    await login.close()
    throw error
  }
}

/** Precedes every change of the session's settings. */
const ownSearchPath = sql`SELECT pg_catalog.current_setting('search_path') AS "searchPath"`

interface Held {
  /** Holds the lock. */
  readonly login: RunLoginClient
  readonly target: TargetSession
  /** Identity of the database among all servers. */
  readonly site: string
  /** `site`, and the name of the lock. */
  readonly place: string
  readonly epoch: string
  readonly signal: AbortSignal
}

class PostgresMigrationTarget implements MigrationTarget {
  readonly #options: TargetOptions
  readonly #held: Held
  readonly #session: TargetSession
  readonly #marking: MarkOptions

  constructor(options: TargetOptions, held: Held) {
    this.#options = options
    this.#held = held
    this.#session = held.target
    this.#marking = { migration: options.migration, epoch: held.epoch }
  }

  async marks(): Promise<readonly StepMark[]> {
    return marksIn(await this.#session.ask(readMarks(this.#options.migration)))
  }

  async holds(verify: VerifyQuery, limits: StepLimits): Promise<boolean> {
    await this.#session.fresh()
    try {
      return (await this.#session.transaction(() => this.#session.holds(verify, limits), 'READ ONLY')).holds
    } catch (error) {
      if (error instanceof StepError && speaksOfAbsence(error)) return false
      throw error
    }
  }

  async clean(step: MigrationStep): Promise<void> {
    await this.#session.fresh()
    const [mark] = (await this.#session.ask(readLeftovers(step.name, this.#options.migration))).rows
    await cleanLeftovers(this.#session, leftoversIn(mark?.['leftovers']), step)
  }

  async begin(attempt: StepAttempt): Promise<void> {
    const { step } = attempt
    const { migration, parser } = this.#options
    await this.clean(step)
    const leftovers = leftoversText(step, parser)
    await this.#fenced(async () => {
      const { rows } = await this.#session.ask(writeIntent(attempt, leftovers, this.#marking))
      if (rows.length === 0) throw leaseLost()
      if (step.kind === 'Copy') await this.#session.ask(forgetProgress(step.name, attempt.checksum, migration))
    })
  }

  async applySql(attempt: StepAttempt<SqlStep>): Promise<void> {
    const { step } = attempt
    await this.#session.fresh()
    if (!step.isTransactional) return this.#applyOutside(attempt)
    await this.#fenced(async (transaction) => {
      await this.#session.runInside(step.sql, step)
      await this.#conclude(attempt, transaction)
    })
  }

  async forsake(kept: ForsakeOptions['kept']): Promise<readonly string[]> {
    return forsakeReplications({ ...this.#forsaking, kept, mayComeBack: false })
  }

  async part(): Promise<readonly string[]> {
    return forsakeReplications({ ...this.#forsaking, kept: [], mayComeBack: true })
  }

  async applyCopy(attempt: StepAttempt<CopyStep>, onProgress: (progress: CopyProgress) => void): Promise<void> {
    const { migration, clock, secrets, pollMs = 1_000 } = this.#options
    await this.#session.fresh()
    const { signal } = this.#held
    const source = await this.#openSource(attempt.step.source)
    if (source === undefined) throw unknownSource(attempt.step)
    const fenced = <T>(work: () => Promise<T>) => this.#fenced(work)
    const common = { target: this.#session, fenced, attempt, migration, onProgress, signal }
    try {
      if (attempt.step.mode === 'Logical') {
        await runFollow({ ...common, source, place: this.#followPlace, clock, secrets, pollMs })
      } else await runCopy({ ...common, source: source.session })
    } finally {
      await source.close()
    }
    await this.#session.fresh()
    await this.#fenced((transaction) => this.#conclude(attempt, transaction))
  }

  async adopt(attempt: StepAttempt, as: 'Applied' | 'Adopted'): Promise<void> {
    await this.#session.fresh()
    await this.#fenced(async () => {
      await this.#session.ask(writeIntent(attempt, null, this.#marking))
      await this.#supersede(attempt)
      await this.#session.ask(writeDone(attempt.step.name, as, this.#marking))
    })
  }

  async fail(attempt: StepAttempt, failure: StepFailure): Promise<void> {
    const { step } = attempt
    await this.#session.fresh()
    await this.#fenced(async () => {
      await this.#session.ask(writeFailure(attempt, failure, this.#marking))
      // Tables of a failed attempt that were equal once say nothing about the next attempt.
      const isFollowed = step.kind === 'Copy' && step.mode === 'Logical'
      if (isFollowed) await this.#session.ask(forgetProgress(step.name, null, this.#options.migration))
    })
  }

  async undo(step: MigrationStep): Promise<void> {
    const { migration } = this.#options
    await this.#session.fresh()
    await this.#fenced(async (transaction) => {
      if ('down' in step && step.down !== undefined) await this.#session.runInside(step.down, step)
      await this.#session.ask(forgetProgress(step.name, null, migration))
      const { rows } = await this.#session.ask(writeUndone(step.name, this.#marking))
      mustBeIn(transaction, rows[0]?.['transaction'])
    })
  }

  async failUndo(step: MigrationStep, failure: StepFailure, token: string): Promise<void> {
    await this.#session.fresh()
    await this.#fenced(() => this.#session.ask(writeUndoFailure(step.name, failure, { ...this.#marking, token })))
  }

  async rehearse(
    steps: readonly SqlStep[],
  ): Promise<{ readonly step: string; readonly failure: StepFailure } | undefined> {
    await this.#session.fresh()
    return this.#session.rehearsal(async () => {
      for (const step of steps) {
        try {
          await this.#session.runInside(step.sql, step)
          await this.#mustHold(step)
        } catch (error) {
          if (!(error instanceof StepError) || error.code === 'StepContended') throw error
          // A value that an earlier step adds to a type is usable after its commit. From here on, one transaction
          // cannot rehearse the steps.
          if (error.failure.sqlState === unsafeNewValue && step !== steps[0]) return undefined
          return { step: step.name, failure: error.failure }
        }
      }
      return undefined
    })
  }

  async close(): Promise<void> {
    await this.#held.login.close()
  }

  async #openSource(name: string): Promise<CopySource | undefined> {
    const { place, signal } = this.#held
    return this.#options.openSource?.(name, runLoginName(`${place} from ${name}`), signal)
  }

  get #forsaking(): Omit<ForsakeOptions, 'kept' | 'mayComeBack'> {
    return {
      ...{ session: this.#session, place: this.#followPlace, clock: this.#options.clock, signal: this.#held.signal },
      openSource: (name) => this.#openSource(name),
      fenced: (work) => this.#fenced(work),
    }
  }

  get #followPlace(): FollowPlace {
    const { database, migration } = this.#options
    const { login, site } = this.#held
    return { site, database, migration, target: login.server, majorVersion: login.majorVersion }
  }

  /** Runs the step, then writes its marker. The verification covers an interruption in between. */
  async #applyOutside(attempt: StepAttempt<SqlStep>): Promise<void> {
    const { step } = attempt
    const isDone = attempt.attempt > 1 && step.verify !== undefined && (await this.holds(step.verify, step))
    if (!isDone) {
      await this.#fenced(async () => undefined)
      await this.#session.becomeAuthor(step)
      try {
        await this.#session.run(step.sql, step)
      } catch (error) {
        if (this.#session.isUsable) await this.#cleanAfter(step)
        throw error
      }
      await this.#session.fresh()
    }
    await this.#fenced((transaction) => this.#conclude(attempt, transaction))
  }

  async #cleanAfter(step: SqlStep): Promise<void> {
    try {
      await this.#session.fresh()
      await cleanLeftovers(this.#session, leftoversOf(step.sql, this.#options.parser), step)
    } catch (error) {
      // The intent records the leftovers, and the next attempt removes them.
      if (!(error instanceof StepError)) throw error
    }
  }

  /** Verifies the step and writes its marker, in the step's transaction. */
  async #conclude(attempt: StepAttempt, transaction: string): Promise<void> {
    const { step } = attempt
    await this.#mustHold(step)
    await this.#supersede(attempt)
    const { rows } = await this.#session.ask(writeDone(step.name, 'Applied', this.#marking))
    mustBeIn(transaction, rows[0]?.['transaction'])
  }

  /** Verifies earlier steps again, and marks those that no longer hold as superseded. */
  async #supersede({ step, earlier }: StepAttempt): Promise<void> {
    const superseded: string[] = []
    for (const { name, verify } of earlier) {
      if (!(await this.#stillHolds(verify, step))) superseded.push(name)
    }
    if (superseded.length > 0) await this.#session.ask(writeSuperseded(superseded, step.name, this.#options.migration))
  }

  async #mustHold(step: MigrationStep): Promise<void> {
    if (step.verify === undefined) return
    const { holds, reads } = await this.#session.holds(step.verify, step)
    if (holds) return
    throw new StepError('StepFailed', { sqlState: undefined, message: `the verification does not hold: ${reads}` })
  }

  async #stillHolds(verify: VerifyQuery, step: MigrationStep): Promise<boolean> {
    try {
      return (await this.#session.holds(verify, step)).holds
    } catch (error) {
      if (!(error instanceof StepError) || error.code !== 'StepFailed' || !this.#session.isUsable) throw error
      // A timeout is no answer: the next run verifies again.
      return error.failure.sqlState === '57014'
    }
  }

  /** Runs work in a transaction that cannot commit after another worker has taken over. */
  async #fenced<T>(work: (transaction: string) => Promise<T>): Promise<T> {
    return this.#session.transaction(async () => {
      const { rows } = await this.#session.ask(fence(this.#options.lock, this.#held.epoch))
      const transaction = rows[0]?.['transaction']
      if (transaction == null) throw leaseLost()
      return work(transaction)
    })
  }
}

/** Source: PostgreSQL, ERRCODE_UNSAFE_NEW_ENUM_VALUE_USAGE. */
const unsafeNewValue = '55P04'

/** Returns what an interrupted attempt may leave behind. */
function leftoversText(step: MigrationStep, parser: SqlParser): string | null {
  if (step.kind === 'SQL' && !step.isTransactional) return JSON.stringify(leftoversOf(step.sql, parser))
  return step.kind === 'Copy' && step.mode === 'Logical' ? followText(step.source) : null
}

/** The source existed when the job spec was written, so that the step is not to blame. */
function unknownSource({ source }: CopyStep): EngineError {
  const message = `Database ${source}, which rows are to come from, is not known any more`
  return new EngineError({ code: 'NotFound', message, remedy: 'stop' })
}

function leaseLost(): StepError {
  return new StepError('LeaseLost', { sqlState: undefined, message: 'another worker has taken this migration over' })
}

/** Throws if the text has ended the transaction in which it began. Not every way to do so is visible beforehand. */
function mustBeIn(transaction: string, last: string | null | undefined): void {
  if (last === transaction) return
  const message = 'the text ended its own transaction, so that what it did cannot be taken back'
  throw new StepError('StepFailed', { sqlState: undefined, message })
}
