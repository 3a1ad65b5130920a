// Positions of a database's sequences. Read from each sequence, because the catalogs do not have the next value of a
// sequence that was set but not used.

import type { StatementServer } from '../../engine.ts'
import type { SequencePosition, TableName } from '../../replication.ts'
import { integer, literal, qualified, type Sql, sql, unionAll } from '../sql-text.ts'
import { sequenceNames } from './replication-questions.ts'

/** Number of sequences in a statement. Each takes a lock until the statement ends. */
const atOnce = 500

export async function readSequencePositions(
  server: StatementServer,
  database: string,
): Promise<readonly SequencePosition[]> {
  // Sound: the types are those that the statement builds.
  const names = ((await server.queryJson({ text: sequenceNames, database }, 'sequences')) ?? []) as readonly TableName[]
  const positions: SequencePosition[] = []
  for (let from = 0; from < names.length; from += atOnce) {
    const some = names.slice(from, from + atOnce)
    for (const { at, value, is_called } of await server.query({
      text: positionsQuestion(some),
      database,
      isLook: true,
    })) {
      const name = some[Number(at)]
      if (name !== undefined) positions.push({ ...name, value: String(value), isGiven: String(is_called) === 'true' })
    }
  }
  return positions
}

/**
 * Rejects views where the server supports that. Otherwise a role that replaces a sequence by a view could run code as
 * the admin.
 */
function positionsQuestion(names: readonly TableName[]): Sql {
  const each = names.map(
    ({ schema, name }, at) =>
      sql`SELECT ${integer(at)} AS at, q.last_value::text AS value, q.is_called::text AS is_called FROM ${qualified(schema, name)} q`,
  )
  return sql`SELECT pg_catalog.set_config(s.name, ${literal('view, foreign-table')}, true) FROM pg_catalog.pg_settings s
    WHERE s.name = 'restrict_nonsystem_relation_kind'; ${unionAll(each)}`
}
