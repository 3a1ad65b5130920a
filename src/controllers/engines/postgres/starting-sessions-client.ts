// Starting sessions: they have passed the login checks, but `pg_stat_activity` does not show their role yet. A client
// can prolong this state by `post_auth_delay`. Invariant: each holds its transaction's lock from before the checks
// until its role is visible. Source: PostgreSQL, src/backend/utils/init/postinit.c.
import type { DatabaseServer } from '../engine.ts'
import { EngineError } from '../engine-error.ts'

type Queries = Pick<DatabaseServer, 'query' | 'queryJson'>

/** Returns process ids. Reads locks first: a session that starts in between is in both answers, and is omitted. */
export async function startingSessions(server: Queries): Promise<readonly number[]> {
  const [held] = await server.query({ text: heldQuestion, values: [], isLook: true })
  const question = { text: startingQuestion, values: [String(held?.['answer'])] }
  // Sound: the question builds it from numbers.
  return (await server.queryJson(question, 'sessions')) as readonly number[]
}

/**
 * Terminates one. Returns false if the administrator lacks the privilege. The session's role is then one of which the
 * administrator is not a member. Or it has no role yet, because PostgreSQL still checks whether the role may log in.
 */
export async function endStartingSession(server: Queries, pid: number): Promise<boolean> {
  try {
    await server.query({ text: endQuestion, values: [String(pid)], isLook: true })
    return true
  } catch (error) {
    if (error instanceof EngineError && error.code === 'InsufficientPrivilege') return false
    throw error
  }
}

/** Processes in a transaction, including the one in which a session starts. */
const heldQuestion = `SELECT COALESCE(pg_catalog.jsonb_agg(DISTINCT l.pid), '[]') AS answer FROM pg_catalog.pg_locks l
  WHERE l.locktype = 'virtualxid' AND l.pid IS NOT NULL AND l.pid <> pg_catalog.pg_backend_pid()`

/** $1: processes. PostgreSQL 18 also lists starting sessions, without a role. */
const startingQuestion = `SELECT COALESCE(pg_catalog.jsonb_agg(h.pid), '[]') AS answer
  FROM (SELECT p.value::int AS pid FROM pg_catalog.jsonb_array_elements_text($1::jsonb) p) h
  WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity a
    WHERE a.pid = h.pid AND (a.usesysid IS NOT NULL OR a.backend_type NOT IN ('client backend', 'walsender')))`

const endQuestion = 'SELECT pg_catalog.pg_terminate_backend($1::int)::text AS ended'
