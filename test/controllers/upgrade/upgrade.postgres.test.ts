// Does a database move to a newer server while it is written to, and does whatever fails on the way lead back to an old side that works, as
// long as there is a way back? For real, from the oldest version to the newest. Deaths at any statement are told by the crash runs.
import process from 'node:process'
import { expect, it } from 'vitest'
import { CodedError } from '../../../src/base/errors.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { pairs } from '../engines/replication/replication-stage.ts'
import { UpgradeStage } from './upgrade-stage.ts'

/** More of them for a figure: bench/README.md says how. */
const rows = Number(process.env['KONVERGE_UPGRADE_ROWS'] ?? 1_000)
const way = () => pairs()[0] ?? ([0, 0] as const)
const wayBack = ['CreateSnapshot', 'ProvisionNew', 'fill', 'Replicate', 'ScaleDownOld', 'MigrateData', 'rehearse']

/** By whoever filled them. */
const unanalyzed = 'SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NULL'

it('moves, and loses nothing that was acknowledged', async ({ annotate }) => {
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

it('goes on where it was when the operator dies after each of its effects', async () => {
  const stage = await UpgradeStage.start(way())
  stage.isMortal = true
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Completed' })
  await stage.expectWhole(stage.new)
})

it.each(['Replication', 'Dump'] as const)(
  'leads back when the operator dies after each of its effects and after each that it takes back, by %s',
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

it('begins to fill the new side anew when a server crashes over it', async () => {
  const stage = await UpgradeStage.start(way())
  stage.crashesWhileFilling = true
  await stage.begin()
  const record = await stage.ended()
  expect(record.state, JSON.stringify(record)).toBe('Completed')
  expect(stage.crashed).toEqual([stage.old, stage.new])
  await stage.expectWhole(stage.new)
})

it.each(['Replication', 'Dump'] as const)(
  'takes sequences along that a crash of the old server has moved on, by %s',
  async (method) => {
    const stage = await UpgradeStage.start(way())
    stage.method = method
    let crashes = 1
    stage.after = async (step) => {
      if (step !== 'MigrateData' || crashes === 0) return
      crashes -= 1
      // Recovery does so: a server notes in its log which numbers it may give, 32 at a time, and not which it gave.
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

it('takes sequences along exactly, also what was set back or has given no number since the rows were read', async () => {
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

it.each(crashPlaces(wayBack, 3))('leads back to an old side that works when it fails at %s', async (step) => {
  const stage = await UpgradeStage.start(way())
  stage.failing = step
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Compensated' })
  await stage.expectWhole(stage.old)
  expect(await stage.isNewBare()).toBe(true)
})

it.each([
  ['does not follow any more', 'SubscriptionDisabled', stopFollowing],
  ['is too far behind', 'ReplicationLagging', letNothingBeKept],
])('leads back when the new side %s while somebody is waited for', async (_, reason, disturb) => {
  const stage = await UpgradeStage.start(way())
  stage.waitsFor = 'somebody to say so'
  await stage.begin()
  await stage.until('all to be ready', ({ steps }) => steps[3]?.state === 'Running')
  await disturb(stage)
  expect(await stage.ended()).toMatchObject({ state: 'Compensated', reason })
  await stage.expectWhole(stage.old)
  expect(await stage.isNewBare()).toBe(true)
})

it('moves by a dump what cannot be replicated', async () => {
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

it('turns nobody away for a new side that cannot apply what it is given', async () => {
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

it('leads back to an old side that works when it cannot be filled by a dump', async () => {
  const stage = await UpgradeStage.start(way())
  ;[stage.method, stage.failing] = ['Dump', 'MigrateData']
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Compensated' })
  await stage.expectWhole(stage.old)
  expect(await stage.isNewBare()).toBe(true)
})

it('keeps no log at an old side that does not let applications in again yet', async () => {
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

it('goes no way back from the first login at the new side on', async () => {
  const stage = await UpgradeStage.start(way())
  stage.before = async (step) => {
    if (step === 'RetireOld') throw new CodedError({ code: 'Broken', message: 'the old side is gone', remedy: 'stop' })
  }
  await stage.begin()
  await stage.until('it to be past the pivot', ({ pivotedAt }) => pivotedAt !== undefined)
  expect(await stage.ended()).toMatchObject({ state: 'ManualIntervention' })
  await stage.clientWrites()
})

it('is broken off when somebody may write to the old side again', async () => {
  const stage = await UpgradeStage.start(way())
  stage.before = async (step) => {
    if (step === 'MigrateData') await stage.old.byHand('ALTER ROLE app LOGIN')
  }
  await stage.begin()
  expect(await stage.ended()).toMatchObject({ state: 'Compensated', reason: 'WriteFreezeLost' })
  await stage.expectWhole(stage.old)
})

it('goes on when both servers crash while nobody may write', async () => {
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
