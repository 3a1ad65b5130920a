// Upgrade of a database while a client writes, for real, from the oldest version to the newest. Invariant: a fault
// leads back to a working source server until the pivot.
// The crash runs cover a death at any statement.
import process from 'node:process'
import { expect, it } from 'vitest'
import { CodedError } from '../../../src/base/errors.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { pairs } from '../engines/replication/replication-stage.ts'
import { UpgradeStage } from './upgrade-stage.ts'

/** Number of rows. bench/README.md describes measurements with more. */
const rows = Number(process.env['KONVERGE_UPGRADE_ROWS'] ?? 1_000)
const way = () => pairs()[0] ?? ([0, 0] as const)
const wayBack = ['CreateSnapshot', 'ProvisionNew', 'fill', 'Replicate', 'ScaleDownOld', 'MigrateData', 'rehearse']

/** Tables that the fill has not analyzed. */
const unanalyzed = 'SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NULL'

it('an upgrade moves the database, and loses no acknowledged write', async ({ annotate }) => {
  const stage = await UpgradeStage.start(way(), rows)
  stage.waitsFor = 'somebody to say so'
  await stage.begin()
  const waiting = await stage.until('all to be ready', ({ steps }) => steps[3]?.state === 'Running')
  expect(waiting.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
    ...['CreateSnapshot Done', 'ProvisionNew Done', 'Replicate Done', 'AwaitCutover Running'],
    ...['ScaleDownOld Pending', 'MigrateData Pending', 'SwitchTraffic Pending', 'RetireOld Pending'],
  ])
  await stage.clientWrites()
  stage.waitsFor = undefined
  expect(await stage.ended()).toMatchObject({ state: 'Completed', pivotedAt: expect.any(String) })
  expect(await stage.new.byHand(unanalyzed, { database: 'shop' })).toEqual([])
  await stage.expectWhole(stage.new)
  await expect(stage.old.byHand('SELECT', { database: 'shop', user: 'app', password: 'secret' })).rejects.toMatchObject(
    {
      code: '28000',
    },
  )
  await annotate(`the client could not write for ${stage.client.longestGapMs} ms`)
})

it('an upgrade continues when the operator dies after each of its effects', async () => {
  const stage = await UpgradeStage.start(way())
  stage.isMortal = true
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Completed' })
  await stage.expectWhole(stage.new)
})

it.each(['Replication', 'Dump'] as const)(
  'an upgrade rolls back when the operator dies after each effect and each compensation, by %s',
  async (method) => {
    const stage = await UpgradeStage.start(way())
    stage.method = method
    stage.isMortal = true
    stage.failing = 'rehearse'
    await stage.begin()
    expect(await stage.ended()).toMatchObject({ state: 'Compensated' })
    const [following, back] = method === 'Dump' ? [[], []] : [['Replicate', 'AwaitCutover'], ['back Replicate']]
    const taken = ['back ScaleDownOld', ...back, 'back ProvisionNew']
    const steps = ['CreateSnapshot', 'ProvisionNew', ...following, 'ScaleDownOld', 'MigrateData', ...taken]
    expect([...new Set(stage.deaths)]).toEqual(steps)
    await stage.expectWhole(stage.old)
    expect(await stage.isNewBare()).toBe(true)
  },
)

it('an upgrade fills the target server again when a server crashes during it', async () => {
  const stage = await UpgradeStage.start(way())
  stage.crashesWhileFilling = true
  await stage.begin()
  const record = await stage.ended()
  expect(record.state, JSON.stringify(record)).toBe('Completed')
  expect(stage.crashed).toEqual([stage.old, stage.new])
  await stage.expectWhole(stage.new)
})

it.each(['Replication', 'Dump'] as const)(
  'an upgrade keeps sequences that a crash of the source server has advanced, by %s',
  async (method) => {
    const stage = await UpgradeStage.start(way())
    stage.method = method
    let crashes = 1
    stage.after = async (step) => {
      if (step !== 'MigrateData' || crashes === 0) return
      crashes -= 1
      // Recovery does this. A server logs the numbers it may give, 32 at a time, and not the given ones.
      const move = "SELECT setval('orders_id_seq', nextval('orders_id_seq') + 31)"
      await stage.old.byHand(move, { database: 'shop' })
    }
    await stage.begin()
    const record = await stage.ended()
    expect(record.state, JSON.stringify(record)).toBe('Completed')
    expect(record.steps[5]).toMatchObject({ name: 'MigrateData', attempts: 2 })
    await stage.expectWhole(stage.new)
  },
)

it('an upgrade copies sequences exactly, also reset ones and unused ones since the rows were read', async () => {
  const stage = await UpgradeStage.start(way())
  const shop = { database: 'shop' }
  await stage.old.byHand(
    `CREATE SEQUENCE "Invoice no"; SELECT setval('"Invoice no"', 2026999); CREATE SEQUENCE import; SELECT setval('import', 10);
    CREATE SEQUENCE round MAXVALUE 5 CYCLE; SELECT setval('round', 5); CREATE SEQUENCE down INCREMENT -1; SELECT nextval('down')`,
    shop,
  )
  stage.before = async (step) => {
    if (step !== 'ScaleDownOld') return
    await stage.old.byHand(
      `ALTER SEQUENCE "Invoice no" RESTART WITH 2; SELECT setval('import', 5000, false); SELECT nextval('round'); SELECT nextval('down')`,
      shop,
    )
  }
  await stage.begin()
  const record = await stage.ended()
  expect(record.state, JSON.stringify(record)).toBe('Completed')
  const asked = `SELECT nextval('"Invoice no"')::int AS invoice, nextval('import')::int AS import, nextval('round')::int AS round,
    nextval('down')::int AS down`
  expect(await stage.new.byHand(asked, shop)).toEqual([{ invoice: 2, import: 5000, round: 2, down: -3 }])
  await stage.expectWhole(stage.new)
})

it.each(crashPlaces(wayBack, 3))(
  'an upgrade rolls back to a working source server when it fails at %s',
  async (step) => {
    const stage = await UpgradeStage.start(way())
    stage.failing = step
    await stage.begin()
    expect(await stage.ended()).toMatchObject({ state: 'Compensated' })
    await stage.expectWhole(stage.old)
    expect(await stage.isNewBare()).toBe(true)
  },
)

it.each([
  ['does not follow any more', 'SubscriptionDisabled', stopFollowing],
  ['is too far behind', 'ReplicationLagging', letNothingBeKept],
])('an upgrade rolls back when the target server %s while it waits for approval', async (_, reason, disturb) => {
  const stage = await UpgradeStage.start(way())
  stage.waitsFor = 'somebody to say so'
  await stage.begin()
  await stage.until('all to be ready', ({ steps }) => steps[3]?.state === 'Running')
  await disturb(stage)
  expect(await stage.ended()).toMatchObject({ state: 'Compensated', reason })
  await stage.expectWhole(stage.old)
  expect(await stage.isNewBare()).toBe(true)
})

it('an upgrade by a dump moves what cannot be replicated', async () => {
  const stage = await UpgradeStage.start(way())
  stage.method = 'Dump'
  const shop = { database: 'shop' }
  await stage.old.byHand(
    `CREATE TABLE nameless (what text); INSERT INTO nameless SELECT generate_series(1, 100);
    CREATE UNLOGGED TABLE cache (what text); INSERT INTO cache VALUES ('warm');
    CREATE MATERIALIZED VIEW total AS SELECT count(*) AS rows FROM nameless; SELECT lo_from_bytea(77, 'a large object')`,
    shop,
  )
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Completed' })
  const asked = `SELECT (SELECT count(*)::int FROM nameless) AS nameless, (SELECT what FROM cache) AS cache,
    (SELECT rows::int FROM total) AS total, convert_from(lo_get(77), 'UTF8') AS large`
  expect(await stage.new.byHand(asked, shop)).toEqual([
    { nameless: 100, cache: 'warm', total: 100, large: 'a large object' },
  ])
  expect(await stage.new.byHand(unanalyzed, shop)).toEqual([])
  await stage.expectWhole(stage.new)
})

it('an upgrade starts no write freeze when the target server cannot apply changes', async () => {
  const stage = await UpgradeStage.start(way())
  stage.after = async (step) => {
    if (step === 'Replicate')
      await stage.new.byHand('ALTER TABLE orders ADD CHECK (n > 0) NOT VALID', { database: 'shop' })
  }
  await stage.begin()
  await stage.until('the cutover to be near', ({ steps }) => steps[3]?.notes?.['goal'] !== undefined)
  await stage.clientWrites()
  stage.mayLagBytes = 0n
  const record = await stage.ended()
  expect(record).toMatchObject({ state: 'Compensated', reason: 'ReplicationLagging' })
  expect(record.steps[4]).toEqual({ name: 'ScaleDownOld', state: 'Pending' })
  await stage.expectWhole(stage.old)
})

it('an upgrade rolls back to a working source server when a dump cannot be restored', async () => {
  const stage = await UpgradeStage.start(way())
  ;[stage.method, stage.failing] = ['Dump', 'MigrateData']
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Compensated' })
  await stage.expectWhole(stage.old)
  expect(await stage.isNewBare()).toBe(true)
})

it('an upgrade keeps no WAL on a source server that does not admit applications again yet', async () => {
  const stage = await UpgradeStage.start(way())
  const keeper = await stage.old.connect({ database: 'postgres' })
  try {
    stage.failing = 'rehearse'
    stage.before = async (step) => {
      if (step === 'SwitchTraffic') await keeper.query('BEGIN; ALTER ROLE app CONNECTION LIMIT -1')
    }
    await stage.begin()
    await stage.until('them to be let in', ({ steps }) => steps[4]?.state === 'Compensating')
    const slots = 'SELECT slot_name FROM pg_replication_slots'
    await waitUntil({ what: 'its slot to go' }, async () => (await stage.old.byHand(slots)).length === 0)
    const [row] = await stage.old.byHand("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'app'")
    expect(row).toEqual({ rolcanlogin: false })
    await keeper.query('ROLLBACK')
    expect(await stage.ended()).toMatchObject({ state: 'Compensated' })
  } finally {
    await keeper.end()
  }
  await stage.expectWhole(stage.old)
})

it('an upgrade cannot roll back after the first login at the target server', async () => {
  const stage = await UpgradeStage.start(way())
  stage.before = async (step) => {
    if (step === 'RetireOld') throw new CodedError({ code: 'Broken', message: 'the old side is gone', remedy: 'stop' })
  }
  await stage.begin()
  await stage.until('it to be past the pivot', ({ pivotedAt }) => pivotedAt !== undefined)
  expect(await stage.ended()).toMatchObject({ state: 'ManualIntervention' })
  await stage.clientWrites()
})

it('an upgrade is cancelled when a login can write to the source server again', async () => {
  const stage = await UpgradeStage.start(way())
  stage.before = async (step) => {
    if (step === 'MigrateData') await stage.old.byHand('ALTER ROLE app LOGIN')
  }
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Compensated', reason: 'WriteFreezeLost' })
  await stage.expectWhole(stage.old)
})

it('an upgrade continues when both servers crash during the write freeze', async () => {
  const stage = await UpgradeStage.start(way())
  let crashes = 0
  stage.before = async (step) => {
    if (step !== 'MigrateData' || crashes > 0) return
    crashes += 1
    for (const server of [stage.old, stage.new]) {
      await server.kill()
      await server.start()
    }
  }
  await stage.begin()
  const record = await stage.ended()
  expect(record.state, JSON.stringify(record)).toBe('Completed')
  expect(crashes).toBe(1)
  await stage.expectWhole(stage.new)
})

async function stopFollowing({ new: young }: UpgradeStage): Promise<void> {
  const [row] = await young.byHand('SELECT quote_ident(subname) AS name FROM pg_subscription')
  await young.byHand(`ALTER SUBSCRIPTION ${row?.['name']} DISABLE`, { database: 'shop' })
}

async function letNothingBeKept(stage: UpgradeStage): Promise<void> {
  stage.mayLagBytes = -1n
}
