// What becomes of a replication when a server dies, a connection breaks or somebody looks over its shoulder? It goes on from what is
// there, each side can be removed by itself, and its password is nowhere to be read.
import { expect, it, onTestFinished } from 'vitest'
import { crashPlaces } from '../../../fault-lab/crash-places.ts'
import { SqlProxy } from '../../../postgres/sql-proxy.ts'
import { database, nothing, pairs, password, ReplicationStage } from './replication-stage.ts'

const schema = 'CREATE TABLE words (id int PRIMARY KEY, word text)'
const some = "INSERT INTO words SELECT n, 'word ' || n FROM generate_series(1, 10) AS n"
const everything = { log_statement: 'all', log_min_error_statement: 'debug5', log_replication_commands: 'on' }
const fates = ['cutBefore', 'cutAfter'] as const

for (const [source, target] of pairs()) {
  const way = `from PostgreSQL ${source} to ${target}`

  it(`${way}: each side goes by itself when the other one stands still or is dead while it follows`, async () => {
    const stage = await ReplicationStage.start(schema, { source, target })
    await stage.source.byHand(some, { database })
    await stage.following()
    stage.source.pause()
    try {
      await stage.task().subscriber.remove()
    } finally {
      stage.source.resume()
    }
    expect(await stage.leftovers(stage.target)).toEqual(nothing)
    await stage.removed(stage.source, () => stage.task().publisher.remove())
    stage.filledFrom = undefined
    await stage.target.byHand('TRUNCATE words', { database })
    await stage.following()
    await stage.target.kill()
    await stage.removed(stage.source, () => stage.task().publisher.remove())
  })
}

it('its password is in no log and no view, also where the target does not reach the source', async () => {
  const [[source, target] = [0, 0]] = pairs()
  const settings = { sourceSettings: everything, targetSettings: everything }
  const stage = await ReplicationStage.start(schema, { source, target, ...settings })
  const wrong = { ...stage.task().address, password: `${password}-wrong` }
  await expect(stage.task().subscriber.subscribe(wrong)).rejects.toMatchObject({
    code: 'StatementFailed',
    message: expect.stringMatching(
      /^the target 127\.0\.0\.1:\d+ does not reach the source: 08006 .*authentication failed/,
    ),
  })
  await stage.following()
  await stage.target.byHand('CREATE ROLE curious LOGIN PASSWORD $$curious$$; GRANT pg_monitor TO curious')
  const curious = { database, user: 'curious', password: 'curious' }
  await expect(stage.target.byHand('SELECT subconninfo FROM pg_subscription', curious)).rejects.toMatchObject({
    code: '42501',
  })
  const [seen] = await stage.target.byHand('SELECT json_agg(a)::text AS all FROM pg_stat_activity AS a', curious)
  await stage.task().subscriber.remove()
  await stage.removed(stage.source, () => stage.task().publisher.remove())
  for (const text of [String(seen?.['all']), stage.source.log(), stage.target.log()])
    expect(text).not.toContain(password)
  expect(stage.target.log()).toContain('DROP SUBSCRIPTION')
})

for (const side of ['source', 'target'] as const) {
  it(`goes on wherever the connection to the ${side} breaks, forth and back`, async () => {
    const [[source, target] = [0, 0]] = pairs()
    const stage = await ReplicationStage.start(schema, { source, target })
    await stage.source.byHand(some, { database })
    const proxy = await SqlProxy.start(stage[side].access())
    onTestFinished(() => proxy.stop())
    const undisturbed = await story(stage, proxy, side)
    const places = Array.from({ length: undisturbed }, (_, at) => fates.map((fate) => ({ index: at + 1, fate }))).flat()
    const sample = side === 'source' ? 0 : 1
    // Each takes seconds, so that the gate makes do with every 25th.
    for (const { index, fate } of crashPlaces(crashPlaces(places, sample), sample)) {
      proxy.judge = (statement) => (statement.index === index ? fate : 'pass')
      await story(stage, proxy, side)
    }
  })
}

/** Forth and back; says how many statements went by the proxy. */
async function story(stage: ReplicationStage, proxy: SqlProxy, side: 'source' | 'target'): Promise<number> {
  proxy.forget()
  await stage.target.byHand('TRUNCATE words', { database })
  const task = stage.task({ [side]: proxy.access() })
  stage.filledFrom = undefined
  const ways = { task, access: side === 'source' ? proxy.access() : stage.source.access() }
  await stage.until('the target to follow', ({ kind }) => kind === 'following', ways)
  expect(await stage.target.byHand('SELECT count(*)::int AS rows FROM words', { database })).toEqual([{ rows: 10 }])
  await stage.removed(stage.target, () => task.subscriber.remove())
  await stage.removed(stage.source, () => task.publisher.remove())
  return proxy.statements.length
}
