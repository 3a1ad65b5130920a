// Migrations with two workers that do not know of each other: two at once, or one that is paused and resumes. The crash
// runs cover the death of a worker.
import { expect, it } from 'vitest'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { MigrationStage, nothingLeft, type WorkerOptions } from './migration-stage.ts'
import { sqlStep } from './steps.ts'
import { forwardEffects, forwardSteps, stageWithRows } from './worker-crash.ts'

const within = { timeout: 60_000 }

onEachPostgres('a migration of several workers', (server) => {
  it('applies every step once with two workers at once', async () => {
    const stage = await stageWithRows(server())
    await stage.byHand('CREATE TABLE effects (name text)')
    const outcomes = await Promise.all([stage.work(forwardSteps), stage.work(forwardSteps, { holder: 'other' })])
    expect(outcomes).toEqual([{ kind: 'Completed' }, { kind: 'Completed' }])
    expect(await stage.byHand('SELECT name, count(*)::int AS times FROM effects GROUP BY name ORDER BY name')).toEqual(
      forwardEffects,
    )
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })

  it('rejects the writes of a worker that was paused and overtaken', async () => {
    const stage = await stageWithRows(server())
    await stage.byHand('CREATE TABLE effects (name text)')
    const options: WorkerOptions = { holder: 'paused' }
    let resume: (() => void) | undefined
    // Its session hangs within the step, and the server ends the session.
    stage.proxy.judge = ({ text }) => (text.includes("('move')") && resume === undefined ? 'hang' : 'pass')
    const paused = stage.work(forwardSteps, options)
    await expect.poll(() => stage.proxy.statements.some(({ text }) => text.includes("('move')"))).toBe(true)
    resume = () => stage.proxy.cutAll()
    await stage.byHand(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                         WHERE datname = current_database() AND application_name LIKE 'konverge/migration/%'`)
    expect(await stage.work(forwardSteps, { holder: 'other' })).toEqual({ kind: 'Completed' })
    resume()
    expect(await paused).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT name, count(*)::int AS times FROM effects GROUP BY name ORDER BY name')).toEqual(
      forwardEffects,
    )
  })

  it('starts nothing until the session of an earlier worker has ended', async () => {
    const stage = await MigrationStage.start(server())
    await stage.byHand(`CREATE TABLE calls (at timestamptz);
      CREATE PROCEDURE call_once() LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO calls VALUES (now()); COMMIT;
        IF (SELECT count(*) FROM calls) = 1 THEN PERFORM pg_sleep(600); END IF;
      END $$`)
    const verify = { sql: 'SELECT count(*) >= 2 FROM calls', expect: 't' }
    const work = stage.work([sqlStep('CALL call_once()', { isTransactional: false, verify })], { firstRetryMs: 100 })
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
    await expect.poll(() => stage.byHand(sleeping), within).toHaveLength(1)
    const pid = Number((await stage.byHand(sleeping))[0]?.['pid'])
    process.kill(pid, 'SIGSTOP')
    try {
      stage.proxy.cutAll()
      const triedToEnd = () => stage.proxy.statements.filter(({ text }) => text.includes('pg_terminate_backend')).length
      await expect.poll(triedToEnd, within).toBeGreaterThan(1)
      expect(await stage.byHand('SELECT count(*)::int AS times FROM calls')).toEqual([{ times: 1 }])
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect(await work).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT count(*)::int AS times FROM calls')).toEqual([{ times: 2 }])
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })
})
