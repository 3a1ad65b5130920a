// How much may a rule cost? Evaluation counts the API server's cost units, and beside them the plain work that those units
// do not see, so that no rule can keep the process busy. Source of the units: github.com/google/cel-go/interpreter/runtimecost.go.

/** A rule ended because it cost too much; the text is the API server's. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded'

  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** The API server's own evaluation would fail inside, and says so. */
export class EvaluationPanic extends Error {
  override readonly name = 'EvaluationPanic'

  constructor(reason: string) {
    super(`internal error: ${reason}`)
  }
}

/** About a second: elements compared or copied that cost units do not count. The API server has a deadline instead. */
const maxWork = 20_000_000

export class Meter {
  readonly #limit: number
  #cost = 0
  #work = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get cost(): number {
    return this.#cost
  }

  /** Counts cost units. Throws CostExceeded above the limit. */
  charge(units: number): void {
    this.#cost += units
    if (this.#cost > this.#limit) throw new CostExceeded()
  }

  /** Counts elements that are touched at no cost. Throws CostExceeded when they are too many. */
  work(elements: number): void {
    this.#work += elements
    if (this.#work > maxWork) throw new CostExceeded()
  }
}
