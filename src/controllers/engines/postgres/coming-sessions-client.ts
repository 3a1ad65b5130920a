// Sessions that are on their way in: past the questions whether their role may log in and connect, and not seen in any database yet. Any
// client may stay there for as long as it wants, by `post_auth_delay`. Each holds the lock of a transaction, from before it is asked until
// it is seen. Whose they are, nobody can see.
// Source: PostgreSQL, src/backend/utils/init/postinit.c.
import type { DatabaseServer } from '../engine.ts'
import { EngineError } from '../engine-error.ts'

type Asked = Pick<DatabaseServer, 'query' | 'queryJson'>

/** Their process ids. First the locks, then who is seen: who passes from the one to the other in between is in both. */
export async function comingSessions(server: Asked): Promise<readonly number[]> {
  const [held] = await server.query({ text: heldQuestion, values: [], isLook: true })
  const question = { text: comingQuestion, values: [String(held?.['answer'])] }
  // Sound: the question builds it of numbers.
  return (await server.queryJson(question, 'sessions')) as readonly number[]
}

/**
 * False where the administrator may not: then it is no session of a role that he is a member of. Until it has a role, only superusers may
 * end it, and it is asked whether its role may log in only later.
 */
export async function endComingSession(server: Asked, pid: number): Promise<boolean> {
  try {
    await server.query({ text: endQuestion, values: [String(pid)], isLook: true })
    return true
  } catch (error) {
    if (error instanceof EngineError && error.code === 'InsufficientPrivilege') return false
    throw error
  }
}

/** Processes that are in a transaction, if only in that in which a session begins. */
const heldQuestion = `SELECT COALESCE(pg_catalog.jsonb_agg(DISTINCT l.pid), '[]') AS answer FROM pg_catalog.pg_locks l
  WHERE l.locktype = 'virtualxid' AND l.pid IS NOT NULL AND l.pid <> pg_catalog.pg_backend_pid()`

/** $1: processes. From version 18 on those that begin are seen too, of no role yet. */
const comingQuestion = `SELECT COALESCE(pg_catalog.jsonb_agg(h.pid), '[]') AS answer
  FROM (SELECT p.value::int AS pid FROM pg_catalog.jsonb_array_elements_text($1::jsonb) p) h
  WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity a
    WHERE a.pid = h.pid AND (a.usesysid IS NOT NULL OR a.backend_type NOT IN ('client backend', 'walsender')))`

const endQuestion = 'SELECT pg_catalog.pg_terminate_backend($1::int)::text AS ended'
