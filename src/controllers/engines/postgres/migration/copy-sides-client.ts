// Both sides of a copy, and their comparison. A read-only login reads the source; the target is accessed as its owner.
import type { CopyStep, TableName } from '../../migration-step.ts'
import { asEngineError } from '../failure.ts'
import type { QueryAnswer, SessionClient } from '../session-client.ts'
import { type CopyPlan, copyPlan, shapeIn, type TableShape } from './copy-plan.ts'
import { digestOf, observeTable, raiseSequence, sameTexts, sourceSettings } from './copy-statements.ts'
import type { Statement } from './mark-statements.ts'
import { stepErrorOf } from './step-failure.ts'
import type { TargetSession } from './target-session-client.ts'

export interface CopySidesOptions {
  readonly source: SessionClient
  readonly target: TargetSession
  readonly step: CopyStep
  readonly signal: AbortSignal
}

/** Row counts of a table on both sides, as the servers wrote them. */
export interface Comparison {
  readonly isSame: boolean
  readonly sourceRows: string
  readonly targetRows: string
}

/** Rejects with a StepError for a failure of the step, and with an EngineError for any other failure. */
export class CopySides {
  readonly #options: CopySidesOptions

  constructor(options: CopySidesOptions) {
    this.#options = options
  }

  async prepare(): Promise<void> {
    const { step, target } = this.#options
    await this.ofSource({ text: sourceSettings(step.timeoutMs), values: [] })
    await target.setLimits(step)
    await target.say(sameTexts)
  }

  /** Returns the plans of all tables, so that all are checked before the first write. */
  async plans(): Promise<readonly CopyPlan[]> {
    const plans: CopyPlan[] = []
    const { tables } = this.#options.step
    for (const table of tables) {
      const source = await this.#sourceShape(table)
      plans.push(copyPlan(table, { source, target: await this.#targetShape(table), tables }))
    }
    return plans
  }

  async compare(plan: CopyPlan): Promise<Comparison> {
    const { target, step } = this.#options
    const [source] = (await this.ofSource(digestOf(plan, 'source'))).rows
    const [copied] = (await target.readAsAuthor(digestOf(plan, 'target'), step)).rows
    return {
      isSame: source?.['rows'] === copied?.['rows'] && source?.['digest'] === copied?.['digest'],
      sourceRows: source?.['rows'] ?? '',
      targetRows: copied?.['rows'] ?? '',
    }
  }

  /** Raises the target's sequences to the source's values. Call in a transaction of the target. */
  async raiseSequences(table: TableName): Promise<void> {
    const { target, step } = this.#options
    const from = await this.#sourceShape(table)
    const to = shapeOf(await target.askAsAuthor(observeTable(table), step))
    for (const { column, lastValue } of from?.sequences ?? []) {
      if (lastValue === undefined) continue
      // A column may own one sequence and use another.
      for (const there of to?.sequences.filter((sequence) => sequence.column === column) ?? [])
        await target.askAsAuthor(raiseSequence(there.oid, lastValue), step)
    }
  }

  async ofSource({ text, values }: Statement): Promise<QueryAnswer> {
    const { source, signal, step } = this.#options
    try {
      return await source.query(text, values, { signal, limitMs: step.timeoutMs })
    } catch (error) {
      if (signal.aborted) throw error
      throw stepErrorOf(error) ?? asEngineError(error, { attempt: `read from ${step.source}`, admin: 'the reader' })
    }
  }

  async #sourceShape(table: TableName): Promise<TableShape | undefined> {
    return shapeOf(await this.ofSource(observeTable(table)))
  }

  async #targetShape(table: TableName): Promise<TableShape | undefined> {
    const { target, step } = this.#options
    return shapeOf(await target.lookAsAuthor(observeTable(table), step))
  }
}

function shapeOf({ rows }: QueryAnswer): TableShape | undefined {
  return shapeIn(rows[0]?.['shape'])
}
