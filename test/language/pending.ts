// Verdict on findings. Invariant: the list of pending files only shrinks.

export interface Finding {
  readonly path: string
  readonly line: number
  readonly column: number
  /** Name of the rule, for example `konverge.Openings`. */
  readonly rule: string
  readonly message: string
}

export interface Judged {
  readonly findings: readonly Finding[]
  /** Paths that may have findings. */
  readonly pending: readonly string[]
}

export interface Verdict {
  readonly errors: readonly Finding[]
  /** Pending paths without a finding. They must leave the list. */
  readonly done: readonly string[]
}

export function judge({ findings, pending }: Judged): Verdict {
  const allowed = new Set(pending)
  const found = new Set(findings.map(({ path }) => path))
  return {
    errors: findings.filter(({ path }) => !allowed.has(path)),
    done: pending.filter((path) => !found.has(path)),
  }
}
