// What may an interrupted statement leave behind, and how is it removed? Known before the statement is sent, from its text, and written
// down with the intent. Source: PostgreSQL, CREATE INDEX, REINDEX and ALTER TABLE, each under "concurrently".
import { jsonAnswer } from '../json-answer.ts'
import { fieldsOf, listOf, type SqlParser, statementsOf } from '../review/sql-parser.ts'
import { identifier, type Sql, sql } from '../sql-text.ts'

export type Leftover =
  /** An index that is not valid: by its name, on its table. */
  | { readonly kind: 'index'; readonly table: string; readonly name: string }
  /** Copies that REINDEX made of the indexes of a table, or of one index. */
  | { readonly kind: 'copies'; readonly of: string }
  /** A partition that has half left its table. */
  | { readonly kind: 'detachment'; readonly table: string; readonly partition: string }

/** Names are as they would be written: quoted, and with a schema if the statement says one. */
export function leftoversOf(text: string, parser: SqlParser): readonly Leftover[] {
  const parsed = parser.parse(text)
  if ('refusal' in parsed) return []
  return statementsOf(parsed.tree, text).flatMap(({ node: { name, fields } }): readonly Leftover[] => {
    // Many statements are about no table: VACUUM of all, CALL, DROP INDEX.
    if (fields['relation'] === undefined) return []
    const table = nameOf(fields['relation'])
    if (name === 'IndexStmt' && fields['concurrent'] === true && typeof fields['idxname'] === 'string') {
      return [{ kind: 'index', table, name: fields['idxname'] }]
    }
    if (name === 'ReindexStmt') return [{ kind: 'copies', of: table }]
    if (name !== 'AlterTableStmt') return []
    return listOf(fields['cmds']).flatMap((command) => {
      const { subtype, def } = fieldsOf(fieldsOf(command)['AlterTableCmd'])
      const partition = fieldsOf(fieldsOf(def)['PartitionCmd'])['name']
      return subtype === 'AT_DetachPartition' ? [{ kind: 'detachment', table, partition: nameOf(partition) }] : []
    })
  })
}

/** Asks which of them are there: `schema` and `name` of each, and for a detachment its table's too. */
export function observeLeftover(leftover: Leftover): { readonly text: string; readonly values: readonly string[] } {
  switch (leftover.kind) {
    case 'index':
      return {
        text: `${indexes} AND i.indrelid = pg_catalog.to_regclass($1) AND c.relname = $2`,
        values: [leftover.table, leftover.name],
      }
    case 'copies':
      return {
        text: `${indexes} AND c.relname ~ '_cc(new|old)[0-9]*$' AND i.indrelid IN (
                 SELECT pg_catalog.to_regclass($1)
                 UNION ALL SELECT own.indrelid FROM pg_catalog.pg_index AS own WHERE own.indexrelid = pg_catalog.to_regclass($1))`,
        values: [leftover.of],
      }
    case 'detachment':
      return {
        text: `SELECT n.nspname AS schema, c.relname AS name, pn.nspname AS "parentSchema", p.relname AS "parentName"
                 FROM pg_catalog.pg_inherits AS h
                 JOIN pg_catalog.pg_class AS c ON c.oid = h.inhrelid JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                 JOIN pg_catalog.pg_class AS p ON p.oid = h.inhparent JOIN pg_catalog.pg_namespace AS pn ON pn.oid = p.relnamespace
                WHERE h.inhdetachpending AND h.inhparent = pg_catalog.to_regclass($1) AND h.inhrelid = pg_catalog.to_regclass($2)`,
        values: [leftover.table, leftover.partition],
      }
  }
}

const indexes = `SELECT n.nspname AS schema, c.relname AS name
  FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE NOT i.indisvalid`

/** Removes what was found, by one row of the answer. */
export function removeLeftover(row: Readonly<Record<string, string | null>>): Sql {
  const named = (schema: string, name: string) => sql`${identifier(row[schema] ?? '')}.${identifier(row[name] ?? '')}`
  return row['parentName'] === undefined
    ? sql`DROP INDEX CONCURRENTLY IF EXISTS ${named('schema', 'name')}`
    : sql`ALTER TABLE ${named('parentSchema', 'parentName')} DETACH PARTITION ${named('schema', 'name')} FINALIZE`
}

/** As they were written down; what is not of this form is nothing. */
export function leftoversIn(text: string | null | undefined): readonly Leftover[] {
  if (text == null) return []
  const value = jsonAnswer(text, 'the traces of a step')
  return listOf(value).flatMap((item): readonly Leftover[] => {
    const { kind, table, name, of, partition } = fieldsOf(item)
    if (kind === 'index' && typeof table === 'string' && typeof name === 'string') return [{ kind, table, name }]
    if (kind === 'copies' && typeof of === 'string') return [{ kind, of }]
    if (kind === 'detachment' && typeof table === 'string' && typeof partition === 'string')
      return [{ kind, table, partition }]
    return []
  })
}

function nameOf(relation: unknown): string {
  const { schemaname, relname } = fieldsOf(relation)
  const name = identifier(typeof relname === 'string' ? relname : '')
  return typeof schemaname === 'string' ? sql`${identifier(schemaname)}.${name}` : name
}
