// Checks a table's foreign keys for missing referenced rows, with one statement for each key. Logical replication does
// not check them. Pure.
import type { TableName } from '../../migration-step.ts'
import type { Statement } from './mark-statements.ts'

/**
 * A row for each foreign key: `name`, and `question` for `orphansOf`, quoted by the server. A key with a null column
 * references no row, as in the server's own check.
 */
export function referencesOf({ schema, name }: TableName): Statement {
  return { text: references, values: [schema, name] }
}

export function orphansOf(question: string): Statement {
  return { text: question, values: [] }
}

const references = `
  SELECT k.conname AS name,
         pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS c WHERE %s AND NOT EXISTS (SELECT FROM %s AS p WHERE %s)) AS "isThere"',
           pg_catalog.format('%I.%I', n.nspname, t.relname), pairs.given, pg_catalog.format('%I.%I', rn.nspname, r.relname), pairs.same)
           AS question
    FROM pg_catalog.pg_constraint AS k
    JOIN pg_catalog.pg_class AS t ON t.oid = k.conrelid JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
    JOIN pg_catalog.pg_class AS r ON r.oid = k.confrelid JOIN pg_catalog.pg_namespace AS rn ON rn.oid = r.relnamespace,
    LATERAL (
      SELECT pg_catalog.string_agg(pg_catalog.format('c.%I IS NOT NULL', a.attname), ' AND ') AS given,
             pg_catalog.string_agg(pg_catalog.format('p.%I OPERATOR(%I.%s) c.%I', b.attname, o.schema, o.name, a.attname), ' AND ') AS same
        FROM ROWS FROM (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey), pg_catalog.unnest(k.conpfeqop)) AS pair (child, parent, operator)
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = pair.child
        JOIN pg_catalog.pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = pair.parent
        JOIN (SELECT q.oid, q.oprname AS name, s.nspname AS schema
                FROM pg_catalog.pg_operator AS q JOIN pg_catalog.pg_namespace AS s ON s.oid = q.oprnamespace) AS o ON o.oid = pair.operator
    ) AS pairs
   WHERE k.contype = 'f' AND n.nspname = $1 AND t.relname = $2
   ORDER BY k.conname`
