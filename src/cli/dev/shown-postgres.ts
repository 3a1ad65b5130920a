// Which PostgreSQL do the samples ask for? The newest of this machine that its own tools can save, so that a backup can be shown; without
// such tools the newest, and one sentence that says what is missing. Pure.
export interface ShownPostgres {
  /** As a Database asks for it. */
  readonly version: string
  /** Why no backup can be shown. */
  readonly whyNoBackup?: string
}

const known = { oldest: 14, newest: 18 }

/** Major versions: of servers, and of pg_dump, which saves servers up to its own. */
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
