// Questions whether definitions have changed since a snapshot. Tools and functions of the server (`COPY`, `pg_get_viewdef`, output functions)
// read the newest definitions whatever the snapshot, so that a snapshot is of one state only while its definitions are the newest. Pure.
//
// A row of a catalog that the snapshot sees and that a later transaction has changed or dropped bears the number of that transaction in
// `xmax`. Such a row stays as long as the snapshot does. Rows that were added since are seen by no question under the snapshot.
import { ownSchema } from './contents-questions.ts'

/** The number of the transaction with its epoch: no live one is 2^31 away from the snapshot. */
const distance = `((c.xmax::text::bigint - s.oldest % 4294967296 + 4294967296) % 4294967296)`
const isChanged = `c.xmax::text <> '0' AND CASE WHEN ${distance} < 2147483648
  THEN pg_catalog.pg_xact_status((s.oldest + ${distance})::text::pg_catalog.xid8) = 'committed' ELSE false END`

const ofRelation = (oid: string) => `${oid} IN (SELECT r.oid FROM pg_catalog.pg_class r
  WHERE r.relpersistence <> 't' AND ${ownSchema('r.relnamespace')})`
const any = 'true'

/** Which rows count: those of temporary tables come and go with the work of applications. */
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

/** Those that no lock on a table keeps from being changed, and by which its rows become text. */
const rowTypes: readonly (readonly [catalog: string, rows: string])[] = [
  ['pg_enum', any],
  ['pg_type', ownSchema('c.typnamespace')],
  ['pg_class', `c.relkind = 'c' AND ${ownSchema('c.relnamespace')}`],
  [
    'pg_attribute',
    `c.attrelid IN (SELECT r.oid FROM pg_catalog.pg_class r WHERE r.relkind = 'c' AND ${ownSchema('r.relnamespace')})`,
  ],
]

/** `definitions`: of everything that is saved. `rowTypes`: of the types of locked tables' columns. */
export type CatalogPart = 'definitions' | 'rowTypes'

/** A catalog has up to four indexes, each with a lock. */
const catalogsAtOnce = 6

/**
 * Column `changed` of each: the catalogs that have changed since the snapshot of the transaction, separated by commas; null: none. Few at
 * once, as a server has no room for many locks beside those of all tables.
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
