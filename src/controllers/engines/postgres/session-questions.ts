// Statements with JSON answers that list and terminate sessions. They exclude their own session and, unless requested,
// the operator's other sessions.
import type { SessionFilter } from '../engine.ts'
import {
  clientSession,
  foreignSession,
  type JsonQuestion,
  lockedOutSession,
  namesOf,
  notOurs,
} from './observe-server.ts'

export function sessionsQuestion(filter: SessionFilter): JsonQuestion {
  const time = (column: string, digits = '') =>
    `pg_catalog.to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS${digits}"Z"')`
  return {
    text: `SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('pid', a.pid,
        'role', COALESCE(a.usename, ''), 'database', COALESCE(a.datname, ''),
        'applicationName', COALESCE(a.application_name, ''), 'clientAddress', pg_catalog.host(a.client_addr),
        'state', a.state, 'startedAt', ${time('a.backend_start')},
        'waitsForClient', CASE WHEN a.state IS NOT NULL THEN a.wait_event IS NOT DISTINCT FROM 'ClientRead' END,
        'statementStartedAt', ${time('a.query_start', '.US')}, 'copiedBytes', p.bytes_processed)) ORDER BY a.pid), '[]')
      FROM pg_catalog.pg_stat_activity a LEFT JOIN pg_catalog.pg_stat_progress_copy p ON p.pid = a.pid WHERE ${conditionOf(filter)}`,
    values: valuesOf(filter),
  }
}

export function terminateQuestion(filter: SessionFilter): JsonQuestion {
  return {
    text: `SELECT pg_catalog.count(*) FILTER (WHERE pg_catalog.pg_terminate_backend(a.pid))
      FROM pg_catalog.pg_stat_activity a WHERE ${conditionOf(filter)}`,
    values: valuesOf(filter),
  }
}

/**
 * Any login may hold such a lock, through a SECURITY DEFINER function. Sessions of administrators stay, because they
 * have purposes of their own. Superusers count as members of every role.
 */
const blocksFor = `a.pid IN (SELECT pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) FROM pg_catalog.pg_stat_activity w
    WHERE w.usename = current_user AND w.application_name LIKE 'konverge/%' AND w.wait_event_type = 'Lock')
  AND EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.oid = a.usesysid AND NOT s.rolsuper
    AND (NOT s.rolcreaterole OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = ANY (${namesOf('$3')})
      AND (r.oid = s.oid OR pg_catalog.pg_has_role(s.oid, r.oid, 'MEMBER')))))`

/** For a role, and for roles that may not connect, includes WAL senders, which can run statements too. */
function kindOf({ ours, lockedOut, role }: SessionFilter): string {
  if (lockedOut === true) return `${notOurs} AND ${lockedOutSession}`
  if (role !== undefined) return notOurs
  return ours === true ? clientSession : foreignSession
}

const conditionOf = (filter: SessionFilter) => `a.pid <> pg_catalog.pg_backend_pid()
  AND ${kindOf(filter)}${filter.blockedBy === undefined ? '' : ` AND ${blocksFor}`} AND ($1 = '' OR a.datname = $1) AND ($2 = '' OR a.usename = $2)`

function valuesOf({ database = '', role = '', blockedBy }: SessionFilter): readonly string[] {
  return [database, role, ...(blockedBy === undefined ? [] : [JSON.stringify(blockedBy)])]
}
