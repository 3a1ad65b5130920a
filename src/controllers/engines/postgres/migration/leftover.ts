// Objects that an interrupted statement may leave behind, and the SQL that removes them. The worker derives them from
// the statement's text, and records them with the intent before it sends the statement. Source: PostgreSQL, CREATE
// INDEX, REINDEX and ALTER TABLE, each under "concurrently".
import { jsonAnswer } from '../json-answer.ts'
import { fieldsOf, listOf, type SqlParser, statementsOf } from '../review/sql-parser.ts'
import { identifier, type Sql, sql } from '../sql-text.ts'

export type Leftover =
  /** Invalid index, by its name and its table. */
  | { readonly kind: 'index'; readonly table: string; readonly name: string }
  /** Copies that REINDEX made of one index, or of the indexes of a table. */
  | { readonly kind: 'copies'; readonly of: string }
  /** Partition whose detachment is pending. */
  | { readonly kind: 'detachment'; readonly table: string; readonly partition: string }

/** Names are quoted, with a schema if the statement has one. */
export function leftoversOf(text: string, parser: SqlParser): readonly Leftover[] {
  const parsed = parser.parse(text)
  if ('refusal' in parsed) return []
  return statementsOf(parsed.tree, text).flatMap(({ node: { name, fields } }): readonly Leftover[] => {
    // Many statements name no table: VACUUM of all tables, CALL, DROP INDEX.
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

/** Finds existing leftovers: `schema` and `name` of each, and for a detachment those of its table. */
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

/** Removes one leftover, by a row of the answer. */
export function removeLeftover(row: Readonly<Record<string, string | null>>): Sql {
  const named = (schema: string, name: string) => sql`${identifier(row[schema] ?? '')}.${identifier(row[name] ?? '')}`
  return row['parentName'] === undefined
    ? sql`DROP INDEX CONCURRENTLY IF EXISTS ${named('schema', 'name')}`
    : sql`ALTER TABLE ${named('parentSchema', 'parentName')} DETACH PARTITION ${named('schema', 'name')} FINALIZE`
}

/** Parses recorded leftovers. Ignores items of another form. */
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
