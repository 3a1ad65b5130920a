// Copy steps between servers of different versions. Invariant: rows of every type arrive unchanged for every kind of
// key; unsupported tables are rejected.
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { PostgresServer } from '../../postgres/postgres-server.ts'
import { MigrationStage } from './migration-stage.ts'
import { copyStep, sqlStep } from './steps.ts'

let sources = 0

/** Creates the source database on the oldest server, so that one of the two copies crosses versions. */
async function stageWith(
  target: PostgresServer,
  source: PostgresServer,
  tables: string,
  { owner }: { readonly owner?: string } = {},
): Promise<MigrationStage> {
  sources += 1
  const database = `source_${sources}`
  await source.byHand(`CREATE DATABASE ${database}`)
  onTestFinished(async () => {
    await source.byHand(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
  })
  await source.byHand(tables, { database })
  const stage = await MigrationStage.start(target, { source: { server: source, database }, ...(owner && { owner }) })
  await stage.byHand(
    owner === undefined ? tables : `GRANT ALL ON SCHEMA public TO ${owner}; SET ROLE ${owner}; ${tables}`,
  )
  return stage
}

function inSource(stage: MigrationStage, source: PostgresServer, text: string) {
  return source.byHand(text, { database: stage.source?.database ?? '' })
}

async function rowsOf(stage: MigrationStage, source: PostgresServer, table: string, order: string) {
  const text = `SELECT t::text AS row FROM ${table} AS t ORDER BY ${order}`
  return { there: await inSource(stage, source, text), here: await stage.byHand(text) }
}

const words = `
  CREATE TYPE mood AS ENUM ('sad', 'fine');
  CREATE TYPE point3 AS (x int, y int, z text);
  CREATE DOMAIN positive AS int CHECK (VALUE > 0);`

const everything = `${words}
  CREATE TABLE everything (
    "Id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, flag boolean, small int2, big int8, exact numeric(30, 10), ratio float8,
    short float4, words text, fixed char(5), named varchar(9), raw bytea, at timestamptz, day date, span interval, clock time,
    doc jsonb, plain json, list int[], grid text[][], mood mood, moods mood[], place point3, many positive, range int4range,
    bits bit(3), varbits bit varying(9), net inet, uuid uuid, "quoted ""name" text, twice int GENERATED ALWAYS AS (small * 2) STORED);`

const fillEverything = `
  INSERT INTO everything VALUES (DEFAULT);
  INSERT INTO everything (flag, small, big, exact, ratio, short, words, fixed, named, raw, at, day, span, clock, doc, plain, list, grid,
                          mood, moods, place, many, range, bits, varbits, net, uuid, "quoted ""name")
  VALUES (true, -3, 9223372036854775807, 12345678901234567890.0123456789, 0.1, 'NaN', E'a"b\\\\c,{}''\\n\\tä€😀', 'ab', 'c',
          '\\x00ff5c', 'infinity', '0044-03-15 BC', '1 year -2 days 03:04:05.678901', '24:00', 'null', '{"a" : 1}', '{1,NULL,3}',
          ARRAY[['a', NULL], ['b"', '']], 'sad', '{sad,fine}', '(1,,"x, y")', 7, 'empty', '101', '1', '::1/64', gen_random_uuid(), 'NULL'),
         (false, 0, -1, 'NaN', '-Infinity', 1e-40, '', '', '', '', '2024-03-31 02:30:00.123456+13', '5874897-12-31', '-00:00:01', '00:00',
          '{"z": [1, {"ü": null}]}', ' 1 ', '{}', '{}', 'fine', '{}', NULL, 1, '[1,)', '000', '', '10.0.0.0/8', NULL, '{NULL}');
  INSERT INTO everything (words, ratio) SELECT repeat('w', n), random() FROM generate_series(1, 20) AS n`

/** Name of the key, its columns, and its rows. */
const keys: readonly (readonly [string, string, string])[] = [
  [
    'two columns',
    '(a int, b text, PRIMARY KEY (b, a))',
    "SELECT n % 7, 'k' || n % 11 FROM generate_series(1, 77) AS n",
  ],
  [
    'texts of many scripts',
    '(a text PRIMARY KEY)',
    "SELECT CASE n % 4 WHEN 0 THEN 'Ä' WHEN 1 THEN 'a' WHEN 2 THEN '_' ELSE '' END || n FROM generate_series(1, 50) AS n",
  ],
  ['texts in another order', '(a text COLLATE "C" PRIMARY KEY)', 'SELECT chr(40 + n) FROM generate_series(1, 50) AS n'],
  [
    'texts that are equal in parts',
    '(a text COLLATE folded PRIMARY KEY)',
    "SELECT 'x' || n FROM generate_series(1, 50) AS n",
  ],
  ['uuids', '(a uuid PRIMARY KEY)', 'SELECT gen_random_uuid() FROM generate_series(1, 50)'],
  [
    'moments',
    '(a timestamptz PRIMARY KEY)',
    "SELECT '2024-01-01'::timestamptz + n * interval '1.000001 seconds' FROM generate_series(-25, 25) AS n",
  ],
  [
    'numbers that are none',
    '(a float8 PRIMARY KEY)',
    "SELECT unnest('{-Infinity,-1,0,1e-300,1,Infinity,NaN}'::float8[])",
  ],
  [
    'huge numbers',
    '(a int8, b numeric UNIQUE NOT NULL)',
    'SELECT n, 9223372036854775800::numeric + n FROM generate_series(1, 30) AS n',
  ],
  ['rows that are one', '(a int PRIMARY KEY)', 'SELECT 1'],
  ['no rows', '(a int PRIMARY KEY)', 'SELECT 1 LIMIT 0'],
  ['exactly one batch', '(a int PRIMARY KEY)', 'SELECT generate_series(1, 5)'],
  [
    'partitions',
    '(a int, b int, PRIMARY KEY (a, b)) PARTITION BY HASH (a)',
    'SELECT n, n FROM generate_series(1, 50) AS n',
  ],
]

onEachPostgres('a copy', (server, version) => {
  let oldest: PostgresServer | undefined
  beforeAll(async () => {
    const [first] = inject('postgresHome').versions
    if (first !== undefined && first.major !== version) {
      oldest = await PostgresServer.start(inject('postgresHome'), { version: first.major })
    }
  })
  afterAll(() => oldest?.remove())
  const sourceServer = () => oldest ?? server()

  it('copies rows of every type, and raises the sequences after them', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, everything)
    await inSource(stage, from, fillEverything)
    expect(await stage.work([copyStep(['everything'])])).toEqual({ kind: 'Completed' })
    const { here, there } = await rowsOf(stage, from, 'everything', '"Id"')
    expect(there).toHaveLength(23)
    expect(here).toEqual(there)
    expect(await stage.byHand('INSERT INTO everything DEFAULT VALUES RETURNING "Id"::int AS id')).toEqual([{ id: 24 }])
  })

  it('raises sequences that a default names, whoever owns them', async () => {
    const from = sourceServer()
    const tables =
      "CREATE SEQUENCE numbers; CREATE TABLE numbered (a int PRIMARY KEY DEFAULT nextval('numbers'), b text)"
    const stage = await stageWith(server(), from, tables)
    await inSource(stage, from, "INSERT INTO numbered (b) SELECT 'x' FROM generate_series(1, 12)")
    expect(await stage.work([copyStep(['numbered'])])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('INSERT INTO numbered DEFAULT VALUES RETURNING a')).toEqual([{ a: 13 }])
  })

  it('raises the sequence that a default names, and the one that the column owns', async () => {
    const from = sourceServer()
    const tables = 'CREATE TABLE moved (a serial PRIMARY KEY, b text)'
    const stage = await stageWith(server(), from, tables)
    await inSource(stage, from, "INSERT INTO moved (b) SELECT 'x' FROM generate_series(1, 12)")
    await stage.byHand("CREATE SEQUENCE other; ALTER TABLE moved ALTER COLUMN a SET DEFAULT nextval('other')")
    expect(await stage.work([copyStep(['moved'])])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('INSERT INTO moved DEFAULT VALUES RETURNING a')).toEqual([{ a: 13 }])
    expect(await stage.byHand("SELECT nextval('moved_a_seq')::int AS n")).toEqual([{ n: 13 }])
  })

  it('rejects a sequence that the owner may not raise, before it writes any row', async () => {
    const from = sourceServer()
    const owner = `keeper_${version}`
    await server().byHand(`CREATE ROLE ${owner}`)
    onTestFinished(async () => {
      await server().byHand(`DROP ROLE ${owner}`)
    })
    const stage = await stageWith(server(), from, 'CREATE TABLE numbered (a serial PRIMARY KEY)', { owner })
    await inSource(stage, from, 'INSERT INTO numbered SELECT FROM generate_series(1, 12)')
    await stage.byHand(`CREATE SEQUENCE shared; GRANT USAGE ON SEQUENCE shared TO ${owner};
      ALTER TABLE numbered ALTER COLUMN a SET DEFAULT nextval('shared')`)
    const steps = [copyStep(['numbered'])]
    expect(await stage.work(steps)).toMatchObject({
      kind: 'Failed',
      failure: {
        message:
          'table public.numbered takes "a" in the target from sequence public.shared, which is at no value and has to be set to 12; ' +
          'GRANT UPDATE ON SEQUENCE public.shared to the owner of the database',
      },
    })
    expect(await stage.byHand('SELECT FROM numbered')).toEqual([])
    await stage.byHand("SELECT setval('shared', 20)")
    expect(await stage.work(steps, { retryToken: 'again' })).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('INSERT INTO numbered DEFAULT VALUES RETURNING a')).toEqual([{ a: 21 }])
  })

  it('does not fail while its source is unknown', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE small (a int PRIMARY KEY)')
    await inSource(stage, from, 'INSERT INTO small VALUES (1)')
    stage.isSourceForgotten = true
    const steps = [copyStep(['small'], { name: 'rows' })]
    await expect(stage.work(steps)).rejects.toMatchObject({
      ...{ code: 'NotFound', remedy: 'stop' },
      message: expect.stringContaining('which rows are to come from, is not known any more'),
    })
    expect(await stage.marks()).toEqual(['rows Running'])
    stage.isSourceForgotten = false
    expect(await stage.work(steps)).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT a FROM small')).toEqual([{ a: 1 }])
  })

  it('leaves the rows of inheriting tables to those tables, and reads names literally', async () => {
    const from = sourceServer()
    const tables = `CREATE TABLE parent (a int PRIMARY KEY, what regclass);
      CREATE TABLE child (PRIMARY KEY (a)) INHERITS (parent)`
    const stage = await stageWith(server(), from, tables)
    await inSource(
      stage,
      from,
      "INSERT INTO parent VALUES (1, 'child'), (3, NULL); INSERT INTO child VALUES (1, 'parent'), (2, 'pg_class')",
    )
    expect(await stage.work([copyStep(['parent', 'child'])])).toEqual({ kind: 'Completed' })
    for (const table of ['ONLY parent', 'child']) {
      const { here, there } = await rowsOf(stage, from, table, 'a')
      expect(there).toHaveLength(2)
      expect(here).toEqual(there)
    }
  })

  it('rejects tables whose inheriting tables would lose rows, before it writes any', async () => {
    const from = sourceServer()
    const tables = `CREATE TABLE first (a int PRIMARY KEY); CREATE TABLE parent (a int PRIMARY KEY);
      CREATE TABLE child (PRIMARY KEY (a)) INHERITS (parent); CREATE TABLE grandchild (PRIMARY KEY (a)) INHERITS (child)`
    const stage = await stageWith(server(), from, tables)
    await inSource(
      stage,
      from,
      'INSERT INTO first VALUES (1); INSERT INTO parent VALUES (1); INSERT INTO child VALUES (2)',
    )
    const refusals = [
      [['first', 'parent'], 'parent has tables in the source that inherit from it (public.child, public.grandchild)'],
      [['first', 'parent', 'child'], 'parent has tables in the source that inherit from it (public.grandchild)'],
      [['first', 'child'], 'child has tables in the source that inherit from it (public.grandchild)'],
    ] as const
    for (const [at, [named, message]] of refusals.entries()) {
      expect(await stage.work([copyStep(named)], { migration: `default/heirs-${at}` })).toMatchObject({
        ...{ kind: 'Failed', failure: { message: expect.stringContaining(`table public.${message}, whose rows`) } },
      })
    }
    expect(await stage.byHand('SELECT a FROM first UNION ALL SELECT a FROM parent')).toEqual([])
    await inSource(stage, from, 'ALTER TABLE grandchild NO INHERIT child')
    const named = ['first', 'parent', 'child']
    expect(await stage.work([copyStep(named)], { migration: 'default/whole' })).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT a FROM parent ORDER BY a')).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('works along keys of every kind', async () => {
    const from = sourceServer()
    const kinds = (await hasIcu(from, server())) ? keys : keys.filter(([, columns]) => !columns.includes('folded'))
    const tables = kinds.map(([, columns], at) => {
      const parts = `CREATE TABLE keyed_${at}_0 PARTITION OF keyed_${at} FOR VALUES WITH (MODULUS 1, REMAINDER 0);`
      return `CREATE TABLE keyed_${at} ${columns}; ${columns.includes('PARTITION') ? parts : ''}`
    })
    const folded = "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level1', deterministic = false);"
    const stage = await stageWith(server(), from, `${kinds.length < keys.length ? '' : folded} ${tables.join('')}`)
    await inSource(stage, from, kinds.map(([, , rows], at) => `INSERT INTO keyed_${at} ${rows};`).join(''))
    const steps = kinds.map((_, at) => copyStep([`keyed_${at}`], { name: `copy-${at}` }))
    expect(await stage.work(steps)).toEqual({ kind: 'Completed' })
    for (const [at, [title]] of kinds.entries()) {
      const { here, there } = await rowsOf(stage, from, `keyed_${at}`, 't::text COLLATE "C"')
      expect({ title, rows: here }).toEqual({ title, rows: there })
    }
  })

  it('lets triggers and checks of the target find the names they use, also deferred ones', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE watched (a int PRIMARY KEY)')
    await inSource(stage, from, 'INSERT INTO watched SELECT generate_series(1, 12)')
    await stage.byHand(`CREATE TABLE heard (a int);
      CREATE FUNCTION hear() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO heard VALUES (NEW.a); RETURN NULL; END';
      CREATE TRIGGER hear AFTER INSERT ON watched FOR EACH ROW EXECUTE FUNCTION hear();
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON watched DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hear()`)
    expect(await stage.work([copyStep(['watched'])])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT count(*)::int AS n FROM heard')).toEqual([{ n: 24 }])
  })

  it('rejects tables without a key', async () => {
    const tables = `CREATE TABLE good (a int PRIMARY KEY); CREATE TABLE keyless (a int); CREATE TABLE nulls (a int UNIQUE);
      CREATE TABLE parts (a int NOT NULL); CREATE UNIQUE INDEX ON parts (a) WHERE a > 0; CREATE VIEW seen AS SELECT 1 AS a`
    const stage = await stageWith(server(), sourceServer(), tables)
    const refusals = {
      ...{ keyless: 'has no primary key', nulls: 'has no primary key', parts: 'has no primary key' },
      ...{ seen: 'is not there in the source', missing: 'is not there in the source' },
    }
    for (const [table, message] of Object.entries(refusals)) {
      const options = { migration: `default/${table}` }
      expect(await stage.work([copyStep(['good', table])], options)).toMatchObject({
        ...{ kind: 'Failed', failure: { message: expect.stringContaining(`table public.${table} ${message}`) } },
      })
    }
  })

  it('reports what the target lacks, and accepts what it has in addition', async () => {
    const from = sourceServer()
    const stage = await stageWith(
      server(),
      from,
      'CREATE TABLE wide (a int PRIMARY KEY, b int); CREATE TABLE gone (a int PRIMARY KEY)',
    )
    await inSource(stage, from, 'INSERT INTO wide VALUES (1, 2)')
    await stage.byHand("ALTER TABLE wide ADD COLUMN c text DEFAULT 'new', ALTER COLUMN b TYPE bigint; DROP TABLE gone")
    expect(await stage.work([copyStep(['gone'], { name: 'gone' })])).toMatchObject({
      failure: { message: 'table public.gone is not there in the target' },
    })
    expect(await stage.work([copyStep(['wide'], { name: 'wide' })])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT a, b::int, c FROM wide')).toEqual([{ a: 1, b: 2, c: 'new' }])
    await stage.byHand('ALTER TABLE wide DROP COLUMN b')
    expect(await stage.work([copyStep(['wide'], { name: 'narrow' })], { migration: 'default/other' })).toMatchObject({
      failure: { message: 'table public.wide has no column "b" in the target' },
    })
  })

  it('finds rows that another session wrote meanwhile, and copies them on request', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE busy (a int PRIMARY KEY, b text)')
    await inSource(stage, from, "INSERT INTO busy SELECT n * 2, 'x' FROM generate_series(1, 40) AS n")
    const steps = [copyStep(['busy'])]
    const worker = new AbortController()
    let batches = 0
    stage.proxy.judge = ({ text }) => {
      if (!text.startsWith('INSERT INTO _konverge.copy_progress') || ++batches !== 3) return 'pass'
      worker.abort(new Error('killed'))
      return 'cutAfter'
    }
    await expect(stage.work(steps, { signal: worker.signal })).rejects.toThrow('killed')
    await inSource(stage, from, "INSERT INTO busy VALUES (1, 'late')")
    expect(await stage.work(steps)).toMatchObject({
      kind: 'Failed',
      failure: { message: expect.stringContaining('does somebody write') },
    })
    expect(await stage.work(steps, { retryToken: 'again' })).toEqual({ kind: 'Completed' })
    const { here, there } = await rowsOf(stage, from, 'busy', 'a')
    expect(there).toHaveLength(41)
    expect(here).toEqual(there)
  })

  it('reports what brings rows that were changed in the source meanwhile', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE busy (a int PRIMARY KEY, b text)')
    await inSource(stage, from, "INSERT INTO busy VALUES (1, 'new'), (2, 'same')")
    await stage.byHand("INSERT INTO busy VALUES (1, 'old')")
    const steps = [copyStep(['busy'])]
    for (const retryToken of ['', 'again']) {
      expect(await stage.work(steps, { retryToken })).toMatchObject({
        ...{ kind: 'Failed', failure: { message: expect.stringContaining('TRUNCATE the table in the target') } },
      })
    }
    await stage.byHand('TRUNCATE busy')
    expect(await stage.work(steps, { retryToken: 'once more' })).toEqual({ kind: 'Completed' })
    const { here, there } = await rowsOf(stage, from, 'busy', 'a')
    expect(here).toEqual(there)
  })

  it('is complete when both databases are equal, and not when its query holds for a part of the rows', async () => {
    const tables = 'CREATE TABLE numbers (n int PRIMARY KEY)'
    const stage = await stageWith(server(), sourceServer(), tables)
    await inSource(stage, sourceServer(), 'INSERT INTO numbers SELECT generate_series(1, 12)')
    await stage.byHand('ALTER TABLE numbers ADD CONSTRAINT small CHECK (n < 11)')
    const there = sqlStep(tables, {
      ...{ name: 'there', verify: { sql: "SELECT to_regclass('numbers')::text", expect: 'numbers' } },
    })
    const copy = copyStep(['numbers'], {
      ...{ name: 'copy', verify: { sql: 'SELECT count(*) > 0 FROM numbers', expect: 't' } },
    })
    const order = { adoptsBaseline: true }
    expect(await stage.work([there, copy], order)).toMatchObject({ step: 'copy', failure: { sqlState: '23514' } })
    expect(await stage.byHand('SELECT count(*)::int AS n FROM numbers')).toEqual([{ n: 10 }])
    await stage.byHand('ALTER TABLE numbers DROP CONSTRAINT small')
    expect(await stage.work([there, copy], { ...order, retryToken: 'again' })).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT count(*)::int AS n FROM numbers')).toEqual([{ n: 12 }])
    expect(await stage.marks()).toEqual(['there Adopted', 'copy Applied'])
  })

  it('reports its progress, and continues from there', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE long (a int PRIMARY KEY)')
    await inSource(stage, from, 'INSERT INTO long SELECT generate_series(1, 50); ANALYZE long')
    const steps = [copyStep(['long'], { batchRows: 10 })]
    let batches = 0
    stage.proxy.judge = ({ text }) =>
      text.startsWith('INSERT INTO "public"."long"') && ++batches === 4 ? 'cutBefore' : 'pass'
    expect(await stage.work(steps)).toEqual({ kind: 'Completed' })
    const told = stage.news.flatMap((news) => (news.kind === 'copied' ? [`${news.rowsCopied} ${news.percent}`] : []))
    expect(told).toEqual(['10 20', '20 40', '30 60', '40 80', '50 99', '50 99'])
    expect(stage.news.filter(({ kind }) => kind === 'lost')).toHaveLength(1)
  })

  it('may be interrupted any number of times, as long as it progresses', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE long (a int PRIMARY KEY)')
    await inSource(stage, from, 'INSERT INTO long SELECT generate_series(1, 50)')
    let batches = 0
    stage.proxy.judge = ({ text }) =>
      text.startsWith('INSERT INTO "public"."long"') && ++batches % 2 === 0 ? 'cutBefore' : 'pass'
    const outcome = await stage.work([copyStep(['long'], { batchRows: 10 })], { maxAttempts: 2 })
    expect(outcome).toEqual({ kind: 'Completed' })
    expect(stage.news.filter(({ kind }) => kind === 'lost').length).toBeGreaterThan(2)
  })

  it('may wait for locks of others any number of times, as long as it progresses', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE held (a int PRIMARY KEY)')
    await inSource(stage, from, 'INSERT INTO held SELECT generate_series(1, 50)')
    // A rollback does not reset a sequence. Therefore each batch but the first one is blocked once.
    await stage.byHand(`CREATE SEQUENCE tries;
      CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.a % 10 = 1 AND NEW.a > 10 AND nextval('public.tries') % 2 = 1 THEN
          RAISE EXCEPTION 'held' USING ERRCODE = 'lock_not_available';
        END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER hold BEFORE INSERT ON held FOR EACH ROW EXECUTE FUNCTION hold()`)
    const outcome = await stage.work([copyStep(['held'], { batchRows: 10 })], { maxAttempts: 2 })
    expect(outcome).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT last_value::int AS tries FROM tries')).toEqual([{ tries: 8 }])
  })

  it('reads fewer rows at a time when they are wide', async () => {
    const from = sourceServer()
    const stage = await stageWith(server(), from, 'CREATE TABLE fat (a int PRIMARY KEY, b text)')
    await inSource(stage, from, "INSERT INTO fat SELECT n, repeat('x', 100000) FROM generate_series(1, 300) AS n")
    expect(await stage.work([copyStep(['fat'], { batchRows: 5000 })])).toEqual({ kind: 'Completed' })
    const told = stage.news.flatMap((news) => (news.kind === 'copied' ? [news.rowsCopied] : []))
    expect(told).toEqual([10, 51, 92, 133, 174, 215, 256, 297, 300])
  })
})

async function hasIcu(...servers: readonly PostgresServer[]): Promise<boolean> {
  const found = await Promise.all(
    servers.map((server) => server.byHand("SELECT 1 FROM pg_collation WHERE collprovider = 'i' LIMIT 1")),
  )
  return found.every(({ length }) => length > 0)
}
