// Backup, restore and upgrade of a database as docs/backups.md, restores.md and upgrades.md describe them, with
// processes as pods. Runs on the real control plane; the test kills the operator meanwhile.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machinePostgres } from '../../src/cli/dev/machine-postgres.ts'
import { toolPlaces } from '../../src/cli/tool-places.ts'
import { findTools } from '../../src/controllers/engines/postgres/logical/tool-loader.ts'
import { DayTwoStage } from './day-two-stage.ts'

const majors = machinePostgres().versions.map(({ major }) => major)
const [from, to] = [Math.min(...majors), Math.max(...majors)]
const tools = await findTools('pg_dump', toolPlaces(process.env), new AbortController().signal)
const canSaveNew = tools.some(({ majorVersion }) => majorVersion >= to)

const server = { version: String(from), provider: { inCluster: {} } }
const target = { pvc: { claimName: 'backups' } }
const databaseRef = { name: 'shop' }
const countOrders = 'SELECT count(*)::int AS count FROM orders WHERE n > 0'
const all = [{ count: 1_000 }]

describe('a Database', { timeout: 900_000 }, () => {
  let stage: DayTwoStage
  beforeAll(async () => {
    stage = await DayTwoStage.start()
    await stage.own('Database', 'shop', { ...server, snapshotTarget: target })
    await stage.own('DatabaseUser', 'web', { databases: [{ name: 'shop', access: 'ReadWrite' }] })
    for (const resource of ['db/shop', 'dbu/web']) await stage.has(resource, 'condition=Ready')
    await stage.byHand(
      'shop',
      `CREATE TABLE orders (n int PRIMARY KEY); INSERT INTO orders SELECT generate_series(1, 1000);
       ALTER TABLE orders OWNER TO shop_owner; GRANT SELECT, INSERT, DELETE ON orders TO web`,
    )
  })
  afterAll(() => stage?.stop())

  it('is restored from its backup and bootstraps others when the operator is killed while a worker runs', async () => {
    await stage.own('Backup', 'rows', { databaseRef, target })
    await stage.own('Backup', 'server', { databaseRef, target, method: 'Physical' })
    for (const name of ['rows', 'server']) await stage.has(`bak/${name}`, 'condition=Verified')
    await stage.asUser('web', 'DELETE FROM orders WHERE n > 10')

    // The worker needs this catalog to create the copy beside the database.
    const list = await stage.hold('shop', 'pg_database')
    const from = { backupRef: { name: 'rows' } }
    await stage.patch('db/shop', { restore: { requestID: 'r1', from, keepPrevious: '1s' } })
    for (const [name, backup] of Object.entries({ anew: 'rows', twin: 'server' })) {
      await stage.own('Database', name, { ...server, bootstrap: { restoreFrom: { backupRef: { name: backup } } } })
    }
    await list.isWaitedFor()
    await stage.killOperator()
    await list.letGo()
    await stage.has(await stage.jobOf('shop-restore'), 'condition=Complete')
    expect(await stage.byHand('shop', countOrders)).toEqual(all)
    await stage.startOperator()

    await stage.has('db/shop', 'condition=Restored')
    // A backup contains no grants: the operator grants them again.
    const isSeen = async () => (await stage.asUser('web', countOrders))[0]?.['count'] === 1_000
    await stage.until('its user to see it', isSeen)
    const told = 'the database is what was asked for; what was there before has been dropped'
    await stage.has('db/shop', `jsonpath={.status.restore.message}=${told}`)
    expect(await stage.byHand('shop', "SELECT FROM pg_database WHERE datname ~ '^shop_'")).toEqual([])
    for (const name of ['anew', 'twin']) {
      await stage.has(`db/${name}`, 'condition=Ready')
      expect(await stage.byHand(name, countOrders)).toEqual(all)
    }
  })

  it.skipIf(from === to)(
    `is raised from ${from} to ${to} while an application writes, though the operator is killed as it turns that away`,
    async () => {
      const application = await stage.application('web')
      await stage.patch('db/shop', { version: String(to), upgrade: {} })
      await stage.has('db/shop', 'jsonpath={.status.upgrade.state}=AwaitingCutover')
      const logins = await stage.hold('shop', 'pg_authid')
      await stage.kubectl('annotate', 'db/shop', `data.konverge.dev/cutover=${to}`)
      await logins.isWaitedFor()
      await stage.killOperator()
      await logins.letGo()
      await stage.startOperator()

      await stage.has('db/shop', 'condition=Upgraded')
      for (const resource of ['db/shop', 'dbu/web']) await stage.has(resource, 'condition=Ready')
      await application.writes()
      expect(await application.lost()).toEqual([])
      expect(await stage.asUser('web', countOrders)).toEqual(all)
      const version = "SELECT current_setting('server_version_num')::int / 10000 AS major"
      expect(await stage.asUser('web', version)).toEqual([{ major: to }])
      // The backup from before the upgrade stays, verified.
      const columns = (await stage.kubectl('get', 'bak', '--no-headers')).split('\n')
      expect(columns).toContainEqual(expect.stringMatching(`^shop-before-${to}-\\w+ +shop +Completed +True `))
      // No worker is created for a server that is about to restart: each Job exists once.
      const created = ['--field-selector=reason=SuccessfulCreate', '-o', 'jsonpath={.items[*].involvedObject.name}']
      const jobs = (await stage.kubectl('get', 'events', ...created)).split(' ')
      const saving = jobs.filter((name) => name.startsWith(`shop-before-${to}-`))
      expect(saving).toHaveLength(2)
      expect(new Set(saving).size).toBe(2)
      await stage.patch('db/shop', { upgrade: { keepPrevious: '0s' } })
      await stage.has('pvc/data-shop-postgres-0', 'delete')
      expect(await stage.refusalOf('db/shop', { version: String(from) })).toContain(
        'spec.version: Forbidden: version cannot decrease, except to roll back an upgrade while the old server serves',
      )
    },
  )

  it.skipIf(from === to || canSaveNew)(
    `of version ${to} says what a backup needs that this machine has not, and takes one of version ${from}`,
    async () => {
      await stage.own('Backup', 'after', { databaseRef, target })
      await stage.has('bak/after', 'condition=Stalled')
      expect(await stage.kubectl('get', 'bak/after', '-o', 'jsonpath={.status.error}')).toMatch(
        new RegExp(
          `^pg_dump \\S+ is too old for a server of version ${to}; use an image with .*, version ${to} or newer$`,
        ),
      )
      await stage.asUser('web', 'DELETE FROM orders WHERE n > 10')
      await stage.patch('db/shop', { restore: { requestID: 'r2', from: { backupRef: { name: 'rows' } } } })
      await stage.has('db/shop', 'condition=Restored')
      expect(await stage.byHand('shop', countOrders)).toEqual(all)
    },
  )

  it('needs no right that the operator lacks', async () => {
    expect(await stage.refusals()).toEqual([])
  })
})
