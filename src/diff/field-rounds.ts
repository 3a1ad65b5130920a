// Counts how often the fields of an object had to be set back. Invariant: a fight is about one field, so that edits of different fields do not
// add up. Bounded: some fields of each object that was applied in the last ten minutes.

/** A field that differed before an apply. */
export interface SetBack {
  /** Rendered. */
  readonly path: string
  /** Field managers from whom the apply took it back; empty if none of them owned it. */
  readonly rivals: readonly string[]
}

export interface Round {
  /** The object and the manager: an object may have several. */
  readonly part: string
  readonly desiredHash: string
  /** Without those that the server always answers otherwise. */
  readonly fields: readonly SetBack[]
  /** When the response came; any clock that does not go back, in milliseconds. */
  readonly nowMs: number
}

/** How the applies of one object go. */
export type Settling =
  | { readonly kind: 'settling'; readonly rounds: number }
  /** The same desired object had to be applied `rounds` times for each of these fields. */
  | {
      readonly kind: 'not-converging'
      readonly rounds: number
      readonly paths: readonly string[]
      /** Those from whom these fields were taken back most often. */
      readonly rivals: readonly string[]
    }

export interface FieldRoundsOptions {
  /** Rounds of one field after which it counts as not converging. Default 3. */
  readonly rounds?: number
  /** Applies of one object within `quietMs` after which it counts as not converging, whatever differed. Default 20. */
  readonly mostApplies?: number
  /** A field that differed nowhere for this long starts again at round one. Default 600000, ten minutes. */
  readonly quietMs?: number
}

interface FieldRound {
  readonly rounds: number
  /** How often it was taken back from each manager. */
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
/** An apply for no field that is known, as where the record of our fields was removed. */
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

  /** How many objects it remembers something of. */
  get size(): number {
    return this.#applies.size
  }

  /** An apply of this part is remembered. */
  knows(part: string): boolean {
    return this.#applies.has(part)
  }

  /**
   * Takes in an apply. Rounds of a field count applies of the same desired object with no quiet time in between, however often the object
   * looked settled meanwhile: in a fight with another writer it does after each of our rounds.
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

  /** Linear in what is forgotten: the oldest come first. */
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
