// Upgrade of an in-cluster Database by its spec while an application writes. It runs for real from the oldest version
// of this machine to the newest.
import { describe, expect, it } from 'vitest'
import type { DatabaseStatus } from '../../../../imports/wire/database.ts'
import { findCondition, type StatusWithConditions } from '../../../../src/index.ts'
import { keepsBackups, UpgradeStory, versions } from './upgrade-story.ts'

const limit = { timeout: 600_000 }
const [from, to] = versions()
const progress = (status: unknown) => findCondition((status as StatusWithConditions).conditions, 'Progressing')

describe.skipIf(from === to)(`a Database that is raised from ${from} to ${to}`, () => {
  it('moves on approval, and loses neither users nor acknowledged writes', limit, async ({ annotate }) => {
    const story = await UpgradeStory.start({ upgrade: { snapshot: 'Skip' } })
    await story.applyUser('web', { databases: [{ name: 'shop', access: 'ReadWrite' }] })
    await story.user('web', 'True InSync')
    const binding = await story.binding('web')
    await story.apply({ version: to })
    const waiting = await story.upgrade('AwaitingCutover')
    await story.user('web', 'False DatabaseMoving')
    expect(waiting).toMatchObject({
      phase: 'Upgrading',
      server: { name: 'shop-postgres', version: from },
      upgrade: { id: `${from}-to-${to}`, from, to, step: 'AwaitCutover', progress: 'AwaitCutover 4/8' },
    })
    expect(findCondition(waiting.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Upgrading' })
    await story.clientWrites()
    await story.apply({}, { 'data.konverge.dev/cutover': to })
    await story.upgrade('Completed')
    await story.clientWrites()
    story.client.stop()
    expect(await story.lostRows()).toEqual([])
    const ready = await story.until(
      'ready',
      ({ status }) => findCondition((status as StatusWithConditions).conditions, 'Ready')?.reason === 'InSync',
    )
    expect(ready.status).toMatchObject({
      phase: 'Ready',
      serverVersion: expect.stringMatching(`^${to}[.]`),
      server: { name: `shop-pg${to}`, version: to },
      previous: { name: 'shop-postgres', version: from },
    })
    // Its users have moved too, and their Secrets stay valid.
    await story.user('web', 'True InSync')
    expect(await story.binding('web')).toEqual(binding)
    const asked = "SELECT current_user::text AS me, current_setting('server_version_num')::int / 10000 AS version"
    expect(await story.asUser('web', asked)).toEqual([{ me: 'web', version: Number(to) }])
    await story.applyUser('web', { databases: [{ name: 'shop', access: 'ReadOnly' }] })
    await story.user('web', 'True InSync')
    await expect(story.asUser('web', 'DELETE FROM orders')).rejects.toMatchObject({ code: '42501' })
    await annotate(`the application could not write for ${story.client.longestGapMs} ms`)
    await story.apply({ upgrade: { snapshot: 'Skip', keepPrevious: '0s' } }, {})
    await story.gone('StatefulSet', 'shop-postgres')
    await story.gone('PersistentVolumeClaim', 'data-shop-postgres-0')
  })

  it('moves by a dump on request, with objects that cannot be replicated', limit, async () => {
    const story = await UpgradeStory.start({ upgrade: { cutover: 'Automatic', method: 'Dump' }, ...keepsBackups })
    await story.byHand("CREATE UNLOGGED TABLE cache (what text); INSERT INTO cache VALUES ('warm')")
    await story.otherAtWork('v1')
    await story.otherFollows('v2')
    await story.apply({ version: to })
    const waiting = await story.until('waiting', ({ status }) => progress(status)?.reason === 'UpgradeWaits')
    expect(progress(waiting.status)?.message).toBe('Migration v1, Migration v2 are at work in the database')
    expect((waiting.status as DatabaseStatus).upgrade).toBeUndefined()
    await story.otherEnds('v1')
    await story.otherFollowsNoMore('v2')
    await story.upgrade('Completed')
    await story.clientWrites()
    story.client.stop()
    expect(await story.lostRows()).toEqual([])
    const asked = "SELECT what, current_setting('server_version_num')::int / 10000 AS version FROM cache"
    expect(await story.byHand(asked)).toEqual([{ what: 'warm', version: Number(to) }])
  })

  it('rolls back on request, and completes that although its operator dies at each step', limit, async () => {
    const story = await UpgradeStory.start({ upgrade: { snapshot: 'Skip' } })
    await story.apply({ version: to })
    await story.upgrade('AwaitingCutover')
    await story.apply({ version: from })
    expect(await story.isBack()).toMatchObject({ server: { name: 'shop-postgres', version: from } })

    // No step waits for a server that is going to be removed.
    await story.apply({ version: to, upgrade: { snapshot: 'Skip', retry: 'a' } })
    await story.upgrade('AwaitingCutover')
    await story.killNewServer()
    await story.apply({ version: from })
    expect(await story.isBack()).toMatchObject({ server: { name: 'shop-postgres', version: from } })

    const verifyQueries = [{ sql: 'SELECT count(*) FROM public.orders WHERE n = 1', expect: '1' }]
    const upgrade = { snapshot: 'Skip', cutover: 'Automatic', verifyQueries, retry: 'b' }
    await story.apply({ version: to, upgrade })
    await story.dyingAtEachStep()
    expect(await story.upgrade('Completed')).toMatchObject({ server: { name: `shop-pg${to}`, version: to } })
    await story.clientWrites()
    story.client.stop()
    expect(await story.lostRows()).toEqual([])
  })
})
