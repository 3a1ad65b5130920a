// Runs a logical copy until its tables equal those of the source. It copies all rows of one snapshot, and the servers
// replicate later changes. The runner creates missing parts, waits and compares. It succeeds if no difference remains
// after the step says that all writers have stopped. A later worker finds the parts by name and continues. If a worker
// dies during the copy of rows, that copy starts again, because its snapshot died too. Invariant: when the step ends,
// successfully or not, no part of the replication remains on either server.
import { type ExternalTools, passwordFrom, type SecretSource, sleep } from '../../../../index.ts'
import { EngineError } from '../../engine-error.ts'
import type { LogPosition } from '../../log-position.ts'
import type { CopyStep } from '../../migration-step.ts'
import {
  makeMissing,
  observeReplication,
  type ReplicationPass,
  type ReplicationTask,
  removeReplication,
} from '../../replication-runner.ts'
import { StepError } from '../../step-error.ts'
import { partName } from '../replication/replication-names.ts'
import { scramVerifier } from '../scram.ts'
import { type Sql, sql } from '../sql-text.ts'
import type { CopyPlan } from './copy-plan.ts'
import { bringRows, type CopyOptions } from './copy-runner.ts'
import { type Comparison, CopySides } from './copy-sides-client.ts'
import type { CopySource } from './copy-source-client.ts'
import {
  beginAt,
  emptyTables,
  type Progress,
  type ProgressKey,
  progressIn,
  readProgress,
  tableText,
  writeProgress,
} from './copy-statements.ts'
import { endsOf, type Followed, type FollowPlace, followNext, replicationId, targetProblem } from './follow-plan.ts'
import { forgetLeftovers, forgetProgress } from './mark-statements.ts'
import { orphansOf, referencesOf } from './references.ts'

export interface FollowOptions extends Omit<CopyOptions, 'source'> {
  readonly source: CopySource
  readonly place: FollowPlace
  readonly clock: ExternalTools['clock']
  readonly secrets: SecretSource
  readonly pollMs: number
}

/** Resolves when the tables have been equal and the replication is removed. */
export async function runFollow(options: FollowOptions): Promise<void> {
  await new FollowRun(options).run()
}

interface Patience {
  /** Delay between two comparisons. */
  waitMs: number
  /** Monotonic time until which the two servers may differ. */
  untilMs: number | undefined
}

const maxCompareWaitMs = 60_000
const maxSubscriptions = 5

class FollowRun {
  readonly #options: FollowOptions
  readonly #step: CopyStep
  readonly #key: ProgressKey
  readonly #sides: CopySides
  readonly #task: ReplicationTask
  #isAdmitted = false
  #isNoted = false
  /** Position of the rows that this worker has copied. */
  #filledFrom: LogPosition | undefined
  #subscriptions = 0

  constructor(options: FollowOptions) {
    const { attempt, migration, source, place, secrets } = options
    const { step } = attempt
    const password = passwordFrom(secrets, 32)
    this.#options = options
    this.#step = step
    this.#key = { migration, step: step.name, checksum: attempt.checksum }
    this.#sides = new CopySides({ ...options, source: source.session, step })
    this.#task = {
      ...endsOf(place, { step: step.name, source: step.source }, source),
      address: { ...source.address, password },
      verifier: scramVerifier({ password, salt: secrets.bytes(16) }),
      tables: step.tables,
      filledFrom: async () => this.#filledFrom,
    }
  }

  async run(): Promise<void> {
    const { source, fenced } = this.#options
    await source.takeOver(this.#task.token.uid)
    const plans = await this.#follow()
    await this.#remove()
    await fenced(async () => {
      for (const { table } of plans) await this.#sides.raiseSequences(table)
    })
  }

  /** Resolves when all tables have been equal at one time and the progress says so. */
  async #follow(): Promise<readonly CopyPlan[]> {
    const { place, target } = this.#options
    try {
      const problem = targetProblem(place.majorVersion)
      if (problem !== undefined) throw failed(problem)
      await this.#sides.prepare()
      const plans = await this.#sides.plans()
      const known = progressIn(await target.ask(readProgress(this.#key)))
      const wereSame = plans.every(({ table }) => known.get(tableText(table))?.isDone === true)
      if (wereSame) return plans
      if ([...known.values()].some(({ watermark }) => watermark !== undefined)) await this.#emptyUnlessFollowing()
      await this.#untilSame(plans)
      return plans
    } catch (error) {
      if (error instanceof StepError && error.code === 'StepFailed') await this.#giveUp()
      throw error
    }
  }

  /**
   * Empties the tables after a worker that died during the copy of rows: its rows are of a snapshot that no longer
   * exists.
   */
  async #emptyUnlessFollowing(): Promise<void> {
    const { fenced, target } = this.#options
    const { subscription } = await this.#task.subscriber.observe()
    if (subscription !== undefined) return
    await fenced(() => target.writeAsAuthor({ text: emptyTables(this.#step.tables), values: [] }, this.#step))
  }

  /** Records that the tables replicate. From here on, no worker empties them. */
  async #noteFollowing(plans: readonly CopyPlan[]): Promise<void> {
    if (this.#isNoted) return
    this.#isNoted = true
    const known = progressIn(await this.#options.target.ask(readProgress(this.#key)))
    const tables = plans.map((plan) => tableText(plan.table))
    const rowsOf = (table: string) => known.get(table)?.rows ?? 0
    await this.#note(tables.map((table) => ({ table, watermark: undefined, rows: rowsOf(table), isDone: false })))
  }

  async #note(progress: readonly Progress[]): Promise<void> {
    const { fenced, target } = this.#options
    await fenced(async () => {
      for (const one of progress) await target.ask(writeProgress(this.#key, one))
    })
  }

  async #giveUp(): Promise<void> {
    const { fenced, target, migration } = this.#options
    await this.#remove()
    await fenced(() => target.ask(forgetProgress(this.#step.name, null, migration)))
  }

  async #untilSame(plans: readonly CopyPlan[]): Promise<void> {
    const { clock, signal, pollMs } = this.#options
    const known = { failuresBefore: 0, goal: undefined as LogPosition | undefined }
    const patience: Patience = { waitMs: 0, untilMs: undefined }
    for (;;) {
      const pass = await observeReplication(this.#task)
      const next = followNext(pass, { ...known, tables: this.#step.tables })
      switch (next.kind) {
        case 'fail':
          throw failed(next.message)
        case 'make':
          await this.#make(pass)
          continue
        case 'fill':
          await this.#fill(pass, plans)
          continue
        case 'aim':
          await this.#redirect(pass)
          await this.#noteFollowing(plans)
          known.goal = await this.#task.publisher.milestone()
          known.failuresBefore = failuresIn(pass)
          continue
        case 'wait':
          await this.#redirect(pass)
          await sleep(clock, pollMs, signal)
          continue
        case 'compare':
          if (await this.#isEnd(plans, patience)) return
          known.goal = undefined
          await sleep(clock, patience.waitMs, signal)
      }
    }
  }

  /** Compares at the goal: the target has everything that was written until a moment ago. */
  async #isEnd(plans: readonly CopyPlan[], patience: Patience): Promise<boolean> {
    const { clock, pollMs } = this.#options
    const { isCutOver, timeoutMs } = this.#step
    const isFirst = patience.waitMs === 0
    patience.waitMs = Math.min(maxCompareWaitMs, Math.max(pollMs, 2 * patience.waitMs))
    // Before the cutover, the step compares once. That shows early which differences can never vanish, and how many
    // rows there are.
    if (isCutOver !== true && !isFirst) return false
    const difference = await this.#compare(plans)
    if (isCutOver !== true) return false
    if (difference === undefined) return true
    patience.untilMs ??= clock.monotonicMs() + timeoutMs
    if (clock.monotonicMs() >= patience.untilMs) throw failed(difference)
    return false
  }

  /** Creates a missing part. The fence rejects a worker that another one has replaced. */
  async #make(pass: ReplicationPass): Promise<void> {
    const { fenced } = this.#options
    await fenced(async () => undefined)
    try {
      // No process knows the password that a dead worker drew.
      if (!this.#isAdmitted) await this.#task.publisher.admit(this.#task.verifier)
      this.#isAdmitted = true
      await makeMissing(pass, this.#task)
    } catch (error) {
      await this.#bear(error)
    }
  }

  /**
   * Redirects a subscription of a dead worker if its slot is inactive. The source may have another address now, and no
   * process knows the password.
   */
  async #redirect({ sides }: ReplicationPass): Promise<void> {
    if (this.#isAdmitted || sides.source.slot?.isActive === true) return
    const { publisher, subscriber, verifier, address } = this.#task
    await this.#options.fenced(async () => undefined)
    await publisher.admit(verifier)
    await subscriber.redirect(address)
    this.#isAdmitted = true
  }

  /** Fills empty tables, from a snapshot that logical decoding has not built. */
  async #fill({ sides }: ReplicationPass, plans: readonly CopyPlan[]): Promise<void> {
    const { source } = this.#options
    // A server counts a table as not empty even if its rows were rolled back.
    await this.#note(plans.map((plan) => ({ table: tableText(plan.table), watermark: [], rows: 0, isDone: false })))
    const { tables, slot: seen } = sides.source
    const name = partName(replicationId(this.#options.place, this.#followed))
    const slot = { name, tables, replaces: seen?.confirmed }
    let from: LogPosition
    try {
      from = await source.holdMoment(slot, (snapshot) => this.#ofSource(beginAt(snapshot)))
    } catch (error) {
      await this.#bear(error)
      return
    }
    await bringRows({ ...this.#options, source: source.session }, plans)
    await this.#ofSource(sql`COMMIT`)
    this.#filledFrom = from
  }

  async #ofSource(text: Sql): Promise<void> {
    await this.#sides.ofSource({ text, values: [] })
  }

  get #followed(): Followed {
    return { step: this.#step.name, source: this.#step.source }
  }

  /**
   * Fails the step for an error that the server will not accept later either. A source that the target does not reach
   * may come back.
   */
  async #bear(error: unknown): Promise<void> {
    const { clock, signal, pollMs } = this.#options
    if (!(error instanceof EngineError) || signal.aborted) throw error
    this.#subscriptions += error.code === 'StatementFailed' ? 1 : 0
    const isFinal = error.remedy === 'stop' || this.#subscriptions >= maxSubscriptions
    if (isFinal) throw new StepError('StepFailed', { sqlState: error.sqlState, message: error.message })
    if (error.code !== 'StatementFailed') throw error
    await sleep(clock, pollMs, signal)
  }

  /** Returns the first difference. Without one, returns undefined and records that. */
  async #compare(plans: readonly CopyPlan[]): Promise<string | undefined> {
    const { onProgress } = this.#options
    const orphans = this.#step.isCutOver === true ? await this.#orphans() : undefined
    if (orphans !== undefined) throw failed(orphans)
    const seen: { readonly table: string; readonly found: Comparison }[] = []
    for (const plan of plans) seen.push({ table: tableText(plan.table), found: await this.#sides.compare(plan) })
    const other = seen.find(({ found }) => !found.isSame)
    const isDone = other === undefined && this.#step.isCutOver === true
    await this.#note(
      seen.map(({ table, found }) => ({ table, watermark: undefined, rows: Number(found.targetRows), isDone })),
    )
    const rowsCopied = seen.reduce((sum, { found }) => sum + Number(found.targetRows), 0)
    onProgress({ step: this.#step.name, rowsCopied, percent: 99 })
    if (other === undefined) return undefined
    const { sourceRows, targetRows } = other.found
    return (
      `table ${other.table} has ${sourceRows} rows in the source and ${targetRows} in the target, or rows of other values, ` +
      'since it was said that nobody writes any more; stop the writers, or give the target more time with timeout'
    )
  }

  /** Finds rows whose referenced rows are missing: logical replication does not check foreign keys. */
  async #orphans(): Promise<string | undefined> {
    const { target } = this.#options
    for (const table of this.#step.tables) {
      for (const row of (await target.lookAsAuthor(referencesOf(table), this.#step)).rows) {
        const { name = '', question = '' } = row
        const [answer] = (await target.lookAsAuthor(orphansOf(question ?? ''), this.#step)).rows
        if (answer?.['isThere'] !== 't') continue
        return `rows of table ${tableText(table)} refer to rows that are not in the target, against ${name}; copy those tables too`
      }
    }
    return undefined
  }

  async #remove(): Promise<void> {
    const { clock, signal, fenced, target, migration } = this.#options
    await fenced(async () => undefined)
    await removeReplication(this.#task, { clock, signal })
    await fenced(() => target.ask(forgetLeftovers(this.#step.name, migration)))
  }
}

function failuresIn({ standing }: ReplicationPass): number {
  return 'failures' in standing ? standing.failures : 0
}

function failed(message: string): StepError {
  return new StepError('StepFailed', { sqlState: undefined, message })
}
