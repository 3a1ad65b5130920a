// PostgreSQL version of the samples: the newest on this machine that its tools can back up, so that `dev` can show a
// backup. Without such tools, the newest, and a sentence that names the missing tool. Pure.
export interface ShownPostgres {
  /** Value for `spec.version` of a Database. */
  readonly version: string
  /** Reason why the samples contain no backup. */
  readonly whyNoBackup?: string
}

const known = { oldest: 14, newest: 18 }

/** Chooses from the major versions of the servers and of pg_dump. A pg_dump backs up servers up to its own version. */
export function shownPostgres(servers: readonly number[], tools: readonly number[]): ShownPostgres {
  const asked = servers.filter((major) => major >= known.oldest && major <= known.newest)
  const newest = Math.max(...asked, 0) || known.newest
  const savable = Math.max(...asked.filter((major) => tools.some((tool) => tool >= major)), 0)
  if (savable > 0) return { version: String(savable) }
  return {
    version: String(newest),
    whyNoBackup: `this machine has no pg_dump of PostgreSQL ${newest} or newer; install one (Debian: apt-get install postgresql; macOS: brew install postgresql@${newest}) and start again`,
  }
}
