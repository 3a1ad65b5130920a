// SQL steps of every kind on real servers. Invariant: a step has its effect, and its applied marker records that.
import { expect, it, onTestFinished } from 'vitest'
import { takeMigrationTarget } from '../../../src/controllers/engines/postgres/migration/migration-target-client.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'
import { MigrationStage, nothingLeft } from './migration-stage.ts'
import { assertStep, sqlStep } from './steps.ts'

const create = sqlStep('CREATE TABLE orders (id int PRIMARY KEY, total int)', {
  name: 'create',
  verify: {
    sql: "SELECT count(*) FROM information_schema.columns WHERE table_name = 'orders' AND column_name = 'total'",
    expect: '1',
  },
  down: 'DROP TABLE orders',
})
const fill = sqlStep(
  'INSERT INTO orders SELECT n, 10 FROM generate_series(1, 100) AS n;\nUPDATE orders SET total = total + 1',
  {
    name: 'fill',
    verify: { sql: 'SELECT sum(total) FROM orders', expect: '1100' },
    down: 'DELETE FROM orders',
  },
)
const index = sqlStep('CREATE INDEX CONCURRENTLY orders_total ON orders (total)', {
  name: 'index',
  isTransactional: false,
  verify: { sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('orders_total')", expect: 't' },
  down: 'DROP INDEX orders_total',
})
const check = assertStep('SELECT count(*) FROM orders', {
  name: 'check',
  verify: { sql: 'SELECT count(*) FROM orders', expect: '100' },
})
const wrong = sqlStep('INSERT INTO orders VALUES (1000, 1); INSERT INTO orders VALUES (1, 1)', { name: 'wrong' })

onEachPostgres('a migration', (server, version) => {
  it('applies its steps once, and does nothing on the next run', async () => {
    const stage = await MigrationStage.start(server())
    const steps = [create, fill, index, check]
    expect(await stage.work(steps)).toEqual({ kind: 'Completed' })
    const marks = ['create Applied', 'fill Applied', 'index Applied', 'check Applied']
    expect(await stage.marks()).toEqual(marks)
    expect(stage.news.map((news) => `${news.kind} ${'step' in news ? news.step : ''}`)).toEqual(
      steps.flatMap(({ name }) => [`begun ${name}`, `applied ${name}`]),
    )
    stage.proxy.forget()
    expect(await stage.work(steps)).toEqual({ kind: 'Completed' })
    expect(
      stage.proxy.statements.filter(({ text }) => /INSERT INTO orders|CREATE (TABLE|INDEX|SCHEMA)/.test(text)),
    ).toEqual([])
    expect(await stage.marks()).toEqual(marks)
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })

  it('continues with added steps, and rejects changed or inserted ones', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create])
    expect(await stage.work([create, fill])).toEqual({ kind: 'Completed' })
    expect(await stage.work([{ ...create, sql: `${create.sql} ` }, fill])).toEqual({ kind: 'Completed' })
    expect(await stage.work([{ ...create, sql: 'CREATE TABLE orders ()' }, fill])).toMatchObject({
      kind: 'Refused',
      reason: 'ChecksumChanged',
    })
    expect(await stage.work([check, create, fill])).toMatchObject({ kind: 'Refused', reason: 'OrderChanged' })
    expect(await stage.work([fill, create])).toMatchObject({ kind: 'Refused', reason: 'OrderChanged' })
  })

  it('runs nothing if one step is not allowed, and accepts such steps if they are already applied', async () => {
    const stage = await MigrationStage.start(server())
    const bad = sqlStep('COMMIT', { name: 'bad' })
    expect(await stage.work([create, bad])).toMatchObject({
      kind: 'Invalid',
      findings: [{ code: 'TransactionControlInStep' }],
    })
    expect(await stage.marks()).toEqual([])
  })

  it('rolls back a failed step completely, reports why, and repeats it only on request', async () => {
    const stage = await MigrationStage.start(server())
    const failed = {
      kind: 'Failed',
      step: 'wrong',
      failure: { sqlState: '23505', message: 'duplicate key value violates unique constraint "orders_pkey"' },
    }
    expect(await stage.work([create, fill, wrong])).toEqual(failed)
    expect(await stage.byHand('SELECT count(*)::int AS n FROM orders')).toEqual([{ n: 100 }])
    stage.proxy.forget()
    expect(await stage.work([create, fill, wrong])).toEqual(failed)
    expect(stage.proxy.statements.filter(({ text }) => text === wrong.sql)).toEqual([])
    await stage.byHand(
      'DELETE FROM orders WHERE id = 1; UPDATE orders SET total = 1100 WHERE id = 2; DELETE FROM orders WHERE id > 2',
    )
    expect(await stage.work([create, fill, wrong], { retryToken: 'again' })).toEqual({ kind: 'Completed' })
    expect(await stage.marks()).toEqual(['create Applied', 'fill Applied', 'wrong Applied'])
  })

  it('compensates all steps on request', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create])
    const steps = [create, fill, index, check, wrong]
    expect(await stage.work(steps, { onFailure: 'RunDown' })).toMatchObject({ kind: 'Failed', step: 'wrong' })
    expect(await stage.marks()).toEqual([
      'create Applied',
      'fill Undone',
      'index Undone',
      'check Undone',
      'wrong Failed',
    ])
    expect(await stage.byHand("SELECT count(*)::int AS n, to_regclass('orders_total') AS index FROM orders")).toEqual([
      { n: 0, index: null },
    ])
    const mended = { ...wrong, sql: 'INSERT INTO orders VALUES (1000, 1)' }
    expect(await stage.work([create, fill, index, check, mended], { onFailure: 'RunDown' })).toEqual({
      kind: 'Completed',
    })
  })

  it('keeps the time of an applied step when the step that superseded it is compensated', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create])
    const finished =
      "SELECT finished_at::text AS at, superseded_by AS by FROM _konverge.migration_steps WHERE name = 'create'"
    const [before] = await stage.byHand(finished)
    const drop = sqlStep('ALTER TABLE orders DROP COLUMN total', {
      ...{ name: 'drop', down: 'ALTER TABLE orders ADD COLUMN total int' },
    })
    expect(await stage.work([create, drop, wrong], { onFailure: 'RunDown' })).toMatchObject({ step: 'wrong' })
    expect(await stage.marks()).toEqual(['create Applied', 'drop Undone', 'wrong Failed'])
    expect(await stage.byHand(finished)).toEqual([before])
  })

  it('stops when a compensation fails', async () => {
    const stage = await MigrationStage.start(server())
    const stuck = { ...fill, down: 'SELECT 1/0' }
    const order = { onFailure: 'RunDown' } as const
    const failed = { kind: 'Failed', step: 'fill', failure: { sqlState: '22012', message: 'division by zero' } }
    expect(await stage.work([create, stuck, wrong], order)).toEqual(failed)
    expect(await stage.work([create, stuck, wrong], order)).toEqual(failed)
    expect(await stage.marks()).toEqual(['create Applied', 'fill UndoFailed', 'wrong Failed'])
  })

  it('reports a recorded step whose effect is missing, unless a later step has removed it', async () => {
    const stage = await MigrationStage.start(server())
    const drop = sqlStep('ALTER TABLE orders DROP COLUMN total', { name: 'drop' })
    expect(await stage.work([create, fill, drop])).toEqual({ kind: 'Completed' })
    expect(await stage.work([create, fill, drop])).toEqual({ kind: 'Completed' })
    const other = await MigrationStage.start(server())
    await other.work([create, fill])
    await other.byHand('DROP TABLE orders')
    expect(await other.work([create, fill])).toMatchObject({
      kind: 'Refused',
      reason: 'RecordedButAbsent',
      step: 'create',
    })
  })

  it('still verifies a step when a later step had no time to check it', async () => {
    const stage = await MigrationStage.start(server())
    const slow = {
      ...create,
      verify: { sql: `SELECT count(*) FROM pg_sleep(2), (${create.verify?.sql ?? ''}) AS found`, expect: '1' },
    }
    const quick = sqlStep('SELECT 1', { name: 'quick', timeoutMs: 500 })
    expect(await stage.work([slow, quick])).toEqual({ kind: 'Completed' })
    await stage.byHand('DROP TABLE orders')
    expect(await stage.work([create, quick])).toMatchObject({ kind: 'Refused', reason: 'RecordedButAbsent' })
  })

  it('adopts existing effects as a baseline on request', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand(create.sql)
    expect(await stage.work([create, fill], { adoptsBaseline: true })).toEqual({ kind: 'Completed' })
    expect(await stage.marks()).toEqual(['create Adopted', 'fill Applied'])
  })

  it('fails at an assertion that does not hold', async () => {
    const stage = await MigrationStage.start(server())
    expect(await stage.work([create, check, fill])).toMatchObject({ kind: 'Failed', step: 'check' })
    expect(await stage.marks()).toEqual(['create Applied', 'check Failed'])
  })

  it('does not apply a step whose verification fails, nor one that fails at its commit', async () => {
    const stage = await MigrationStage.start(server())
    const unverified = { ...fill, verify: { sql: 'SELECT sum(total) FROM orders', expect: '7' } }
    expect(await stage.work([create, unverified])).toMatchObject({
      failure: { message: 'the verification does not hold: it reads 1100' },
    })
    expect(await stage.byHand('SELECT count(*)::int AS n FROM orders')).toEqual([{ n: 0 }])
    const other = await MigrationStage.start(server())
    await other.byHand(`CREATE TABLE a (id int PRIMARY KEY);
      CREATE TABLE b (a int REFERENCES a DEFERRABLE INITIALLY DEFERRED)`)
    expect(await other.work([sqlStep('INSERT INTO b VALUES (1)')])).toMatchObject({
      kind: 'Failed',
      failure: { sqlState: '23503' },
    })
  })

  it('leaves no invalid index behind, and creates the index when the cause is gone', async () => {
    const stage = await MigrationStage.start(server())
    const unique = sqlStep('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS once ON orders (total)', {
      ...{ name: 'unique', isTransactional: false },
      verify: { sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('once')", expect: 't' },
    })
    expect(await stage.work([create, fill, unique])).toMatchObject({
      kind: 'Failed',
      step: 'unique',
      failure: { sqlState: '23505' },
    })
    expect(await stage.leftovers()).toEqual(nothingLeft)
    // The sum stays as `fill` verifies it.
    await stage.byHand('DELETE FROM orders WHERE id > 1; UPDATE orders SET total = 1100')
    expect(await stage.work([create, fill, unique], { retryToken: '2' })).toEqual({ kind: 'Completed' })
  })

  it.each([
    {
      sql: 'CREATE INDEX CONCURRENTLY made ON "Parted 1" (a)',
      half: "SELECT 1 FROM pg_index WHERE NOT indisvalid AND indexrelid = to_regclass('made')",
      verify: "SELECT to_regclass('made') IS NOT NULL",
    },
    {
      sql: 'REINDEX TABLE CONCURRENTLY "Parted 1"',
      half: "SELECT 1 FROM pg_class WHERE relname ~ '_ccnew'",
      verify: "SELECT NOT EXISTS (SELECT FROM pg_class WHERE relname ~ '_ccnew')",
    },
    {
      sql: 'ALTER TABLE parted DETACH PARTITION "Parted 1" CONCURRENTLY',
      half: 'SELECT 1 FROM pg_inherits WHERE inhdetachpending',
      verify: "SELECT NOT relispartition FROM pg_class WHERE relname = 'Parted 1'",
    },
  ])('continues after a killed worker: $sql', async ({ sql, half, verify }) => {
    const stage = await MigrationStage.start(server())
    await stage.byHand(`CREATE TABLE parted (a int PRIMARY KEY) PARTITION BY RANGE (a);
                        CREATE TABLE "Parted 1" PARTITION OF parted FOR VALUES FROM (1) TO (9);
                        INSERT INTO parted VALUES (1)`)
    const step = sqlStep(sql, { isTransactional: false, verify: { sql: verify, expect: 't' }, lockTimeoutMs: 20_000 })
    // While a transaction writes, the statement waits half done.
    const writing = stage.byHand('BEGIN; UPDATE parted SET a = 2; SELECT pg_sleep(600); COMMIT').catch(() => undefined)
    await expect
      .poll(() =>
        stage.byHand("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"),
      )
      .toHaveLength(1)
    const worker = new AbortController()
    const killed = stage.work([step], { signal: worker.signal }).catch(() => 'killed')
    await expect.poll(() => stage.byHand(half)).toHaveLength(1)
    worker.abort(new Error('killed'))
    expect(await killed).toBe('killed')
    await stage.sessionsEnd()
    expect(await stage.byHand(half)).toHaveLength(1)
    await stage.byHand(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
    )
    await writing
    expect(await stage.work([step])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand(half)).toHaveLength(0)
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })

  it.each(['VACUUM', 'VACUUM (ANALYZE) orders', 'DROP INDEX CONCURRENTLY orders_total', 'CALL tidy()'])(
    'runs outside a transaction only statements without leftovers: %s',
    async (text) => {
      const stage = await MigrationStage.start(server())
      await stage.byHand("CREATE PROCEDURE tidy() LANGUAGE plpgsql AS 'BEGIN COMMIT; END'")
      const verify = { sql: 'SELECT count(*) FROM orders', expect: '100' }
      const step = sqlStep(text, { isTransactional: false, verify })
      expect(await stage.work([create, fill, index, step])).toEqual({ kind: 'Completed' })
    },
  )

  it('marks a step that is done and unrecorded, also when it supersedes an earlier step', async () => {
    const stage = await MigrationStage.start(server())
    const drop = sqlStep('DROP INDEX CONCURRENTLY orders_total', {
      ...{ name: 'drop', isTransactional: false },
      verify: { sql: "SELECT to_regclass('orders_total') IS NULL", expect: 't' },
    })
    await stage.work([create, fill, index])
    stage.proxy.judge = ({ text }) => (text === drop.sql ? 'cutAfter' : 'pass')
    expect(await stage.work([create, fill, index, drop])).toEqual({ kind: 'Completed' })
    expect(stage.news.filter(({ kind }) => kind === 'lost')).toHaveLength(1)
    expect(await stage.work([create, fill, index, drop])).toEqual({ kind: 'Completed' })
  })

  it('completes a half-done step after its failure, although an earlier step no longer holds', async () => {
    const stage = await MigrationStage.start(server())
    const drop = sqlStep('DROP INDEX CONCURRENTLY orders_total', {
      ...{ name: 'drop', isTransactional: false, lockTimeoutMs: 20 },
      verify: { sql: "SELECT to_regclass('orders_total') IS NULL", expect: 't' },
    })
    await stage.work([create, fill, index])
    // A writer of the table blocks the end of an index build, but not its beginning. Until then the index is invalid.
    const writer = await stage.server.connect({ database: stage.database })
    onTestFinished(() => writer.end())
    await writer.query('BEGIN; UPDATE orders SET total = total')
    const steps = [create, fill, index, drop]
    expect(await stage.work(steps, { maxAttempts: 2 })).toMatchObject({
      kind: 'Failed',
      failure: { sqlState: '55P03' },
    })
    expect(await stage.byHand(String(index.verify?.sql))).toEqual([{ indisvalid: false }])
    await writer.query('COMMIT')
    expect(await stage.work(steps, { retryToken: 'again' })).toEqual({ kind: 'Completed' })
    expect(await stage.marks()).toEqual(['create Applied', 'fill Applied', 'index Applied', 'drop Applied'])
    expect(await stage.work(steps)).toEqual({ kind: 'Completed' })
  })

  it('repeats no step outside a transaction that was done before its verification failed', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand(`CREATE TABLE paid (n int); INSERT INTO paid VALUES (0);
      CREATE PROCEDURE pay() LANGUAGE plpgsql AS 'BEGIN UPDATE paid SET n = n + 1; COMMIT; END'`)
    const pay = sqlStep('CALL pay()', {
      isTransactional: false,
      verify: { sql: 'SELECT n > 0 FROM paid', expect: '1' },
    })
    expect(await stage.work([pay])).toMatchObject({ kind: 'Failed' })
    const mended = { ...pay, verify: { sql: 'SELECT n > 0 FROM paid', expect: 't' } }
    expect(await stage.work([mended])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT n FROM paid')).toEqual([{ n: 1 }])
  })

  it('does not count what it finds after a failure as its own effect, and never compensates it', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand(`${create.sql}; ${index.sql.replace('CONCURRENTLY ', '')}`)
    const order = { adoptsBaseline: true, onFailure: 'RunDown' } as const
    const unclear = { ...index, verify: { sql: "SELECT to_regclass('orders_total')", expect: 'yes' } }
    expect(await stage.work([create, unclear, fill], order)).toMatchObject({ failure: { sqlState: '42P07' } })
    expect(await stage.work([create, index, fill, wrong], order)).toMatchObject({ kind: 'Failed', step: 'wrong' })
    expect(await stage.marks()).toEqual(['create Adopted', 'index Adopted', 'fill Undone', 'wrong Failed'])
    expect(await stage.byHand(String(index.verify?.sql))).toEqual([{ indisvalid: true }])
  })

  it('fails finally when others block the cleanup of a step whose text has changed', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create, fill])
    const quick = { ...index, lockTimeoutMs: 20 }
    // A writer of the table blocks the end of an index build and a concurrent drop, but not the beginning of the build.
    const writer = await stage.server.connect({ database: stage.database })
    onTestFinished(() => writer.end())
    await writer.query('BEGIN; UPDATE orders SET total = total')
    const failed = { kind: 'Failed', step: 'index', failure: { sqlState: '55P03' } }
    expect(await stage.work([create, fill, quick], { maxAttempts: 2 })).toMatchObject(failed)
    const other = { ...quick, sql: 'CREATE INDEX CONCURRENTLY orders_total ON orders (total, id)' }
    const steps = [create, fill, other]
    expect(await stage.work(steps, { maxAttempts: 2 })).toMatchObject(failed)
    expect(await stage.work(steps, { maxAttempts: 2 })).toMatchObject(failed)
    await writer.query('COMMIT')
    const slow = { ...other, lockTimeoutMs: patient.lockTimeoutMs }
    expect(await stage.work([create, fill, slow])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand("SELECT pg_get_indexdef('orders_total'::regclass) AS text")).toEqual([
      { text: 'CREATE INDEX orders_total ON public.orders USING btree (total, id)' },
    ])
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })

  it('fails finally when a done step cannot be recorded because an earlier step cannot be verified', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand("CREATE PROCEDURE pay() LANGUAGE plpgsql AS 'BEGIN CREATE TABLE paid (); COMMIT; END'")
    const pay = sqlStep('CALL pay()', {
      ...{ name: 'pay', isTransactional: false, lockTimeoutMs: 20 },
      verify: { sql: "SELECT to_regclass('paid')::text", expect: 'yes' },
    })
    expect(await stage.work([create, fill, pay])).toMatchObject({ kind: 'Failed', step: 'pay' })
    const verify = { sql: "SELECT to_regclass('paid')::text", expect: 'paid' }
    const steps = [create, fill, { ...pay, verify }]
    const letGo = await hold(stage, 'orders')
    const failed = { kind: 'Failed', step: 'pay', failure: { sqlState: '55P03' } }
    expect(await stage.work(steps, { maxAttempts: 2 })).toMatchObject(failed)
    await letGo()
    expect(await stage.work(steps, { retryToken: 'again' })).toEqual({ kind: 'Completed' })
    expect(await stage.marks()).toEqual(['create Applied', 'fill Applied', 'pay Adopted'])
  })

  it('commits nothing after another worker has raised the epoch', async () => {
    const stage = await MigrationStage.start(server())
    const raising = sqlStep(
      "DO $$ BEGIN EXECUTE 'UPDATE _kon' || 'verge.migration_lease SET epoch = epoch + 1'; END $$",
      { name: 'raising' },
    )
    expect(await stage.work([raising, create])).toEqual({ kind: 'Completed' })
    expect(stage.news.filter(({ kind }) => kind === 'lost')).toEqual([
      { kind: 'lost', message: 'another worker has taken this migration over' },
    ])
    expect(await stage.marks()).toEqual(['raising Applied', 'create Applied'])
  })

  it('blocks a change of the epoch while a step runs', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create])
    const letGo = await hold(stage)
    const working = stage.work([create, sqlStep('SELECT FROM gate', { name: 'slow', ...patient })])
    await expect.poll(() => stage.byHand(waiting)).toHaveLength(1)
    const raising = stage.byHand('SET lock_timeout TO 50; UPDATE _konverge.migration_lease SET epoch = epoch + 1')
    await expect(raising).rejects.toMatchObject({ code: '55P03' })
    await letGo()
    expect(await working).toEqual({ kind: 'Completed' })
  })

  it.each(['fill', 'index'])('continues when its server has crashed in step %s and restarted', async (name) => {
    const own = await startPostgres({ version })
    const stage = await MigrationStage.start(own)
    const text = name === 'fill' ? fill.sql : index.sql
    let isBack: Promise<void> | undefined
    stage.proxy.judge = (statement) => {
      if (statement.text === text) isBack ??= own.kill().then(() => own.start())
      return 'pass'
    }
    expect(await stage.work([create, fill, index, check], { firstRetryMs: 200 })).toEqual({ kind: 'Completed' })
    await isBack
    expect(isBack).toBeDefined()
    expect(await stage.byHand('SELECT count(*)::int AS n, sum(total)::int AS total FROM orders')).toEqual([
      { n: 100, total: 1100 },
    ])
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })

  it('fails when its server does not come back, and reports the last error', async () => {
    const stage = await MigrationStage.start(server())
    await stage.proxy.refuse()
    await expect(stage.work([create])).rejects.toMatchObject({
      code: 'ServerUnreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(stage.news).toHaveLength(8)
  })

  it('reports why a verification cannot run', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create])
    const asks = { ...create, verify: { sql: 'SELECT 1/0', expect: '1' } }
    expect(await stage.work([asks])).toMatchObject({ kind: 'Failed', step: 'create', failure: { sqlState: '22012' } })
  })

  it('runs no verification that is more than a query, also not that of an applied step', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create])
    const sly = `SELECT 1; COMMIT; SET ROLE ${server().access().username}; DROP TABLE public.orders`
    expect(await stage.work([{ ...create, verify: { sql: sly, expect: '1' } }])).toMatchObject({
      ...{ kind: 'Invalid', findings: expect.arrayContaining([expect.objectContaining({ code: 'VerifyNotAQuery' })]) },
    })
    // The server rejects it too, independent of the review.
    await stage.sessionsEnd()
    const taken = await takeMigrationTarget(await stage.targetOptions(), new AbortController().signal)
    if (taken.kind !== 'held') throw new Error(`The lock is held by ${taken.holder}.`)
    await expect(taken.target.holds({ sql: sly, expect: '1' }, create)).rejects.toMatchObject({
      ...{ code: 'StepFailed', failure: { sqlState: '42601' } },
    })
    expect(await taken.target.holds({ sql: 'SELECT 1; -- once', expect: '1' }, create)).toBe(true)
    await taken.target.close()
    expect(await stage.byHand("SELECT to_regclass('orders')::text AS orders")).toEqual([{ orders: 'orders' }])
  })

  it('runs a step with its own limits, the search path of the database, and no settings of others', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand(`CREATE SCHEMA shop; ALTER DATABASE ${stage.database} SET search_path TO shop`)
    const sly = sqlStep(
      "DO $$ BEGIN EXECUTE 'SET work_mem TO ''1MB'''; EXECUTE 'CREATE TEMP TABLE orders (id int)'; END $$",
      { name: 'sly' },
    )
    const seen = sqlStep(
      "CREATE TABLE seen AS SELECT current_setting('work_mem') AS mem, current_setting('lock_timeout') AS lock",
      { name: 'seen' },
    )
    expect(await stage.work([sly, create, seen])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand("SELECT mem, lock, to_regclass('shop.orders')::text AS orders FROM shop.seen")).toEqual([
      { mem: '4MB', lock: '2s', orders: 'orders' },
    ])
  })

  it('ends a step that takes too long, in one statement or in many', async () => {
    const stage = await MigrationStage.start(server())
    const slow = sqlStep('SELECT pg_sleep(30)', { name: 'slow', timeoutMs: 50 })
    expect(await stage.work([slow])).toMatchObject({ kind: 'Failed', failure: { sqlState: '57014' } })
    const other = await MigrationStage.start(server())
    const many = sqlStep('SELECT pg_sleep(0.2);'.repeat(60), { name: 'many', timeoutMs: 2_000 })
    expect(await other.work([many])).toMatchObject({ kind: 'Failed', failure: { message: 'no answer within 4 s' } })
    expect(await other.marks()).toEqual(['many Failed'])
  })

  it('retries when others hold a lock, and fails finally', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create])
    const quick = sqlStep('ALTER TABLE orders ADD COLUMN note text', { name: 'note', lockTimeoutMs: 20 })
    const letGo = await hold(stage, 'orders')
    expect(await stage.work([create, quick], { maxAttempts: 2 })).toMatchObject({
      kind: 'Failed',
      failure: { sqlState: '55P03' },
    })
    const again = stage.work([create, quick], { maxAttempts: 10_000, retryToken: 'again' })
    await letGo()
    expect(await again).toEqual({ kind: 'Completed' })
  })

  it('detects a step that ends its own transaction covertly', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand("CREATE PROCEDURE sly() LANGUAGE plpgsql AS 'BEGIN COMMIT; END'")
    expect(await stage.work([sqlStep('CALL sly()')])).toMatchObject({ kind: 'Failed', failure: { sqlState: '2D000' } })
  })

  it('runs steps as their owner, who has no access to the markers', async () => {
    await server().byHand('CREATE ROLE keeper')
    const stage = await MigrationStage.start(server(), { owner: 'keeper' })
    await stage.byHand('GRANT CREATE ON SCHEMA public TO keeper')
    const evil = sqlStep("DO $$ BEGIN EXECUTE 'DELETE FROM ' || '_kon' || 'verge.migration_steps'; END $$", {
      name: 'evil',
    })
    expect(await stage.work([create, index, evil])).toMatchObject({
      kind: 'Failed',
      step: 'evil',
      failure: { sqlState: '42501' },
    })
    expect(await stage.byHand("SELECT tableowner::text FROM pg_tables WHERE tablename = 'orders'")).toEqual([
      { tableowner: 'keeper' },
    ])
  })

  it('does not trust a marker schema of another owner', async () => {
    const stage = await MigrationStage.start(server())
    await server().byHand("CREATE ROLE planter; CREATE ROLE migrator LOGIN PASSWORD 'm'")
    await stage.byHand('CREATE SCHEMA _konverge AUTHORIZATION planter')
    const target = await stage.targetOptions()
    const access = { ...target.access, username: 'migrator', password: 'm' }
    const taking = takeMigrationTarget({ ...target, access }, new AbortController().signal)
    await expect(taking).rejects.toMatchObject({
      remedy: 'stop',
      message: expect.stringContaining('belongs to planter'),
    })
  })

  it('waits for the lock, and reports its holder', async () => {
    const stage = await MigrationStage.start(server())
    const letGo = await hold(stage)
    const first = stage.work([sqlStep('SELECT FROM gate', { name: 'slow', ...patient })], { holder: 'first' })
    await expect.poll(() => stage.byHand(waiting)).toHaveLength(1)
    expect(await stage.work([create], { migration: 'default/b', lockWaitMs: 0 })).toEqual({
      kind: 'LockedByOther',
      holder: 'first',
    })
    const second = stage.work([create], { migration: 'default/b' })
    await letGo()
    expect(await second).toEqual({ kind: 'Completed' })
    expect(await first).toEqual({ kind: 'Completed' })
  })

  it('rehearses pending steps, and not the applied ones', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand(create.sql)
    const order = { isRehearsed: true, adoptsBaseline: true }
    expect(await stage.work([create, fill, wrong], order)).toMatchObject({ kind: 'RehearsalFailed', step: 'wrong' })
    expect(await stage.marks()).toEqual(['create Adopted'])
    expect(await stage.work([create, fill], order)).toEqual({ kind: 'Completed' })
    expect(await stage.marks()).toEqual(['create Adopted', 'fill Applied'])
  })

  it('rehearses the steps after a done and unrecorded one', async () => {
    const stage = await MigrationStage.start(server())
    await stage.work([create, fill, index])
    // A worker that dies after the effect leaves this state.
    await stage.byHand("UPDATE _konverge.migration_steps SET state = 'Running' WHERE name = 'index'")
    expect(await stage.work([create, fill, index, wrong], { isRehearsed: true })).toMatchObject({
      ...{ kind: 'RehearsalFailed', step: 'wrong' },
    })
    // An earlier list of steps did it.
    expect(await stage.marks()).toEqual(['create Applied', 'fill Applied', 'index Adopted'])
  })

  it('rehearses up to the end of one transaction, when an enum gets another value', async () => {
    const stage = await MigrationStage.start(server())
    const steps = [
      sqlStep("CREATE TYPE mood AS ENUM ('sad'); CREATE TABLE moods (mood mood)", { name: 'type' }),
      sqlStep("ALTER TYPE mood ADD VALUE 'fine'", { name: 'value' }),
      sqlStep("INSERT INTO moods VALUES ('fine')", { name: 'use' }),
    ]
    expect(await stage.work(steps.slice(0, 1))).toEqual({ kind: 'Completed' })
    expect(await stage.work(steps, { isRehearsed: true })).toEqual({ kind: 'Completed' })
  })

  it('rehearses steps first on request, and leaves no effect of them', async () => {
    const stage = await MigrationStage.start(server())
    const isRehearsed = true
    expect(await stage.work([create, fill, wrong], { isRehearsed })).toMatchObject({
      ...{ kind: 'RehearsalFailed', step: 'wrong', failure: { sqlState: '23505' } },
    })
    expect(await stage.byHand("SELECT to_regclass('orders') AS orders")).toEqual([{ orders: null }])
    expect(await stage.marks()).toEqual([])
    expect(await stage.work([create, fill, index, wrong], { isRehearsed })).toMatchObject({
      kind: 'Failed',
      step: 'wrong',
    })
    expect(await stage.marks()).toEqual(['create Applied', 'fill Applied', 'index Applied', 'wrong Failed'])
  })
})

/**
 * Locks the table until the returned function is called, and creates it if it is `gate`. A step that waits for it waits
 * as long as a test wants.
 */
async function hold(stage: MigrationStage, table = 'gate'): Promise<() => Promise<unknown>> {
  if (table === 'gate') await stage.byHand('CREATE TABLE gate ()')
  const holder = await stage.server.connect({ database: stage.database })
  onTestFinished(() => holder.end())
  await holder.query(`BEGIN; LOCK TABLE ${table}`)
  return () => holder.query('COMMIT')
}

const patient = { timeoutMs: 300_000, lockTimeoutMs: 300_000 }
const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
