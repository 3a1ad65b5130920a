// SQL with which a copy reads and writes. Values travel in the text form of their types, so that nothing is lost. Only
// the source orders rows, by the index of the key, so that no collation of the target matters.
import type { TableName } from '../../migration-step.ts'
import { jsonAnswer } from '../json-answer.ts'
import { listOf } from '../review/sql-parser.ts'
import type { QueryAnswer } from '../session-client.ts'
import { commaList, identifier, integer, literal, qualified, type Sql, sql } from '../sql-text.ts'
import type { CopyPlan, TypeName } from './copy-plan.ts'
import type { Statement } from './mark-statements.ts'

/** Makes equal values equal texts on both servers. */
export const sameTexts = sql`SET DateStyle TO 'ISO, YMD'; SET IntervalStyle TO 'postgres'; SET TimeZone TO 'UTC';
  SET extra_float_digits TO 1; SET bytea_output TO 'hex'; SET lc_monetary TO 'C'`

/**
 * Allows a batch or a digest the step's timeout. If a policy hides rows, the read fails instead of leaving them out.
 */
export function sourceSettings(timeoutMs: number): Sql {
  return sql`${sameTexts}; SET row_security TO off; SET statement_timeout TO ${integer(timeoutMs)}`
}

/** Begins a transaction that reads a snapshot which another session holds. */
export function beginAt(snapshot: string): Sql {
  return sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout TO 0;
  SET TRANSACTION SNAPSHOT ${literal(snapshot)}`
}

/** Empties tables whose rows are of a snapshot that no longer exists. */
export function emptyTables(tables: readonly TableName[]): Sql {
  return sql`TRUNCATE ${commaList(tables.map(({ schema, name }) => sql`ONLY ${qualified(schema, name)}`))}`
}

/** One row, whose text is JSON. No row if the table does not exist. */
export function observeTable({ schema, name }: TableName): Statement {
  return { text: tableShape, values: [schema, name] }
}

const tableShape = `
  SELECT pg_catalog.json_build_object(
    'isPartitioned', t.relkind = 'p',
    'heirs', (WITH RECURSIVE heir AS (
                SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = t.oid AND t.relkind = 'r'
                UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN heir ON i.inhparent = heir.oid)
              SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname) ORDER BY n.nspname, c.relname)
                FROM heir JOIN pg_catalog.pg_class AS c ON c.oid = heir.oid JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
               WHERE c.relpersistence <> 't'),
    'rowEstimate', CASE t.relkind WHEN 'p'
        THEN (SELECT CASE WHEN bool_and(c.reltuples >= 0) THEN sum(c.reltuples) ELSE -1 END
                FROM pg_catalog.pg_partition_tree(t.oid) AS p JOIN pg_catalog.pg_class AS c ON c.oid = p.relid WHERE p.isleaf)
        ELSE t.reltuples END,
    'columns', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'typeSchema', n.nspname, 'typeName', y.typname,
                         'isGenerated', a.attgenerated <> '') ORDER BY a.attnum)
                  FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS y ON y.oid = a.atttypid
                  JOIN pg_catalog.pg_namespace AS n ON n.oid = y.typnamespace
                 WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped),
    'keys', (SELECT pg_catalog.json_agg(k.names ORDER BY k.indisprimary DESC, k.indexrelid)
               FROM (SELECT i.indisprimary, i.indexrelid,
                            (SELECT pg_catalog.json_agg(a.attname ORDER BY o.at)
                               FROM pg_catalog.unnest(i.indkey::int2[]) WITH ORDINALITY AS o (attnum, at)
                               JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = o.attnum
                              WHERE o.at <= i.indnkeyatts) AS names
                       FROM pg_catalog.pg_index AS i
                      WHERE i.indrelid = t.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
                        AND i.indpred IS NULL AND i.indexprs IS NULL
                        AND NOT EXISTS (SELECT FROM pg_catalog.unnest(i.indkey::int2[]) WITH ORDINALITY AS o (attnum, at)
                                          JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = o.attnum
                                         WHERE o.at <= i.indnkeyatts AND NOT a.attnotnull)) AS k),
    'sequences', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('column', a.attname, 'oid', s.oid::text,
                           'name', pg_catalog.format('%I.%I', sn.nspname, s.relname),
                           'isSettable', pg_catalog.has_sequence_privilege(s.oid, 'UPDATE'),
                           'lastValue', CASE WHEN pg_catalog.has_sequence_privilege(s.oid, 'SELECT,USAGE')
                                             THEN pg_catalog.pg_sequence_last_value(s.oid)::text END))
                    FROM (SELECT d.objid AS sequence, d.refobjsubid AS attnum FROM pg_catalog.pg_depend AS d
                           WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = t.oid AND d.deptype IN ('a', 'i')
                          UNION
                          SELECT d.refobjid, f.adnum FROM pg_catalog.pg_attrdef AS f JOIN pg_catalog.pg_depend AS d
                              ON d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.objid = f.oid
                             AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
                           WHERE f.adrelid = t.oid) AS used
                    JOIN pg_catalog.pg_class AS s ON s.oid = used.sequence AND s.relkind = 'S'
                    JOIN pg_catalog.pg_namespace AS sn ON sn.oid = s.relnamespace
                    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = used.attnum)
  )::text AS shape
    FROM pg_catalog.pg_class AS t JOIN pg_catalog.pg_namespace AS ns ON ns.oid = t.relnamespace
   WHERE ns.nspname = $1 AND t.relname = $2 AND t.relkind IN ('r', 'p')`

/**
 * One row: `rows`, `c0`, `c1`, … with all values of a column as one array, and `k0`, `k1`, … with the key of the last
 * row. The copy passes the arrays to the target without parsing them.
 */
export function readBatch(plan: CopyPlan, after: readonly string[] | undefined, maxRows: number): Statement {
  const { columns, key } = plan
  const keyColumns = key.map((at) => identifier(columns[at]?.name ?? ''))
  const inner = columns.map(({ name }, at) => sql`${identifier(name)}::text AS ${value(at)}`)
  const outer = columns.map((_, at) => sql`pg_catalog.array_agg(${value(at)} ORDER BY place)::text AS ${value(at)}`)
  const last = key.map(
    (at, place) => sql`(pg_catalog.array_agg(${value(at)} ORDER BY place DESC))[1] AS ${identifier(`k${place}`)}`,
  )
  const bounds = key.map((at, place) => sql`${parameter(place + 1)}::text::${typed(columns[at]?.sourceType)}`)
  const where = after === undefined ? sql`` : sql`WHERE (${commaList(keyColumns)}) > (${commaList(bounds)})`
  const order = commaList(keyColumns)
  const text = sql`SELECT count(*)::text AS rows, ${commaList([...outer, ...last])}
    FROM (SELECT ${commaList(inner)}, pg_catalog.row_number() OVER (ORDER BY ${order}) AS place
            FROM ${rowsOf(plan, 'source')} ${where} ORDER BY ${order} LIMIT ${integer(maxRows)}) AS batch`
  return { text, values: after ?? [] }
}

/** Keeps existing rows. The comparison at the end shows whether they are right. */
export function writeBatch({ columns, table }: CopyPlan, arrays: readonly (string | null)[]): Statement {
  const names = columns.map(({ name }) => identifier(name))
  const values = columns.map((_, at) => value(at))
  const casts = columns.map(({ targetType }, at) => sql`batch.${value(at)}::${typed(targetType)}`)
  const parameters = columns.map((_, at) => sql`${parameter(at + 1)}::text[]`)
  const text = sql`INSERT INTO ${qualified(table.schema, table.name)} (${commaList(names)}) OVERRIDING SYSTEM VALUE
    SELECT ${commaList(casts)} FROM ROWS FROM (${commaList(parameters.map((item) => sql`pg_catalog.unnest(${item})`))})
      AS batch (${commaList(values)})
    ON CONFLICT DO NOTHING`
  return { text, values: arrays }
}

/**
 * Number of all rows, and a digest that does not depend on their order. The digest covers columns of the same type on
 * both servers.
 */
export function digestOf(plan: CopyPlan, side: 'source' | 'target'): Statement {
  const same = plan.columns.filter(({ sourceType, targetType }) => isSame(sourceType, targetType))
  const texts = same.map(({ name }) => sql`${identifier(name)}::text`)
  const text = sql`SELECT count(*)::text AS rows,
      coalesce(sum(('x' || pg_catalog.substr(pg_catalog.md5(ARRAY[${commaList(texts)}]::text[]::text), 1, 15))::bit(60)::bigint), 0)::text
        AS digest
    FROM ${rowsOf(plan, side)}`
  return { text, values: [] }
}

/** Excludes rows of tables that inherit from it, which have other keys. */
function rowsOf({ table: { schema, name }, isPartitioned }: CopyPlan, side: 'source' | 'target'): Sql {
  return isPartitioned[side] ? qualified(schema, name) : sql`ONLY ${qualified(schema, name)}`
}

function isSame(left: TypeName, right: TypeName): boolean {
  return left.schema === right.schema && left.name === right.name
}

/** Moves a sequence only forward: the target may have issued values of its own. */
export function raiseSequence(oid: string, lastValue: string): Statement {
  const text = `SELECT pg_catalog.setval($1::oid::pg_catalog.regclass, $2::bigint)
                 WHERE $2::bigint > coalesce(pg_catalog.pg_sequence_last_value($1::oid), 0)`
  return { text, values: [oid, lastValue] }
}

export interface ProgressKey {
  readonly migration: string
  readonly step: string
  readonly checksum: string
}

export function readProgress({ migration, step, checksum }: ProgressKey): Statement {
  const text = `SELECT table_name AS "table", watermark, rows_copied AS rows, is_done AS "isDone" FROM _konverge.copy_progress
                 WHERE migration = $1 AND step = $2 AND checksum = $3`
  return { text, values: [migration, step, checksum] }
}

export interface Progress {
  readonly table: string
  readonly watermark: readonly string[] | undefined
  readonly rows: number
  readonly isDone: boolean
}

export function progressIn({ rows }: QueryAnswer): ReadonlyMap<string, Progress> {
  return new Map(
    rows.map(({ table, watermark, rows: count, isDone }) => [
      table ?? '',
      {
        table: table ?? '',
        watermark: watermark == null ? undefined : listOf(jsonAnswer(watermark, 'how far a copy is')).map(String),
        rows: Number(count),
        isDone: isDone === 't',
      },
    ]),
  )
}

export function writeProgress(
  { migration, step, checksum }: ProgressKey,
  { table, watermark, rows, isDone }: Progress,
): Statement {
  const text = `INSERT INTO _konverge.copy_progress (migration, step, checksum, table_name, watermark, rows_copied, is_done)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                ON CONFLICT (migration, step, checksum, table_name) DO UPDATE
                  SET watermark = EXCLUDED.watermark, rows_copied = EXCLUDED.rows_copied, is_done = EXCLUDED.is_done`
  const mark = watermark === undefined ? null : JSON.stringify(watermark)
  return { text, values: [migration, step, checksum, table, mark, rows, isDone] }
}

/** Name for messages, and key of the progress. */
export function tableText({ schema, name }: TableName): string {
  return `${schema}.${name}`
}

function value(at: number): Sql {
  return identifier(`c${at}`)
}

function parameter(place: number): Sql {
  return sql`$${integer(place)}`
}

function typed(type: TypeName | undefined): Sql {
  return qualified(type?.schema ?? '', type?.name ?? '')
}
