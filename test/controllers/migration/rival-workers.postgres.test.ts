// Does a migration hold against workers that do not know of each other: two at once, and one that was paused and comes back? What becomes
// of it where a worker dies is told by the crash runs.
import { expect, it } from 'vitest'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { nothingLeft, type WorkerOptions } from './migration-stage.ts'
import { forwardEffects, forwardSteps, stageWithRows } from './worker-crash.ts'

onEachPostgres('a migration of several workers', (server) => {
  it('applies every step once by two workers at once', async () => {
    const stage = await stageWithRows(server())
    await stage.byHand('CREATE TABLE effects (name text)')
    const outcomes = await Promise.all([stage.work(forwardSteps), stage.work(forwardSteps, { holder: 'other' })])
    expect(outcomes).toEqual([{ kind: 'Completed' }, { kind: 'Completed' }])
    expect(await stage.byHand('SELECT name, count(*)::int AS times FROM effects GROUP BY name ORDER BY name')).toEqual(
      forwardEffects,
    )
    expect(await stage.leftovers()).toEqual(nothingLeft)
  })

  it('lets nothing through of a worker that was paused and overtaken', async () => {
    const stage = await stageWithRows(server())
    await stage.byHand('CREATE TABLE effects (name text)')
    const options: WorkerOptions = { holder: 'paused' }
    let resume: (() => void) | undefined
    // Its session hangs in the middle of the step, and the server gives the session up.
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
})
