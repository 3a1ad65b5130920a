// Deletion of a Database during its upgrade, on real servers. Invariant: a retained or backed-up database holds all
// writes of the applications, and the remaining objects can be found.
// The test deletes it in two states in which no server accepts applications.
import { describe, expect, it } from 'vitest'
import type { DatabaseStatus } from '../../../../imports/wire/database.ts'
import { ownBackup } from '../../../../src/controllers/database/own-backup.ts'
import type { DatabaseObject } from '../../../../src/controllers/database/server-connection.ts'
import { findCondition, type StatusWithConditions } from '../../../../src/index.ts'
import { waitUntil } from '../../../control-plane/wait-until.ts'
import { keepsBackups, patienceMs, UpgradeStory, versions } from './upgrade-story.ts'

const limit = { timeout: 600_000 }
const [from, to] = versions()
const upgrade = { snapshot: 'Skip', cutover: 'Manual' }
const isCutOver = { 'data.konverge.dev/cutover': to }

describe.skipIf(from === to)(`a Database that is deleted on its way from ${from} to ${to}`, () => {
  it('during the write freeze is rolled back, released by its users, and backed up', limit, async () => {
    const story = await UpgradeStory.start({ upgrade, deletionPolicy: 'Snapshot', ...keepsBackups })
    await story.applyUser('web', { databases: [{ name: 'shop', access: 'ReadOnly' }] })
    await story.user('web', 'True InSync')
    await story.apply({ version: to })
    await story.upgrade('AwaitingCutover')
    await story.clientWrites()
    const [keeper, holder] = [await story.session(), await story.session(`shop-pg${to}`, 'shop')]
    // The write freeze does not start before this transaction ends.
    await keeper.query('BEGIN; ALTER ROLE app CONNECTION LIMIT -1')
    await story.apply({}, isCutOver)
    await story.until('about to freeze', ({ status }) => stepIn(status) === 'ScaleDownOld')
    // The target server cannot apply later changes. The cutover waits with all applications locked out, and the tables
    // stay readable.
    await holder.query('BEGIN; LOCK TABLE orders IN EXCLUSIVE MODE')
    await story.clientWrites()
    await keeper.query('ROLLBACK')
    const going = await story.until('frozen', ({ status }) => stepIn(status) === 'MigrateData')
    story.client.stop()
    const backup = ownBackup(going as DatabaseObject, 'final')?.name ?? ''
    await story.cluster.delete('Database', 'shop')
    await story.cluster.delete('DatabaseUser', 'web')
    await holder.query('ROLLBACK')
    await story.gone('DatabaseUser', 'web')
    await story.gone('Database', 'shop')
    const { status } = await story.cluster.objectThat({ kind: 'Backup', name: backup }, 'there', () => true)
    const { conditions, source } = status as StatusWithConditions & { source?: { rows: number } }
    expect(findCondition(conditions, 'Verified')?.status).toBe('True')
    expect(source?.rows).toBeGreaterThanOrEqual(1_000 + story.client.acknowledged)
    await story.gone('PersistentVolumeClaim', `data-shop-pg${to}-0`)
    await story.gone('PersistentVolumeClaim', 'data-shop-postgres-0')
  })

  it(
    "during the first logins at the target server completes, and leaves that server's volume to the next Database",
    limit,
    async () => {
      const verifyQueries = [{ sql: 'SELECT public.waited()', expect: 't' }]
      const story = await UpgradeStory.start({ upgrade: { ...upgrade, verifyQueries } })
      await story.byHand(
        `CREATE TABLE public.gate (id int PRIMARY KEY); INSERT INTO gate VALUES (1); ALTER TABLE gate OWNER TO shop_owner;
       CREATE FUNCTION public.waited() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
         WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.05); END LOOP; RETURN true; END $$`,
      )
      await story.apply({ version: to })
      await story.upgrade('AwaitingCutover')
      await story.clientWrites()
      await story.apply({}, isCutOver)
      const wait = { what: 'the new server to be asked', limitMs: patienceMs }
      await waitUntil(wait, async () => (await story.byHand(asked, `shop-pg${to}`)).length > 0)
      story.client.stop()
      await story.cluster.delete('Database', 'shop')
      await story.byHand('DELETE FROM public.gate', `shop-pg${to}`)
      await story.gone('Database', 'shop')
      for (const server of ['shop-postgres', `shop-pg${to}`]) await story.gone('StatefulSet', server)
      const claim = { kind: 'PersistentVolumeClaim', name: `data-shop-pg${to}-0` }
      const { metadata } = await story.cluster.objectThat(claim, 'there', () => true)
      expect(metadata.ownerReferences).toBeUndefined()
      // The volume of the source server is removed too if its controller is fast enough.
      const other = { kind: 'PersistentVolumeClaim', name: 'data-shop-postgres-0' }
      if ((await story.cluster.get(other.kind, other.name)) !== undefined)
        await story.cluster.delete(other.kind, other.name)
      await story.gone(other.kind, other.name)
      await story.apply({ adoptionPolicy: 'Adopt' })
      const again = await story.until('ready', ({ status }) => (status as DatabaseStatus).phase === 'Ready')
      expect(again.status).toMatchObject({ server: { name: `shop-pg${to}`, version: to } })
      expect(await story.lostRows()).toEqual([])
    },
  )
})

/** The query of the session that waits at the gate. */
const asked = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT public.waited()'`

function stepIn(status: unknown): string | undefined {
  return (status as { upgrade?: { step?: string } }).upgrade?.step
}
