// Plan for the copy of a table, from its definition on both servers: columns, order of keys, and rows of a batch.
import { nameList } from '../../../../index.ts'
import type { TableName } from '../../migration-step.ts'
import { StepError } from '../../step-error.ts'
import { jsonAnswer } from '../json-answer.ts'
import { fieldsOf, listOf, numberOf } from '../review/sql-parser.ts'

/** Table as one server sees it. */
export interface TableShape {
  /** Its partitions hold its rows. If false, rows of tables that inherit from it do not belong to it. */
  readonly isPartitioned: boolean
  /** Tables that inherit from it, directly or indirectly. Empty for a partitioned table. */
  readonly heirs: readonly TableName[]
  readonly columns: readonly ColumnShape[]
  /** Column names of each unique key without nullable columns, the primary key first. */
  readonly keys: readonly (readonly string[])[]
  /** Estimate of the server. Undefined if the server has never counted the rows. */
  readonly rowEstimate: number | undefined
  readonly sequences: readonly SequenceShape[]
}

export interface ColumnShape {
  readonly name: string
  readonly type: TypeName
  readonly isGenerated: boolean
}

export interface TypeName {
  readonly schema: string
  readonly name: string
}

/** Sequence that supplies the values of a column. */
export interface SequenceShape {
  readonly column: string
  /** For messages: `public.numbers`. */
  readonly name: string
  readonly oid: string
  /** The session's role may set its value. */
  readonly isSettable: boolean
  /** Undefined before the first value. */
  readonly lastValue: string | undefined
}

export interface CopyPlan {
  readonly table: TableName
  readonly columns: readonly { readonly name: string; readonly sourceType: TypeName; readonly targetType: TypeName }[]
  /** Indexes into `columns`. */
  readonly key: readonly number[]
  readonly rowEstimate: number | undefined
  readonly isPartitioned: { readonly source: boolean; readonly target: boolean }
}

export interface CopyObservation {
  readonly source: TableShape | undefined
  readonly target: TableShape | undefined
  /** All tables of the step. */
  readonly tables: readonly TableName[]
}

/** Throws StepFailed if the table cannot be copied in ranges of keys, or if the copy would leave out rows of heirs. */
export function copyPlan(table: TableName, { source, target, tables }: CopyObservation): CopyPlan {
  if (source === undefined) throw rejected(table, 'is not there in the source')
  if (target === undefined) throw rejected(table, 'is not there in the target')
  const unnamed = source.heirs.filter(({ schema, name }) => !tables.some((t) => t.schema === schema && t.name === name))
  if (unnamed.length > 0) throw rejected(table, heirsText(unnamed))
  const columns = source.columns.flatMap(({ name, type, isGenerated }) => {
    const there = target.columns.find((column) => column.name === name)
    if (isGenerated || there?.isGenerated === true) return []
    if (there === undefined) throw rejected(table, `has no column ${JSON.stringify(name)} in the target`)
    return [{ name, sourceType: type, targetType: there.type }]
  })
  for (const from of source.sequences) {
    const stuck = target.sequences.find((to) => isBehind(to, from) && !to.isSettable)
    if (stuck !== undefined) throw rejected(table, stuckText(stuck, from))
  }
  const names = columns.map(({ name }) => name)
  const key = source.keys.find((candidate) => candidate.every((name) => names.includes(name)))
  if (key === undefined) throw rejected(table, 'has no primary key, nor a unique one without nulls, to go along')
  return {
    ...{ table, columns, key: key.map((name) => names.indexOf(name)), rowEstimate: source.rowEstimate },
    isPartitioned: { source: source.isPartitioned, target: target.isPartitioned },
  }
}

/** Sequences move only forward: the target may have issued values of its own. */
function isBehind(to: SequenceShape, from: SequenceShape): boolean {
  return to.column === from.column && from.lastValue !== undefined && BigInt(from.lastValue) > BigInt(to.lastValue ?? 0)
}

function stuckText({ column, name, lastValue = 'no value' }: SequenceShape, from: SequenceShape): string {
  const way = `GRANT UPDATE ON SEQUENCE ${name} to the owner of the database`
  return `takes ${JSON.stringify(column)} in the target from sequence ${name}, which is at ${lastValue} and has to be set to ${from.lastValue}; ${way}`
}

const maxNamedHeirs = 3

function heirsText(heirs: readonly TableName[]): string {
  const names = heirs.map(({ schema, name }) => `${schema}.${name}`)
  return (
    `has tables in the source that inherit from it (${nameList(names, maxNamedHeirs)}), whose rows would stay behind; ` +
    'name those in tables too, or let them inherit no more'
  )
}

function rejected({ schema, name }: TableName, why: string): StepError {
  return new StepError('StepFailed', { sqlState: undefined, message: `table ${schema}.${name} ${why}` })
}

/** Parses the server's JSON. Undefined for a table that does not exist. */
export function shapeIn(text: string | null | undefined): TableShape | undefined {
  if (text == null) return undefined
  const { columns, keys, rowEstimate, sequences, isPartitioned, heirs } = fieldsOf(jsonAnswer(text, 'a table'))
  const estimate = numberOf(rowEstimate)
  return {
    isPartitioned: isPartitioned === true,
    heirs: listOf(heirs).map((heir) => {
      const { schema, name } = fieldsOf(heir)
      return { schema: textOf(schema), name: textOf(name) }
    }),
    columns: listOf(columns).map((column) => {
      const { name, typeSchema, typeName, isGenerated } = fieldsOf(column)
      return {
        name: textOf(name),
        type: { schema: textOf(typeSchema), name: textOf(typeName) },
        isGenerated: isGenerated === true,
      }
    }),
    keys: listOf(keys).map((key) => listOf(key).map(textOf)),
    rowEstimate: estimate === undefined || estimate < 0 ? undefined : estimate,
    sequences: listOf(sequences).map((sequence) => {
      const { column, name, oid, isSettable, lastValue } = fieldsOf(sequence)
      return {
        column: textOf(column),
        name: textOf(name),
        oid: textOf(oid),
        isSettable: isSettable === true,
        lastValue: typeof lastValue === 'string' ? lastValue : undefined,
      }
    }),
  }
}

/** A batch is in memory in this process and on both servers. */
const batchBytes = 4 * 1024 * 1024

/**
 * Returns the number of rows of the next batch. The first batch is small and shows the width of rows, so that wide rows
 * do not fill the memory.
 */
export function nextBatchRows(maxRows: number, last?: { readonly rows: number; readonly bytes: number }): number {
  if (last === undefined) return Math.min(maxRows, 10)
  const fitting = Math.floor((batchBytes * last.rows) / Math.max(1, last.bytes))
  return Math.max(1, Math.min(maxRows, fitting))
}

/** At most 99 before the end, because the server only estimates. Undefined without estimates. */
export function percentOf(rowsCopied: number, estimates: readonly (number | undefined)[]): number | undefined {
  const total = estimates.reduce<number | undefined>(
    (sum, estimate) => (sum === undefined || estimate === undefined ? undefined : sum + estimate),
    0,
  )
  if (total === undefined || total === 0) return undefined
  return Math.min(99, Math.floor((100 * rowsCopied) / total))
}

/** Empty for a value that is neither text nor number: an object may have no text form. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
