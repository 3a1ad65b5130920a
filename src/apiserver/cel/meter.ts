// Cost meter of rules. It counts the API server's cost units, and separately the work that those units omit, so that no
// rule blocks the
// process. Source of the units: github.com/google/cel-go/interpreter/runtimecost.go.

/** Error for a rule that exceeds its cost limit, with the API server's text. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded'

  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** Error for an evaluation that panics in the API server, which reports it. */
export class EvaluationPanic extends Error {
  override readonly name = 'EvaluationPanic'

  constructor(reason: string) {
    super(`internal error: ${reason}`)
  }
}

/** About one second of elements compared or copied without cost units. The API server has a deadline instead. */
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

  /** Counts elements that an operation touches without cost units. Throws CostExceeded above the limit. */
  work(elements: number): void {
    this.#work += elements
    if (this.#work > maxWork) throw new CostExceeded()
  }
}
