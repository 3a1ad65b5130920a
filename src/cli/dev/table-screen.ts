// How does the table of resources get onto the output? On a terminal it is drawn again in its place; anywhere else, and on
// a terminal that is too low for it, lines are only added, and only for resources that changed.
import { styleText } from 'node:util'
import type { ResourceRow } from './resource-table.ts'
import { changedRows, tableHead, tableLine } from './resource-table.ts'

/** What is used of `process.stdout`. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

export class TableScreen {
  readonly #output: Output
  #rows: readonly ResourceRow[] = []
  /** The lines above the cursor that belong to the table and may be drawn again. */
  #drawnLines = 0
  #hasHead = false

  constructor(output: Output) {
    this.#output = output
  }

  /** Shows the rows, in the place of what the last `draw` showed if the output allows it. */
  draw(rows: readonly ResourceRow[], nowMs: number): void {
    const height = rows.length + 1
    const { isTTY = false } = this.#output
    // A terminal that does not know its size says 0.
    const screenWidth = this.#output.columns || 80
    const screenHeight = this.#output.rows || 24
    if (!isTTY || Math.max(height, this.#drawnLines) >= screenHeight) {
      this.add(rows, nowMs)
      return
    }
    // A line that wraps would take two, and the cursor would not find back.
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

/** Green when ready, unless NO_COLOR asks for none. */
function painted({ isReady }: ResourceRow, line: string): string {
  return isReady ? styleText('green', line) : line
}
