// Which session serves the next use? One that is idle in the same database; else a new one, for which, if there are as many as
// allowed, the one that has been idle longest in another database has to go. Who visits a database will come back to his session:
// others wait for one to become free before they take it. Pure.

export interface SessionState {
  readonly database: string
  /** On a clock that never goes back; undefined: in use. */
  readonly idleSinceMs: number | undefined
}

export interface SessionAsk {
  readonly database: string
  readonly limit: number
  /** The databases that visitors are in. */
  readonly visited: ReadonlySet<string>
}

export type SessionChoice<S> =
  | { readonly kind: 'reuse'; readonly session: S }
  | { readonly kind: 'open' }
  /** Close it, then open one. */
  | { readonly kind: 'replace'; readonly session: S }
  /** One in use will be free. */
  | { readonly kind: 'wait' }

export function chooseSession<S extends SessionState>(
  sessions: readonly S[],
  { database, limit, visited }: SessionAsk,
): SessionChoice<S> {
  const idle = sessions
    .filter(({ idleSinceMs }) => idleSinceMs !== undefined)
    .toSorted((left, right) => (left.idleSinceMs ?? 0) - (right.idleSinceMs ?? 0))
  // Of several the one used last: the others may go when they have been idle for long.
  const fitting = idle.findLast((session) => session.database === database)
  if (fitting !== undefined) return { kind: 'reuse', session: fitting }
  if (sessions.length < limit) return { kind: 'open' }
  const isOneInUse = idle.length < sessions.length
  const oldest = idle.find((session) => !visited.has(session.database)) ?? (isOneInUse ? undefined : idle[0])
  return oldest === undefined ? { kind: 'wait' } : { kind: 'replace', session: oldest }
}
