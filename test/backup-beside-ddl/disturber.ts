// An application that changes rows and definitions of its database without a pause, deterministic by a seed. Each
// change is one transaction on one session.
// It records the contents of the tables after each transaction, by the row of `ledger` that every transaction writes.
import type { Client } from 'pg'
import type { TableContents } from '../../src/controllers/engines/database-contents.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'

export type Random = () => number

/** Returns a generator that is deterministic by its seed. Source: mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export const disturbedDatabase = `
  CREATE TABLE ledger (n int NOT NULL);
  INSERT INTO ledger VALUES (0);
  CREATE TYPE mood AS ENUM ('sad', 'glad');
  CREATE TYPE size AS (wide int, high int);
  CREATE SEQUENCE numbers;
  CREATE TABLE t0 (id int, a text, m mood DEFAULT 'glad', s size DEFAULT ROW(1, 2)::size);
  CREATE TABLE t1 (id int, a text, m mood DEFAULT 'sad', s size DEFAULT ROW(3, 4)::size);
  CREATE TABLE t2 (id bigint, a text, m mood, s size);
  INSERT INTO t0 SELECT n, 'first ' || n FROM generate_series(1, 300) n;
  INSERT INTO t1 SELECT n, 'second ' || n FROM generate_series(1, 200) n;
  INSERT INTO t2 SELECT n, 'third ' || n FROM generate_series(1, 100) n;
  CREATE TABLE parts (id int, a text) PARTITION BY RANGE (id);
  CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (1000);
  CREATE TABLE part2 (id int, a text);
  INSERT INTO parts SELECT n, 'part' FROM generate_series(1, 80) n;
  INSERT INTO part2 SELECT n, 'other' FROM generate_series(1001, 1050) n;
  CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';
`

/** Statements of the steps. If a step fails, it is rolled back, and the next one runs. */
const steps: readonly ((random: Random, n: number) => string)[] = [
  (random, n) => `UPDATE ${table(random)} SET a = 'step ${n}' WHERE id % 7 = ${below(random, 7)}`,
  (random, n) =>
    `INSERT INTO ${table(random)} (id, a) SELECT g, 'step ${n}' FROM generate_series(1, ${1 + below(random, 40)}) g`,
  (random) => `DELETE FROM ${table(random)} WHERE id % 11 = ${below(random, 11)}`,
  (random, n) => `ALTER TABLE ${table(random)} ADD COLUMN c${n} int DEFAULT ${n}`,
  (random, n) => `DO $do$ DECLARE t text := '${table(random)}'; BEGIN
      EXECUTE format('ALTER TABLE %I ADD COLUMN c${n} text', t); EXECUTE format('UPDATE %I SET c${n} = a', t); END $do$`,
  (random) => dropColumn(table(random)),
  (random) =>
    `ALTER TABLE ${table(random)} ALTER COLUMN id TYPE ${pick(random, ['int', 'bigint', 'numeric', 'text USING id::text', 'bigint USING 5'])}`,
  (random, n) => `DO $do$ DECLARE t text := '${table(random)}'; BEGIN
      EXECUTE format('TRUNCATE %I', t); EXECUTE format('INSERT INTO %I (a) SELECT ''anew ${n}'' FROM generate_series(1, 50)', t); END $do$`,
  (random, n) => `CREATE TABLE x${n} AS SELECT * FROM ${table(random)}`,
  () => dropTable,
  (random) => swap(pick(random, ['t0', 't1']), 't2'),
  (random, n) => `ALTER TABLE ${table(random)} RENAME COLUMN a TO b${n}; ${renameBack(n)}`,
  (random, n) => `CREATE INDEX ON ${table(random)} (a); COMMENT ON TABLE ${table(random)} IS 'step ${n}'`,
  () =>
    dropOne(
      "SELECT format('DROP INDEX %I', relname) FROM pg_class WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace",
    ),
  (random, n) => `CREATE VIEW v${n} AS SELECT a, m FROM ${table(random)}`,
  () =>
    dropOne(
      "SELECT format('DROP VIEW %I CASCADE', relname) FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace",
    ),
  (random, n) => `CREATE MATERIALIZED VIEW w${n} AS SELECT a FROM ${table(random)}`,
  () => dropOne("SELECT format('DROP MATERIALIZED VIEW %I CASCADE', relname) FROM pg_class WHERE relkind = 'm'"),
  () => dropOne("SELECT format('REFRESH MATERIALIZED VIEW %I', relname) FROM pg_class WHERE relkind = 'm'"),
  (_, n) => `CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT ${n}'`,
  (_, n) => `CREATE FUNCTION f${n}(a int, b text DEFAULT '${n}') RETURNS text LANGUAGE sql AS 'SELECT $2'`,
  () =>
    dropOne(
      "SELECT format('DROP FUNCTION %s', p.oid::regprocedure) FROM pg_proc p WHERE proname LIKE 'f%' AND pronamespace = 'public'::regnamespace",
    ),
  (_, n) => `CREATE SEQUENCE s${n}; SELECT nextval('s${n}')`,
  () => dropOne("SELECT format('DROP SEQUENCE %I', relname) FROM pg_class WHERE relkind = 'S' AND relname LIKE 's%'"),
  () => "SELECT nextval('numbers') FROM generate_series(1, 40)",
  (random) => `ALTER SEQUENCE numbers RESTART WITH ${1 + below(random, 9)}`,
  (random) => `SELECT setval('numbers', ${1 + below(random, 30)})`,
  (_, n) => `ALTER TYPE mood ADD VALUE 'mood ${n}'`,
  (_, n) => `DO $do$ DECLARE label text := (SELECT enumlabel FROM pg_enum ORDER BY random() LIMIT 1);
      BEGIN EXECUTE format('ALTER TYPE mood RENAME VALUE %L TO %L', label, 'renamed ${n}'); END $do$`,
  (_, n) => `ALTER TYPE size ADD ATTRIBUTE a${n} int`,
  () =>
    dropOne(
      "SELECT format('ALTER TYPE size DROP ATTRIBUTE %I', attname) FROM pg_attribute WHERE attrelid = 'size'::regclass AND attname LIKE 'a%' AND NOT attisdropped",
    ),
  () => 'ALTER TABLE parts ATTACH PARTITION part2 FOR VALUES FROM (1000) TO (2000)',
  () => 'ALTER TABLE parts DETACH PARTITION part2',
  (random) =>
    `DO $do$ DECLARE t text := '${table(random)}'; BEGIN EXECUTE format('CREATE INDEX ON %I (id)', t); END $do$`,
  (random, n) => `ALTER TABLE ${table(random)} ADD CONSTRAINT k${n} CHECK (a <> 'never') NOT VALID`,
  () =>
    dropOne(
      "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint WHERE conname LIKE 'k%'",
    ),
  (random, n) =>
    `CREATE TRIGGER g${n} BEFORE UPDATE ON ${table(random)} FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
  () =>
    dropOne("SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_trigger WHERE NOT tgisinternal"),
  (random) => `CREATE TEMP TABLE ephemeral ON COMMIT DROP AS SELECT * FROM ${table(random)}`,
  (random, n) => `GRANT SELECT ON ${table(random)} TO PUBLIC; COMMENT ON TYPE mood IS '${n}'`,
]

/** Statements that leave rows unchanged and run outside of transactions. */
const upkeep = ['VACUUM FULL t0', 'VACUUM t1', 'ANALYZE', 'REINDEX TABLE t2', 'VACUUM FULL pg_class', 'CLUSTER']

/** Contents of the tables by name. */
export type DatabaseState = ReadonlyMap<string, string>

export class Disturber {
  readonly #client: Client
  readonly #random: Random
  readonly #states = new Map<string, DatabaseState>()
  #n = 0
  #ended: Promise<void> = Promise.resolve()
  #isEnding = false
  /** Numbers of committed and of failed transactions. */
  done = 0
  failed = 0

  private constructor(client: Client, seed: number) {
    this.#client = client
    this.#random = randomOf(seed)
  }

  static async begin(server: PostgresServer, database: string, seed: number): Promise<Disturber> {
    const client = await server.connect({ database })
    await client.query(`SET lock_timeout TO '60ms'; SET client_min_messages TO error; ${stateSettings}`)
    await client.query('SELECT setseed($1)', [(seed % 1_000) / 1_000])
    const disturber = new Disturber(client, seed)
    await disturber.#remember()
    disturber.#ended = disturber.#run()
    return disturber
  }

  async end(): Promise<void> {
    this.#isEnding = true
    await this.#ended
    await this.#client.end()
  }

  /** Returns the contents for a hash of the ledger; undefined: no such state was ever committed. */
  stateAt(ledgerHash: string | null): DatabaseState | undefined {
    return this.#states.get(ledgerHash ?? '')
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      const calm = this.#random()
      // Sometimes it pauses for as long as the start of a small backup.
      if (calm < 0.15) await this.#client.query(`SELECT pg_sleep(${calm * 4})`)
      else if (calm < 0.25) await this.#client.query(pick(this.#random, upkeep)).catch(() => undefined)
      else await this.#step()
    }
  }

  async #step(): Promise<void> {
    const n = this.#n + 1
    const many = 1 + below(this.#random, 3)
    try {
      await this.#client.query('BEGIN')
      for (let one = 0; one < many; one += 1)
        await this.#client.query(pick(this.#random, steps)(this.#random, n * 10 + one))
      await this.#client.query(`UPDATE ledger SET n = ${n}`)
      // No other session sees the changes yet.
      await this.#remember()
      await this.#client.query('COMMIT')
      this.#n = n
      this.done += 1
    } catch {
      this.failed += 1
      this.#n = n
      await this.#client.query('ROLLBACK')
    }
  }

  async #remember(): Promise<void> {
    const { rows } = await this.#client.query<{ name: string; rows: string; hash: string }>(stateQuestion)
    const state = new Map(rows.map(({ name, rows: count, hash }) => [name, `${count} ${hash}`]))
    const ledger = rows.find(({ name }) => name === 'ledger')
    this.#states.set(ledger?.hash ?? '', state)
  }
}

/** Returns the state that a manifest records. */
export function stateOf(tables: readonly TableContents[]): DatabaseState {
  return new Map(tables.map(({ name, rows, hash }) => [name, `${rows} ${hash ?? ''}`]))
}

const stateSettings = `SET datestyle TO 'ISO, YMD'; SET timezone TO 'UTC'; SET extra_float_digits TO 1`

/** The whole table as one text: a statement other than the worker's. */
const stateQuestion = `SELECT c.relname AS name, x.rows, x.hash FROM pg_class c,
  LATERAL (SELECT (xpath('//rows/text()', d.doc))[1]::text AS rows, (xpath('//hash/text()', d.doc))[1]::text AS hash
    FROM (SELECT query_to_xml(format('SELECT count(*)::text AS rows,
      COALESCE(sum(hashtextextended(t::text COLLATE "C", 0)), 0)::text AS hash FROM ONLY public.%I t', c.relname), true, true, '') AS doc) d) x
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit)
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[below(random, items.length)]
  if (item === undefined) throw new Error('There is nothing to pick from.')
  return item
}

function table(random: Random): string {
  return pick(random, ['t0', 't1', 't2'])
}

/** Returns a statement that runs one random result of the query. */
function dropOne(question: string): string {
  return `DO $do$ DECLARE statement text := (SELECT o FROM (${question}) x (o) ORDER BY random() LIMIT 1);
    BEGIN IF statement IS NOT NULL THEN EXECUTE statement; END IF; END $do$`
}

const dropTable = dropOne(
  "SELECT format('DROP TABLE %I CASCADE', relname) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'x%' AND relnamespace = 'public'::regnamespace",
)

function dropColumn(name: string): string {
  return dropOne(`SELECT format('ALTER TABLE ${name} DROP COLUMN %I CASCADE', attname) FROM pg_attribute
    WHERE attrelid = '${name}'::regclass AND attname LIKE 'c%' AND attnum > 0 AND NOT attisdropped`)
}

function swap(one: string, other: string): string {
  return `ALTER TABLE ${one} RENAME TO passing; ALTER TABLE ${other} RENAME TO ${one}; ALTER TABLE passing RENAME TO ${other}`
}

/** Renames the column within the same transaction. */
function renameBack(n: number): string {
  return `DO $do$ DECLARE t regclass := (SELECT attrelid::regclass FROM pg_attribute WHERE attname = 'b${n}' LIMIT 1);
    BEGIN EXECUTE format('ALTER TABLE %s RENAME COLUMN b${n} TO a', t); END $do$`
}
