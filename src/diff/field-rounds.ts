// Counts the corrections of each field of an object. Invariant: a field fight is about one field, so that edits of
// different fields do not add up. Bounded: some fields of each object that was applied in the last ten minutes.

/** A field that differed before an apply. */
export interface SetBack {
  /** In the form of `renderPath`. */
  readonly path: string
  /** Field managers from which the apply took the field; empty if none of them owned it. */
  readonly rivals: readonly string[]
}

export interface Round {
  /** The object and the manager: an object may have several. */
  readonly part: string
  readonly desiredHash: string
  /** Without fields that the server always stores with another value. */
  readonly fields: readonly SetBack[]
  /** Time of the response on any monotonic clock, in milliseconds. */
  readonly nowMs: number
}

/** Progress of the applies of one object. */
export type Settling =
  | { readonly kind: 'settling'; readonly rounds: number }
  /** The same desired object had to be applied `rounds` times for each of these fields. */
  | {
      readonly kind: 'not-converging'
      readonly rounds: number
      readonly paths: readonly string[]
      /** The managers from which these fields were taken most often. */
      readonly rivals: readonly string[]
    }

export interface FieldRoundsOptions {
  /** Rounds of one field after which it counts as not converging. Default 3. */
  readonly rounds?: number
  /** Applies of one object within `quietMs` after which it counts as not converging, whatever differed. Default 20. */
  readonly mostApplies?: number
  /** Time without a difference after which a field starts again at round one. Default 600000, ten minutes. */
  readonly quietMs?: number
}

interface FieldRound {
  readonly rounds: number
  /** Number of corrections from each manager. */
  readonly rivals: ReadonlyMap<string, number>
  readonly learnedMs: number
}

interface Applies {
  readonly desiredHash: string
  readonly since: number
  readonly count: number
  readonly fields: ReadonlyMap<string, FieldRound>
  readonly learnedMs: number
}

/** Fields of one apply; more do not help to find the other writer. */
export const maxFields = 20
const maxRemembered = 64
const maxRivals = 8
/** An apply without a known field, as after the managedFields entry was removed. */
const unknownField: SetBack = { path: '', rivals: [] }

export class FieldRounds {
  readonly #rounds: number
  readonly #mostApplies: number
  readonly #quietMs: number
  /** By part, the oldest first. */
  readonly #applies = new Map<string, Applies>()

  constructor({ rounds = 3, mostApplies = 20, quietMs = 600_000 }: FieldRoundsOptions = {}) {
    this.#rounds = rounds
    this.#mostApplies = mostApplies
    this.#quietMs = quietMs
  }

  /** Number of remembered objects. */
  get size(): number {
    return this.#applies.size
  }

  /** True if an apply of this part is remembered. */
  knows(part: string): boolean {
    return this.#applies.has(part)
  }

  /**
   * Records an apply. Rounds of a field count applies of the same desired object without a quiet time in between.
   * States that looked settled meanwhile do not reset them: in a fight with another writer there is one after each
   * round.
   */
  learn({ part, desiredHash, fields, nowMs }: Round): Settling {
    const last = this.#applies.get(part)
    const before = last?.desiredHash === desiredHash ? last : undefined
    const now = (fields.length === 0 ? [unknownField] : fields).slice(0, maxFields)
    const young = [...(before?.fields ?? [])].filter(([, { learnedMs }]) => nowMs - learnedMs < this.#quietMs)
    const remembered = new Map(young)
    for (const { path, rivals } of now) {
      const round = nextRound(remembered.get(path), rivals, nowMs)
      remembered.delete(path)
      remembered.set(path, round)
    }
    const isSameTime = before !== undefined && nowMs - before.since < this.#quietMs
    const since = isSameTime ? before.since : nowMs
    const count = isSameTime ? before.count + 1 : 1
    const kept = new Map([...remembered].slice(-maxRemembered))
    this.#applies.delete(part)
    this.#applies.set(part, { desiredHash, since, count, fields: kept, learnedMs: nowMs })
    this.#forget(nowMs - this.#quietMs)
    return this.#settling(now, kept, count)
  }

  #settling(now: readonly SetBack[], kept: ReadonlyMap<string, FieldRound>, count: number): Settling {
    const rounds = now.map(({ path }) => [path, kept.get(path)?.rounds ?? 1] as const)
    const most = Math.max(...rounds.map(([, times]) => times))
    const fought = rounds.filter(([, times]) => times >= this.#rounds).map(([path]) => path)
    const isTooOften = count >= this.#mostApplies
    if (fought.length === 0 && !isTooOften) return { kind: 'settling', rounds: most }
    const paths = fought.length > 0 ? fought : now.map(({ path }) => path)
    const rivals = new Set(paths.flatMap((path) => mostFrequent(kept.get(path)?.rivals ?? new Map())))
    return {
      kind: 'not-converging',
      rounds: fought.length > 0 ? most : count,
      paths: paths.filter((path) => path !== unknownField.path),
      rivals: [...rivals],
    }
  }

  /** Linear in the dropped entries: the oldest come first. */
  #forget(untilMs: number): void {
    for (const [part, { learnedMs }] of this.#applies) {
      if (learnedMs > untilMs) return
      this.#applies.delete(part)
    }
  }
}

function nextRound(before: FieldRound | undefined, rivals: readonly string[], nowMs: number): FieldRound {
  const counts = new Map(before?.rivals ?? [])
  for (const rival of rivals)
    if (counts.size < maxRivals || counts.has(rival)) counts.set(rival, (counts.get(rival) ?? 0) + 1)
  return { rounds: (before?.rounds ?? 0) + 1, rivals: counts, learnedMs: nowMs }
}

function mostFrequent(counts: ReadonlyMap<string, number>): readonly string[] {
  const most = Math.max(...counts.values())
  return [...counts].filter(([, count]) => count === most).map(([rival]) => rival)
}
