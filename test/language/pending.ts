// Which findings are errors, and which files are done?

export interface Finding {
  readonly path: string
  readonly line: number
  readonly column: number
  /** `konverge.Openings` */
  readonly rule: string
  readonly message: string
}

export interface Judged {
  readonly findings: readonly Finding[]
  /** Paths that may have findings. */
  readonly pending: readonly string[]
  /** All files were read. */
  readonly isWhole: boolean
}

export interface Verdict {
  readonly errors: readonly Finding[]
  /** Pending paths without a finding. They have to leave the list. */
  readonly done: readonly string[]
}

export function judge({ findings, pending, isWhole }: Judged): Verdict {
  const allowed = new Set(pending)
  const found = new Set(findings.map(({ path }) => path))
  return {
    errors: findings.filter(({ path }) => !allowed.has(path)),
    done: isWhole ? pending.filter((path) => !found.has(path)) : [],
  }
}
