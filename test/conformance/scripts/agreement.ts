// Agreement of two servers: one count for each pair of verb and family, never a single number.
export interface Cell {
  readonly steps: number
  readonly agreed: number
}

export class Agreement {
  readonly #cells = new Map<string, Cell>()

  /** Counts a script's steps; those from `firstDifference` on count as disagreement. */
  count(family: string, verbs: readonly string[], firstDifference: number | undefined): void {
    for (const [index, verb] of verbs.entries()) {
      const key = `${verb} × ${family}`
      const { steps, agreed } = this.#cells.get(key) ?? { steps: 0, agreed: 0 }
      const agrees = firstDifference === undefined || index < firstDifference
      this.#cells.set(key, { steps: steps + 1, agreed: agreed + (agrees ? 1 : 0) })
    }
  }

  get steps(): number {
    return [...this.#cells.values()].reduce((sum, { steps }) => sum + steps, 0)
  }

  /** Returns one line per pair: `create × apply  120 of 120`. */
  report(): string {
    const lines = [...this.#cells].map(([key, { steps, agreed }]) => `${key.padEnd(32)} ${agreed} of ${steps}`)
    return lines.sort().join('\n')
  }
}
