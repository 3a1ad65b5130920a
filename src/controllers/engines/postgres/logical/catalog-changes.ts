// Queries that detect definition changes since a snapshot. Tools and server functions (`COPY`, `pg_get_viewdef`, output
// functions) read the newest definitions regardless of the snapshot. A snapshot is therefore consistent only while its
// definitions are the newest. Pure.
//
// A catalog row that the snapshot sees has `xmax` set if a later transaction updated or deleted it. The row exists as
// long as the snapshot. Rows added since are invisible under the snapshot.
import { ownSchema } from './contents-questions.ts'

/** Transaction id with epoch. No live transaction is 2^31 away from the snapshot. */
const distance = `((c.xmax::text::bigint - s.oldest % 4294967296 + 4294967296) % 4294967296)`
const isChanged = `c.xmax::text <> '0' AND CASE WHEN ${distance} < 2147483648
  THEN pg_catalog.pg_xact_status((s.oldest + ${distance})::text::pg_catalog.xid8) = 'committed' ELSE false END`

const ofRelation = (oid: string) => `${oid} IN (SELECT r.oid FROM pg_catalog.pg_class r
  WHERE r.relpersistence <> 't' AND ${ownSchema('r.relnamespace')})`
const any = 'true'

/** Relevant rows. Temporary tables are excluded, because they change with applications' work. */
const definitions: readonly (readonly [catalog: string, rows: string])[] = [
  ['pg_class', `c.relpersistence <> 't' AND ${ownSchema('c.relnamespace')}`],
  ['pg_attribute', ofRelation('c.attrelid')],
  ['pg_attrdef', ofRelation('c.adrelid')],
  ['pg_index', ofRelation('c.indrelid')],
  ['pg_trigger', ofRelation('c.tgrelid')],
  ['pg_rewrite', ofRelation('c.ev_class')],
  ['pg_policy', ofRelation('c.polrelid')],
  ['pg_inherits', ofRelation('c.inhrelid')],
  ['pg_partitioned_table', ofRelation('c.partrelid')],
  ['pg_sequence', ofRelation('c.seqrelid')],
  ['pg_foreign_table', ofRelation('c.ftrelid')],
  ['pg_constraint', ownSchema('c.connamespace')],
  ['pg_type', ownSchema('c.typnamespace')],
  ['pg_proc', ownSchema('c.pronamespace')],
  ['pg_operator', ownSchema('c.oprnamespace')],
  ['pg_opclass', ownSchema('c.opcnamespace')],
  ['pg_opfamily', ownSchema('c.opfnamespace')],
  ['pg_collation', ownSchema('c.collnamespace')],
  ['pg_conversion', ownSchema('c.connamespace')],
  ['pg_statistic_ext', ownSchema('c.stxnamespace')],
  ['pg_ts_config', ownSchema('c.cfgnamespace')],
  ['pg_ts_dict', ownSchema('c.dictnamespace')],
  ['pg_ts_parser', ownSchema('c.prsnamespace')],
  ['pg_ts_template', ownSchema('c.tmplnamespace')],
  ['pg_namespace', ownSchema('c.oid')],
  ['pg_enum', any],
  ['pg_range', any],
  ['pg_amop', any],
  ['pg_amproc', any],
  ['pg_cast', any],
  ['pg_transform', any],
  ['pg_extension', any],
  ['pg_event_trigger', any],
  ['pg_language', any],
  ['pg_am', any],
  ['pg_foreign_data_wrapper', any],
  ['pg_foreign_server', any],
]

/** Catalogs of types, which no table lock protects, and which determine the text of rows. */
const rowTypes: readonly (readonly [catalog: string, rows: string])[] = [
  ['pg_enum', any],
  ['pg_type', ownSchema('c.typnamespace')],
  ['pg_class', `c.relkind = 'c' AND ${ownSchema('c.relnamespace')}`],
  [
    'pg_attribute',
    `c.attrelid IN (SELECT r.oid FROM pg_catalog.pg_class r WHERE r.relkind = 'c' AND ${ownSchema('r.relnamespace')})`,
  ],
]

/** `definitions`: of all dumped objects. `rowTypes`: of the types of locked tables' columns. */
export type CatalogPart = 'definitions' | 'rowTypes'

/** A catalog has up to four indexes, each with a lock. */
const catalogsAtOnce = 6

/**
 * Returns queries with the column `changed`: catalogs that changed since the transaction's snapshot, separated by
 * commas, or null. Each query reads few catalogs, because the lock table has little room besides the locks of all
 * tables.
 */
export function changedQuestions(part: CatalogPart): readonly string[] {
  const all = part === 'definitions' ? definitions : rowTypes
  const count = Math.ceil(all.length / catalogsAtOnce)
  return Array.from({ length: count }, (_, at) =>
    changedQuestion(all.slice(at * catalogsAtOnce, (at + 1) * catalogsAtOnce)),
  )
}

function changedQuestion(catalogs: typeof definitions): string {
  const parts = catalogs.map(
    ([catalog, rows]) =>
      `SELECT '${catalog}' WHERE EXISTS (SELECT FROM pg_catalog.${catalog} c, s WHERE ${isChanged} AND ${rows})`,
  )
  return `WITH s AS MATERIALIZED (SELECT
      pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint AS oldest)
    SELECT pg_catalog.string_agg(o.name, ', ') AS changed FROM (${parts.join(' UNION ALL ')}) o (name)`
}
