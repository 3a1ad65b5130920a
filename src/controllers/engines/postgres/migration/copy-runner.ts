// Copies the rows of tables from one database to another in ranges of keys, and continues where an earlier worker
// ended. Invariant: the target commits a batch and its watermark in one transaction. No batch is written twice, and
// none is left out.
import type { CopyStep } from '../../migration-step.ts'
import type { CopyProgress, StepAttempt } from '../../migration-target.ts'
import { StepError } from '../../step-error.ts'
import type { SessionClient } from '../session-client.ts'
import { type CopyPlan, nextBatchRows, percentOf } from './copy-plan.ts'
import { CopySides } from './copy-sides-client.ts'
import {
  type Progress,
  type ProgressKey,
  progressIn,
  readBatch,
  readProgress,
  tableText,
  writeBatch,
  writeProgress,
} from './copy-statements.ts'
import { forgetInterruptions } from './mark-statements.ts'
import type { TargetSession } from './target-session-client.ts'

export interface CopyOptions {
  readonly source: SessionClient
  readonly target: TargetSession
  readonly fenced: <T>(work: () => Promise<T>) => Promise<T>
  readonly attempt: StepAttempt<CopyStep>
  readonly migration: string
  readonly onProgress: (progress: CopyProgress) => void
  readonly signal: AbortSignal
}

/** Resolves when every table is equal on both servers. */
export async function runCopy(options: CopyOptions): Promise<void> {
  await new CopyRun(options).run()
}

/** Copies all rows that the source's session sees into empty tables. The caller verifies that they are complete. */
export async function bringRows(options: CopyOptions, plans: readonly CopyPlan[]): Promise<void> {
  await new CopyRun(options, { isWhole: false }).bring(plans)
}

class CopyRun {
  readonly #isWhole: boolean
  readonly #options: CopyOptions
  readonly #sides: CopySides
  readonly #step: CopyStep
  readonly #key: ProgressKey
  #rowsCopied = 0
  #hasGotOn = false

  constructor(options: CopyOptions, { isWhole } = { isWhole: true }) {
    const { attempt, migration } = options
    this.#isWhole = isWhole
    this.#options = options
    this.#sides = new CopySides({ ...options, step: attempt.step })
    this.#step = attempt.step
    this.#key = { migration, step: attempt.step.name, checksum: attempt.checksum }
  }

  async run(): Promise<void> {
    const { target } = this.#options
    await this.#sides.prepare()
    const plans = await this.#sides.plans()
    const known = progressIn(await target.ask(readProgress(this.#key)))
    this.#rowsCopied = [...known.values()].reduce((sum, { rows }) => sum + rows, 0)
    for (const plan of plans) await this.#copy(plan, plans, known.get(tableText(plan.table)))
    for (const plan of plans) await this.#compare(plan)
  }

  async bring(plans: readonly CopyPlan[]): Promise<void> {
    for (const plan of plans) await this.#copy(plan, plans, undefined)
  }

  async #copy(plan: CopyPlan, plans: readonly CopyPlan[], known: Progress | undefined): Promise<void> {
    if (known?.isDone === true) return
    const table = tableText(plan.table)
    let { watermark, rows: rowsBefore = 0 } = known ?? {}
    let last: { rows: number; bytes: number } | undefined
    for (;;) {
      const limit = nextBatchRows(this.#step.batchRows, last)
      const [row = {}] = (await this.#sides.ofSource(readBatch(plan, watermark, limit))).rows
      const rows = Number(row['rows'])
      const arrays = plan.columns.map((_, at) => row[`c${at}`] ?? null)
      last = { rows, bytes: arrays.reduce((sum, text) => sum + (text?.length ?? 0), 0) }
      if (rows > 0) watermark = plan.key.map((_, place) => row[`k${place}`] ?? '')
      rowsBefore += rows
      const isEnd = rows < limit
      const progress = { table, watermark, rows: rowsBefore, isDone: isEnd && this.#isWhole }
      await this.#write(plan, rows === 0 ? undefined : arrays, progress)
      this.#rowsCopied += rows
      const { onProgress } = this.#options
      const percent = percentOf(
        this.#rowsCopied,
        plans.map(({ rowEstimate }) => rowEstimate),
      )
      onProgress({ step: this.#step.name, rowsCopied: this.#rowsCopied, percent })
      if (isEnd) return
    }
  }

  async #write(plan: CopyPlan, arrays: readonly (string | null)[] | undefined, progress: Progress): Promise<void> {
    const { target, fenced } = this.#options
    await fenced(async () => {
      if (arrays !== undefined) await target.writeAsAuthor(writeBatch(plan, arrays), this.#step)
      if (progress.isDone) await this.#sides.raiseSequences(plan.table)
      await target.ask(writeProgress(this.#key, progress))
      const { step, migration } = this.#key
      if (arrays !== undefined && this.#isWhole && !this.#hasGotOn)
        await target.ask(forgetInterruptions(step, migration))
    })
    this.#hasGotOn ||= arrays !== undefined
  }

  /** Finds differences that other writers have caused. Another attempt copies missing rows, and keeps existing ones. */
  async #compare(plan: CopyPlan): Promise<void> {
    const { target, fenced } = this.#options
    const { isSame, sourceRows, targetRows } = await this.#sides.compare(plan)
    if (isSame) return
    const table = tableText(plan.table)
    await fenced(() => target.ask(writeProgress(this.#key, { table, watermark: undefined, rows: 0, isDone: false })))
    const what = `table ${table} has ${sourceRows} rows in the source and ${targetRows} in the target`
    const message =
      `${what}, or rows of other values; does somebody write into either? Another try brings rows that are missing; ` +
      'for rows that were changed or deleted in the source, TRUNCATE the table in the target before it'
    throw new StepError('StepFailed', { sqlState: undefined, message })
  }
}
