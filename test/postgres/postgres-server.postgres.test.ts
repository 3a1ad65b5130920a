// Test of the server fixture: it answers, stops, is killed, is paused, and comes back with its data.
import { expect, it } from 'vitest'
import { onEachPostgres, startPostgres } from './on-each-postgres.ts'

onEachPostgres('a server', (server, version) => {
  it('a server has the requested version', async () => {
    const [row] = await server().byHand('SHOW server_version_num')
    expect(Math.floor(Number(row?.['server_version_num']) / 10_000)).toBe(version)
  })

  it('a server keeps its data and its port when it stops, crashes and comes back', async () => {
    const own = await startPostgres({ version })
    await own.byHand('CREATE TABLE kept (n int); INSERT INTO kept VALUES (7); CHECKPOINT')
    await own.restart()
    expect(await own.byHand('SELECT n FROM kept')).toEqual([{ n: 7 }])
    await own.kill()
    await expect(own.byHand('SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await own.start()
    expect(await own.byHand('SELECT n FROM kept')).toEqual([{ n: 7 }])
  })

  it('a server does not answer while it is paused', async () => {
    const own = await startPostgres({ version })
    own.pause()
    await expect(own.byHand('SELECT 1', { limitMs: 300 })).rejects.toThrow('timeout')
    own.resume()
    expect(await own.byHand('SELECT 1 AS n')).toEqual([{ n: 1 }])
  })

  it('a server accepts settings, lines for pg_hba.conf, and a certificate', async () => {
    const own = await startPostgres({
      version,
      settings: { log_statement: 'all' },
      hba: ['host all nobody 127.0.0.1/32 reject'],
      tlsFor: ['localhost'],
    })
    expect(await own.byHand('SHOW ssl')).toEqual([{ ssl: 'on' }])
    expect(own.log()).toContain('statement: SHOW ssl')
    expect(own.certificate).toContain('BEGIN CERTIFICATE')
    await expect(own.byHand('SELECT 1', { user: 'nobody' })).rejects.toMatchObject({ code: '28000' })
  })
})
