// Replications when a server dies, and when a user reads logs and views. Invariant: each server's part can be removed
// alone, and the password is readable nowhere.
// The crash runs of upgrades break its connections.
import { expect, it } from 'vitest'
import { database, nothing, pairs, password, ReplicationStage } from './replication-stage.ts'

const schema = 'CREATE TABLE words (id int PRIMARY KEY, word text)'
const some = "INSERT INTO words SELECT n, 'word ' || n FROM generate_series(1, 10) AS n"
const everything = { log_statement: 'all', log_min_error_statement: 'debug5', log_replication_commands: 'on' }

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

it('a replication shows its password in no log and no view, also when the target cannot reach the source', async () => {
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
