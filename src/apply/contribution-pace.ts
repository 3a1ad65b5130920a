// Stops loops of a resource that contributes to itself and whose declaration depends on its contribution: each write
// triggers it, and the next declaration differs. Invariant: a bounded number of writes in a row, then a pause.
import { CodedError } from '../base/errors.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'

/** More writes than any converging controller makes within a minute. */
const mostWrites = 20
const rowMs = 60_000

interface Row {
  readonly sinceMs: number
  readonly lastMs: number
  readonly writes: number
  readonly isHeld: boolean
}

export class ContributionPace {
  readonly #holdMs: number
  /** By uid, the last written at the end. Additions drop expired entries. */
  readonly #rows = new Map<string, Row>()

  constructor(holdMs: number) {
    this.#holdMs = holdMs
  }

  /** Records a coming write of the object. Throws a CodedError `NotConverging` instead after too many writes. */
  enter(live: LiveObject, nowMs: number): void {
    const { uid } = live.metadata
    const row = this.#rows.get(uid)
    if (row?.isHeld === true && nowMs < row.lastMs + this.#holdMs) throw this.#tooOften(live)
    const isInRow = row !== undefined && !row.isHeld && nowMs < row.sinceMs + rowMs
    const writes = isInRow ? row.writes + 1 : 1
    const isHeld = writes > mostWrites
    this.#rows.delete(uid)
    this.#dropOlder(nowMs - Math.max(rowMs, this.#holdMs))
    this.#rows.set(uid, { sinceMs: isInRow ? row.sinceMs : nowMs, lastMs: nowMs, writes, isHeld })
    if (isHeld) throw this.#tooOften(live)
  }

  /** Linear in the dropped entries: the oldest come first. */
  #dropOlder(untilMs: number): void {
    for (const [uid, { lastMs }] of this.#rows) {
      if (lastMs > untilMs) return
      this.#rows.delete(uid)
    }
  }

  #tooOften(live: LiveObject): CodedError<'NotConverging'> {
    const message = `${describeRef(refOf(live))} contributed to itself ${mostWrites} times within a minute, each time otherwise; do not let observe go by what the resource contributes to itself`
    return new CodedError({ code: 'NotConverging', message, remedy: 'retry', retryAfterMs: this.#holdMs })
  }
}
