// Output of the table of resources. A terminal shows it redrawn in place. Any other output, and a terminal with too few
// rows, gets an added line for each changed resource.
import { styleText } from 'node:util'
import type { ResourceRow } from './resource-table.ts'
import { changedRows, tableHead, tableLine } from './resource-table.ts'

/** Subset of `process.stdout`. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

export class TableScreen {
  readonly #output: Output
  #rows: readonly ResourceRow[] = []
  /** Lines above the cursor that belong to the table and can be redrawn. */
  #drawnLines = 0
  #hasHead = false

  constructor(output: Output) {
    this.#output = output
  }

  /** Shows the rows. If the output allows, they replace those of the last `draw`. */
  draw(rows: readonly ResourceRow[], nowMs: number): void {
    const height = rows.length + 1
    const { isTTY = false } = this.#output
    // A terminal of unknown size reports 0.
    const screenWidth = this.#output.columns || 80
    const screenHeight = this.#output.rows || 24
    if (!isTTY || Math.max(height, this.#drawnLines) >= screenHeight) {
      this.add(rows, nowMs)
      return
    }
    // A wrapped line takes two rows, so the cursor would move to a wrong row.
    const lines = [
      tableHead.slice(0, screenWidth - 1),
      ...rows.map((row) => painted(row, tableLine(row, nowMs).slice(0, screenWidth - 1))),
    ]
    const up = this.#drawnLines === 0 ? '' : `\x1b[${this.#drawnLines}A`
    this.#output.write(`${up}${lines.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`)
    this.#rows = rows
    this.#drawnLines = height
    this.#hasHead = true
  }

  /** Adds a line for each resource that changed since the last call of `draw` or `add`. */
  add(rows: readonly ResourceRow[], nowMs: number): void {
    const lines = changedRows(this.#rows, rows).map((row) => tableLine(row, nowMs))
    const head = this.#hasHead ? [] : [tableHead]
    this.#output.write([...head, ...lines].map((line) => `${line}\n`).join(''))
    this.#rows = rows
    this.#drawnLines = 0
    this.#hasHead = true
  }
}

/** Colors a Ready row green, unless NO_COLOR is set. */
function painted({ isReady }: ResourceRow, line: string): string {
  return isReady ? styleText('green', line) : line
}
