// How do the rows of tables get from one database to another, and on from where a worker ended? In ranges of keys. What a batch brings and
// the watermark behind it are one transaction of the target, so that no batch comes twice and none is left out.

import type { CopyStep, TableName } from '../../migration-step.ts'
import type { CopyProgress, StepAttempt } from '../../migration-target.ts'
import { StepError } from '../../step-error.ts'
import { asEngineError } from '../failure.ts'
import { listOf } from '../review/sql-parser.ts'
import type { QueryAnswer, SessionClient } from '../session-client.ts'
import { type CopyPlan, copyPlan, nextBatchRows, percentOf, shapeIn, type TableShape } from './copy-plan.ts'
import {
  digestOf,
  lookAtTable,
  type Progress,
  type ProgressKey,
  raiseSequence,
  readBatch,
  readProgress,
  sameTexts,
  sourceSettings,
  writeBatch,
  writeProgress,
} from './copy-statements.ts'
import type { Statement } from './mark-statements.ts'
import { stepErrorOf } from './step-failure.ts'
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

/** Resolves when every table is equal on both sides. */
export async function runCopy(options: CopyOptions): Promise<void> {
  await new CopyRun(options).run()
}

class CopyRun {
  readonly #options: CopyOptions
  readonly #step: CopyStep
  readonly #key: ProgressKey
  #rowsCopied = 0

  constructor(options: CopyOptions) {
    const { attempt, migration } = options
    this.#options = options
    this.#step = attempt.step
    this.#key = { migration, step: attempt.step.name, checksum: attempt.checksum }
  }

  async run(): Promise<void> {
    const { target } = this.#options
    await this.#ofSource({ text: sourceSettings(this.#step.timeoutMs), values: [] })
    await target.setLimits(this.#step)
    await target.say(sameTexts)
    // Everything is looked at before anything is written.
    const plans: CopyPlan[] = []
    for (const table of this.#step.tables) plans.push(await this.#plan(table))
    const known = progressIn(await target.ask(readProgress(this.#key)))
    this.#rowsCopied = [...known.values()].reduce((sum, { rows }) => sum + rows, 0)
    for (const plan of plans) await this.#copy(plan, plans, known.get(nameOf(plan.table)))
    for (const plan of plans) await this.#compare(plan)
  }

  async #plan(table: TableName): Promise<CopyPlan> {
    return copyPlan(table, await this.#sourceShape(table), await this.#targetShape(table))
  }

  async #copy(plan: CopyPlan, plans: readonly CopyPlan[], known: Progress | undefined): Promise<void> {
    if (known?.isDone === true) return
    const table = nameOf(plan.table)
    let { watermark, rows: rowsBefore = 0 } = known ?? {}
    let last: { rows: number; bytes: number } | undefined
    for (;;) {
      const limit = nextBatchRows(this.#step.batchRows, last)
      const [row = {}] = (await this.#ofSource(readBatch(plan, watermark, limit))).rows
      const rows = Number(row['rows'])
      const arrays = plan.columns.map((_, at) => row[`c${at}`] ?? null)
      last = { rows, bytes: arrays.reduce((sum, text) => sum + (text?.length ?? 0), 0) }
      if (rows > 0) watermark = plan.key.map((_, place) => row[`k${place}`] ?? '')
      rowsBefore += rows
      const progress = { table, watermark, rows: rowsBefore, isDone: rows < limit }
      await this.#write(plan, rows === 0 ? undefined : arrays, progress)
      this.#rowsCopied += rows
      const { onProgress } = this.#options
      const percent = percentOf(
        this.#rowsCopied,
        plans.map(({ rowEstimate }) => rowEstimate),
      )
      onProgress({ step: this.#step.name, rowsCopied: this.#rowsCopied, percent })
      if (progress.isDone) return
    }
  }

  async #write(plan: CopyPlan, arrays: readonly (string | null)[] | undefined, progress: Progress): Promise<void> {
    const { target, fenced } = this.#options
    await fenced(async () => {
      if (arrays !== undefined) await target.askAsAuthor(writeBatch(plan, arrays), this.#step)
      if (progress.isDone) await this.#raiseSequences(plan.table)
      await target.ask(writeProgress(this.#key, progress))
    })
  }

  /** In a transaction. */
  async #raiseSequences(table: TableName): Promise<void> {
    const from = await this.#sourceShape(table)
    const to = shapeOf(await this.#options.target.askAsAuthor(lookAtTable(table), this.#step))
    for (const { column, lastValue } of from?.sequences ?? []) {
      const there = to?.sequences.find((sequence) => sequence.column === column)
      if (there === undefined || lastValue === undefined) continue
      await this.#options.target.askAsAuthor(raiseSequence(there.oid, lastValue), this.#step)
    }
  }

  /** Rows that were written into the source behind our back are found here, and copied by another attempt. */
  async #compare(plan: CopyPlan): Promise<void> {
    const { target, fenced } = this.#options
    const [source] = (await this.#ofSource(digestOf(plan))).rows
    const [copied] = (await target.lookAsAuthor(digestOf(plan), this.#step)).rows
    if (source?.['rows'] === copied?.['rows'] && source?.['digest'] === copied?.['digest']) return
    const table = nameOf(plan.table)
    await fenced(() => target.ask(writeProgress(this.#key, { table, watermark: undefined, rows: 0, isDone: false })))
    const what = `table ${table} has ${source?.['rows']} rows in the source and ${copied?.['rows']} in the target`
    const message = `${what}, or rows of other values; does somebody write into either?`
    throw new StepError('StepFailed', { sqlState: undefined, message })
  }

  async #sourceShape(table: TableName): Promise<TableShape | undefined> {
    return shapeOf(await this.#ofSource(lookAtTable(table)))
  }

  async #targetShape(table: TableName): Promise<TableShape | undefined> {
    return shapeOf(await this.#options.target.lookAsAuthor(lookAtTable(table), this.#step))
  }

  async #ofSource({ text, values }: Statement): Promise<QueryAnswer> {
    const { source, signal } = this.#options
    try {
      return await source.query(text, values, { signal, limitMs: this.#step.timeoutMs })
    } catch (error) {
      if (signal.aborted) throw error
      throw (
        stepErrorOf(error) ?? asEngineError(error, { attempt: `read from ${this.#step.source}`, admin: 'the reader' })
      )
    }
  }
}

function shapeOf({ rows }: QueryAnswer): TableShape | undefined {
  return shapeIn(rows[0]?.['shape'])
}

function progressIn({ rows }: QueryAnswer): ReadonlyMap<string, Progress> {
  return new Map(
    rows.map(({ table, watermark, rows: count, isDone }) => [
      table ?? '',
      {
        table: table ?? '',
        watermark: watermark == null ? undefined : listOf(JSON.parse(watermark)).map(String),
        rows: Number(count),
        isDone: isDone === 't',
      },
    ]),
  )
}

function nameOf({ schema, name }: TableName): string {
  return `${schema}.${name}`
}
