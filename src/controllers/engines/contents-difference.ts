// Differences between a restored database and its source, as sentences for conditions; an empty list if they are equal.
// Rows are compared by count and hash. Sequences ignore snapshots, so a restored one may be ahead, never behind. Pure.
import type { DatabaseContents, SequenceContents, TableContents } from './database-contents.ts'
import type { SequencePosition } from './replication.ts'

export interface ComparisonOptions {
  /**
   * `counted` compares row counts alone: another major version may format rows differently. Versions of extensions
   * belong to the server, may be newer, and are not compared.
   */
  readonly rows: 'hashed' | 'counted'
}

/** Number of reported differences; further ones are counted only. */
const mostTold = 10

export function contentsDifference(
  saved: DatabaseContents,
  restored: DatabaseContents,
  options: ComparisonOptions,
): readonly string[] {
  const found = [
    ...compared('table', saved.tables, restored.tables, (left, right) => rowsDiffer(left, right, options)),
    ...compared('sequence', saved.sequences, restored.sequences, sequenceDiffers),
    ...compared('extension', saved.extensions, restored.extensions, () => undefined),
    ...countDiffers('large objects', Number(saved.largeObjects), Number(restored.largeObjects)),
    // Older backups lack the counts of kinds that their version of konverge did not count.
    ...Object.keys(saved.objects).flatMap((sort) => {
      const [before, now] = [saved.objects[sort], restored.objects[sort]]
      return before === undefined || now === undefined ? [] : countDiffers(sort, before, now)
    }),
  ]
  return fewOf(found)
}

/** Returns the sequences whose next number differs. Precondition: no client uses either database. */
export function positionsDifference(
  saved: readonly SequencePosition[],
  restored: readonly SequencePosition[],
): readonly string[] {
  const differs = (left: SequencePosition, right: SequencePosition) =>
    left.value === right.value && left.isGiven === right.isGiven
      ? undefined
      : `stands ${positionText(right)} instead of ${positionText(left)}`
  return fewOf(compared('sequence', saved, restored, differs))
}

function positionText({ value, isGiven }: SequencePosition): string {
  return isGiven ? `at ${value}` : `before ${value}`
}

/** Returns the first differences, and the number of the others. */
export function fewOf(found: readonly string[]): readonly string[] {
  const rest = found.length - mostTold
  return rest > 0 ? [...found.slice(0, mostTold), `and ${rest} more`] : found
}

export interface Named {
  readonly schema: string
  readonly name: string
}

function compared<Item extends Named>(
  sort: string,
  saved: readonly Item[],
  restored: readonly Item[],
  differs: (saved: Item, restored: Item) => string | undefined,
): readonly string[] {
  const there = new Map(restored.map((item) => [nameOf(item), item]))
  const found: string[] = []
  for (const item of saved) {
    const name = nameOf(item)
    const other = there.get(name)
    there.delete(name)
    const difference = other === undefined ? 'is missing' : differs(item, other)
    if (difference !== undefined) found.push(`${sort} ${name} ${difference}`)
  }
  return [...found, ...[...there.keys()].map((name) => `${sort} ${name} was not saved`)]
}

function rowsDiffer(saved: TableContents, restored: TableContents, { rows }: ComparisonOptions): string | undefined {
  if (saved.rows === '' || restored.rows === '') return undefined
  if (saved.rows !== restored.rows) return `has ${restored.rows} rows instead of ${saved.rows}`
  if (rows === 'counted' || saved.hash === null || restored.hash === null) return undefined
  return saved.hash === restored.hash ? undefined : `has other rows, though as many (${saved.rows})`
}

function sequenceDiffers(saved: SequenceContents, restored: SequenceContents): string | undefined {
  if (saved.lastValue === null || saved.cycles) return undefined
  const behind = `is at ${restored.lastValue ?? 'its start'}, behind ${saved.lastValue}`
  if (restored.lastValue === null) return behind
  const [from, to] = [BigInt(saved.lastValue), BigInt(restored.lastValue)]
  return (BigInt(saved.increment) > 0n ? to < from : to > from) ? behind : undefined
}

function countDiffers(sort: string, saved: number, restored: number): readonly string[] {
  return saved === restored ? [] : [`there are ${restored} ${sort} instead of ${saved}`]
}

/** Returns the name as in SQL, with quotes where needed, so a name with a dot is unambiguous. */
export function nameOf({ schema, name }: Named): string {
  return `${partText(schema)}.${partText(name)}`
}

export function partText(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : JSON.stringify(name)
}
