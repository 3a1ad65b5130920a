// Changes of definitions, some together with rows, that may run beside a backup. Each is one transaction.
// The tables are those of `makeDatabase`, and of `moreTables` here.

export interface DefinitionChange {
  readonly title: string
  readonly sql: string
}

/** Objects in addition to those of `makeDatabase`. */
export const moreTables = `
  SET ROLE crm_owner;
  CREATE TABLE public.spare (id int PRIMARY KEY, note text);
  INSERT INTO public.spare SELECT n, 'spare ' || n FROM generate_series(1, 40) n;
  CREATE TYPE api.size AS (wide int, high int);
  CREATE TABLE api.boxes (id int PRIMARY KEY, size api.size);
  INSERT INTO api.boxes SELECT n, ROW(n, n + 1)::api.size FROM generate_series(1, 30) n;
  CREATE TABLE api.parts_2025 (day date, n int);
  INSERT INTO api.parts_2025 SELECT date '2025-01-01' + n, n FROM generate_series(0, 49) n;
  CREATE MATERIALIZED VIEW api.counted AS SELECT count(*) AS n FROM api.people;
  CREATE SEQUENCE api.lone;
  SELECT nextval('api.lone') FROM generate_series(1, 30);
`

export const definitionChanges: readonly DefinitionChange[] = [
  {
    title: 'ADD COLUMN and UPDATE',
    sql: "ALTER TABLE orders ADD COLUMN more text; UPDATE orders SET more = 'm' WHERE id < 500",
  },
  { title: 'ADD COLUMN with a default', sql: 'ALTER TABLE orders ADD COLUMN less int NOT NULL DEFAULT 7' },
  { title: 'DROP COLUMN', sql: 'ALTER TABLE api.people DROP COLUMN weight' },
  { title: 'ALTER TYPE, which rewrites', sql: 'ALTER TABLE orders ALTER COLUMN id TYPE bigint' },
  {
    title: 'TRUNCATE and INSERT',
    sql: "TRUNCATE orders; INSERT INTO orders SELECT n, 'new' FROM generate_series(1, 5) n",
  },
  { title: 'RENAME of a table', sql: 'ALTER TABLE orders RENAME TO purchases' },
  { title: 'RENAME of a column', sql: 'ALTER TABLE orders RENAME COLUMN note TO remark' },
  {
    title: 'two tables that swap names',
    sql: 'ALTER TABLE orders RENAME TO other; ALTER TABLE spare RENAME TO orders; ALTER TABLE other RENAME TO spare',
  },
  { title: 'DROP TABLE', sql: 'DROP TABLE spare' },
  { title: 'CREATE TABLE', sql: 'CREATE TABLE fresh AS SELECT * FROM orders' },
  { title: 'a table in the place of another', sql: 'DROP TABLE spare; CREATE TABLE spare AS SELECT 1 AS other' },
  { title: 'RENAME VALUE of an enum', sql: "ALTER TYPE api.mood RENAME VALUE 'glad' TO 'happy'" },
  { title: 'ADD VALUE of an enum', sql: "ALTER TYPE api.mood ADD VALUE 'calm' BEFORE 'glad'" },
  { title: 'ADD ATTRIBUTE of a composite type', sql: 'ALTER TYPE api.size ADD ATTRIBUTE deep int' },
  { title: 'DROP ATTRIBUTE of a composite type', sql: 'ALTER TYPE api.size DROP ATTRIBUTE high' },
  { title: 'DROP VIEW', sql: 'DROP VIEW api.glad' },
  { title: 'CREATE OR REPLACE VIEW', sql: 'CREATE OR REPLACE VIEW api.glad AS SELECT name, id FROM api.people' },
  { title: 'DROP MATERIALIZED VIEW', sql: 'DROP MATERIALIZED VIEW api.counted' },
  {
    title: 'REFRESH MATERIALIZED VIEW',
    sql: 'DELETE FROM api.people WHERE id < 9; REFRESH MATERIALIZED VIEW api.counted',
  },
  { title: 'DROP FUNCTION', sql: 'DROP FUNCTION api.one()' },
  {
    title: 'CREATE OR REPLACE FUNCTION',
    sql: "CREATE OR REPLACE FUNCTION api.one() RETURNS int LANGUAGE sql AS 'SELECT 2'",
  },
  { title: 'RESTART of a sequence', sql: 'ALTER SEQUENCE api.lone RESTART WITH 3' },
  { title: 'setval, backwards', sql: "SELECT setval('api.lone', 3); INSERT INTO spare VALUES (100, 'after it')" },
  { title: 'DROP SEQUENCE', sql: 'DROP SEQUENCE api.lone' },
  {
    title: 'ATTACH PARTITION',
    sql: "ALTER TABLE api.parts ATTACH PARTITION api.parts_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')",
  },
  { title: 'DETACH PARTITION', sql: 'ALTER TABLE api.parts DETACH PARTITION api.parts_2026' },
  { title: 'CREATE INDEX', sql: 'CREATE INDEX ON orders (note)' },
  { title: 'DROP INDEX', sql: 'DROP INDEX api.people_name_idx' },
  { title: 'ADD CHECK', sql: 'ALTER TABLE orders ADD CHECK (id > 0)' },
  {
    title: 'ADD FOREIGN KEY',
    sql: 'ALTER TABLE spare ADD FOREIGN KEY (id) REFERENCES orders (id)',
  },
  {
    title: 'CREATE TRIGGER',
    sql: 'CREATE TRIGGER t BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
  },
  { title: 'CLUSTER', sql: 'CLUSTER orders USING orders_pkey' },
  { title: 'DROP SCHEMA', sql: 'DROP SCHEMA api CASCADE' },
]
