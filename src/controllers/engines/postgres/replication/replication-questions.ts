// Statements that observe both servers of a replication: one each, in the database itself, with a JSON answer. They
// read only catalogs and take no locks. Pure.

const ownSchema = `n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'`
const ofNoExtension = `NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
  WHERE e.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND e.objid = c.oid AND e.deptype = 'e')`

const relations = (
  kind: 'r' | 'S',
) => `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = '${kind}' AND c.relpersistence <> 't' AND ${ownSchema} AND ${ofNoExtension}`

const serverJson = `'admin', current_user, 'isReadOnly', pg_catalog.current_setting('transaction_read_only') = 'on'`

const sequencesJson = `(SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('schema', n.nspname, 'name', c.relname,
    'isReadable', pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE'),
    'lastValue', CASE WHEN pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE')
      THEN pg_catalog.pg_sequence_last_value(c.oid)::text END,
    'increment', (SELECT q.seqincrement::text FROM pg_catalog.pg_sequence q WHERE q.seqrelid = c.oid))
    ORDER BY n.nspname, c.relname) ${relations('S')})`

export const sequenceNames = `SELECT (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('schema', n.nspname, 'name', c.relname)
    ORDER BY n.nspname, c.relname) ${relations('S')}) AS answer`

/**
 * Without a replica identity, UPDATE and DELETE fail when the table is published. A deferrable key is not a replica
 * identity.
 */
const hasIdentity = `CASE c.relreplident WHEN 'f' THEN true WHEN 'n' THEN false
  ELSE EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indimmediate
    AND CASE c.relreplident WHEN 'i' THEN i.indisreplident ELSE i.indisprimary END) END`

/** $1: name of the parts. */
export const publisherQuestion = `SELECT pg_catalog.jsonb_build_object(${serverJson},
  'walLevel', pg_catalog.current_setting('wal_level'),
  'canReplicate', (SELECT r.rolsuper OR (r.rolreplication AND r.rolbypassrls AND r.rolcreaterole
      AND pg_catalog.current_setting('server_version_num')::int >= 160000)
    FROM pg_catalog.pg_roles r WHERE r.rolname = current_user),
  'canPublish', pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AND NOT EXISTS (
    SELECT ${relations('r')} AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')),
  'freeSlots', pg_catalog.current_setting('max_replication_slots')::int
    - (SELECT pg_catalog.count(*) FROM pg_catalog.pg_replication_slots),
  'freeSenders', pg_catalog.current_setting('max_wal_senders')::int
    - (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a WHERE a.backend_type = 'walsender'),
  'tables', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('schema', n.nspname, 'name', c.relname,
      'isUnlogged', c.relpersistence = 'u', 'hasIdentity', ${hasIdentity},
      'isPublished', EXISTS (SELECT FROM pg_catalog.pg_publication_rel p
        JOIN pg_catalog.pg_publication b ON b.oid = p.prpubid AND b.pubname = $1 WHERE p.prrelid = c.oid))
      ORDER BY n.nspname, c.relname) ${relations('r')}),
  'sequences', ${sequencesJson},
  'largeObjects', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_largeobject_metadata),
  'login', (SELECT pg_catalog.jsonb_build_object('comment', pg_catalog.shobj_description(r.oid, 'pg_authid'),
      'canLogin', r.rolcanlogin) FROM pg_catalog.pg_roles r WHERE r.rolname = $1),
  'publication', (SELECT pg_catalog.jsonb_build_object('comment', pg_catalog.obj_description(p.oid, 'pg_publication'))
    FROM pg_catalog.pg_publication p WHERE p.pubname = $1),
  'slot', (SELECT pg_catalog.jsonb_build_object('isActive', s.active, 'confirmed', s.confirmed_flush_lsn::text,
      'isLost', COALESCE(s.wal_status = 'lost', false))
    FROM pg_catalog.pg_replication_slots s
    WHERE s.slot_name = $1 AND s.database = pg_catalog.current_database() AND s.plugin = 'pgoutput'),
  'position', CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
    ELSE pg_catalog.pg_current_wal_lsn() END::text) AS answer`

const isOf = (catalog: string, column: 'classid' | 'refclassid') =>
  `d.${column} = 'pg_catalog.${catalog}'::pg_catalog.regclass`

/**
 * Returns a non-superuser role whose code runs when a row arrives. The code is in an ALWAYS or REPLICA trigger, a
 * constraint, default, index, partition key, or domain type. From PostgreSQL 16 on, the server runs it as the table's
 * owner. Source: PostgreSQL, "Logical Replication: Security".
 */
const codeOf = `CASE WHEN pg_catalog.current_setting('server_version_num')::int < 160000 THEN (
  SELECT r.rolname FROM (
    SELECT p.proowner AS owner FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_proc p ON p.oid = g.tgfoid
      WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgenabled IN ('A', 'R')
    UNION ALL SELECT COALESCE(p.proowner, o.oprowner) FROM pg_catalog.pg_depend d
      LEFT JOIN pg_catalog.pg_proc p ON ${isOf('pg_proc', 'refclassid')} AND p.oid = d.refobjid
      LEFT JOIN pg_catalog.pg_operator o ON ${isOf('pg_operator', 'refclassid')} AND o.oid = d.refobjid
      WHERE (${isOf('pg_constraint', 'classid')} AND d.objid IN (SELECT k.oid FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid))
        OR (${isOf('pg_attrdef', 'classid')} AND d.objid IN (SELECT f.oid FROM pg_catalog.pg_attrdef f WHERE f.adrelid = c.oid))
        OR (${isOf('pg_class', 'classid')} AND d.objid IN (SELECT i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid
          UNION ALL SELECT a.relid FROM pg_catalog.pg_partition_ancestors(c.oid) a))
    UNION ALL SELECT y.typowner FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      JOIN pg_catalog.pg_type y ON y.oid IN (t.oid, t.typelem)
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND y.typtype NOT IN ('b', 'e')) found
  JOIN pg_catalog.pg_roles r ON r.oid = found.owner
  WHERE NOT r.rolsuper AND r.rolname <> current_user ORDER BY 1 LIMIT 1) END`

const ofSubscription = `(SELECT s.oid FROM pg_catalog.pg_subscription s
  WHERE s.subname = $1 AND s.subdbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))`

/** $1: name of the parts. Does not read `subconninfo`, which contains a password. */
export const subscriberQuestion = `SELECT pg_catalog.jsonb_build_object(${serverJson},
  'canSubscribe', (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = current_user)
    OR (pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
      AND EXISTS (SELECT FROM pg_catalog.pg_roles r
        WHERE r.rolname = 'pg_create_subscription' AND pg_catalog.pg_has_role(r.oid, 'USAGE'))),
  'freeWorkers', pg_catalog.current_setting('max_logical_replication_workers')::int
    - (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_subscription w WHERE w.pid IS NOT NULL),
  'tables', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('schema', n.nspname, 'name', c.relname,
      'isEmpty', pg_catalog.pg_relation_size(c.oid) = 0, 'codeOf', ${codeOf},
      'isFollowed', EXISTS (SELECT FROM pg_catalog.pg_subscription_rel r
        WHERE r.srrelid = c.oid AND r.srsubid = ${ofSubscription}))
      ORDER BY n.nspname, c.relname) ${relations('r')}),
  'sequences', ${sequencesJson},
  'subscription', (SELECT pg_catalog.jsonb_build_object(
      'comment', pg_catalog.obj_description(s.oid, 'pg_subscription'), 'isEnabled', s.subenabled,
      'isRunning', EXISTS (SELECT FROM pg_catalog.pg_stat_subscription w WHERE w.subid = s.oid AND w.pid IS NOT NULL),
      'failures', COALESCE((SELECT t.apply_error_count FROM pg_catalog.pg_stat_subscription_stats t
        WHERE t.subid = s.oid), 0))
    FROM pg_catalog.pg_subscription s WHERE s.oid = ${ofSubscription})) AS answer`

/**
 * Writes its own WAL record, because the flushed position does not cover commits whose clients do not wait
 * (synchronous_commit = off).
 */
export const milestone = `SELECT pg_catalog.pg_logical_emit_message(true, $1, '')::text AS position`

/** $1: a login. Waits for its sessions to end. A session that does not end is not reported. */
export const endSenders = `SELECT pg_catalog.pg_terminate_backend(a.pid, 5000) AS ended
  FROM pg_catalog.pg_stat_activity a WHERE a.usename = $1`

/** $1: a JSON list of `schema`, `name`, `lastValue` and `increment`. Moves a sequence only in its direction. */
export const raiseSequences = `SELECT pg_catalog.setval(c.oid, w."lastValue")
  FROM pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) AS w(schema text, name text, "lastValue" bigint, increment bigint)
    JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
    JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.name AND c.relkind = 'S',
    LATERAL (SELECT pg_catalog.pg_sequence_last_value(c.oid) AS now) s
  WHERE s.now IS NULL OR CASE WHEN w.increment > 0 THEN w."lastValue" > s.now ELSE w."lastValue" < s.now END`

/**
 * $1: a JSON list of `schema`, `name`, `value` and `isGiven`; $2: name of the parts. Changes nothing after the role of
 * that name was dropped, which happens before applications are admitted. DROP ROLE waits for this statement. Requires a
 * superuser.
 */
export const setSequences = `SELECT pg_catalog.setval(c.oid, w.value, w."isGiven")
  FROM pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) AS w(schema text, name text, value bigint, "isGiven" boolean)
    JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
    JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.name AND c.relkind = 'S'
  WHERE EXISTS (SELECT FROM pg_catalog.pg_authid r WHERE r.rolname = $2 FOR SHARE)`
