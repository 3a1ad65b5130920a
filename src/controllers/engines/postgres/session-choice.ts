// Choice of the session for the next use. An idle session in the same database wins, else a new one. At the limit, the
// session that has been idle longest in another database is replaced. A visitor will return to its session, so others
// prefer to wait for a busy one. Pure.

export interface SessionState {
  readonly database: string
  /** Monotonic time. Undefined: in use. */
  readonly idleSinceMs: number | undefined
}

export interface SessionAsk {
  readonly database: string
  readonly limit: number
  /** Databases that visitors are in. */
  readonly visited: ReadonlySet<string>
}

export type SessionChoice<S> =
  | { readonly kind: 'reuse'; readonly session: S }
  | { readonly kind: 'open' }
  /** Close it, then open a new one. */
  | { readonly kind: 'replace'; readonly session: S }
  /** Wait for a busy session. */
  | { readonly kind: 'wait' }

export function chooseSession<S extends SessionState>(
  sessions: readonly S[],
  { database, limit, visited }: SessionAsk,
): SessionChoice<S> {
  const idle = sessions
    .filter(({ idleSinceMs }) => idleSinceMs !== undefined)
    .toSorted((left, right) => (left.idleSinceMs ?? 0) - (right.idleSinceMs ?? 0))
  // Among several, the most recently used: the others can reach the idle timeout.
  const fitting = idle.findLast((session) => session.database === database)
  if (fitting !== undefined) return { kind: 'reuse', session: fitting }
  if (sessions.length < limit) return { kind: 'open' }
  const isOneInUse = idle.length < sessions.length
  const oldest = idle.find((session) => !visited.has(session.database)) ?? (isOneInUse ? undefined : idle[0])
  return oldest === undefined ? { kind: 'wait' } : { kind: 'replace', session: oldest }
}
