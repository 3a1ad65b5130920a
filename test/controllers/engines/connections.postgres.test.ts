// Connections to a server: their number, their loss, and the names under which the operator connects.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { libpqEnvironment } from '../../../src/controllers/engines/postgres/logical/libpq-environment.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import { SimClock } from '../../../src/testing/sim-clock.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { Crowd } from '../../postgres/crowd.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { cutAt, cutAtText, SqlProxy } from '../../postgres/sql-proxy.ts'

const run = promisify(execFile)
const token = { uid: '5f1c', generation: 1 }

onEachPostgres('connections', (server, version) => {
  it('are at most five with fifty databases in use at once, and each is reused', async () => {
    const own = await startPostgres({ version, settings: { max_connections: '20' } })
    const here = engineHere()
    const proxy = await proxyOf(own)
    const names = Array.from({ length: 50 }, (_, at) => `db_${at}`)
    const role = 'all_owner'
    await here.at(proxy.access()).change([{ kind: 'createRole', role, token, attributes: {} }])
    await Promise.all(names.map((name) => here.at(proxy.access()).createDatabase({ name, owner: role, token })))
    proxy.forget()
    const passes = names.map(async (name) => {
      const at = here.at(proxy.access(), undefined, name)
      const { databases } = await at.observe({ databases: [name] })
      const { schemas } = await at.observeContents(name)
      return [databases.length, schemas.length]
    })
    expect(await Promise.all(passes)).toEqual(names.map(() => [1, 1]))
    expect(proxy.statements).toHaveLength(100)
    expect(proxy.connections.peak).toBeLessThanOrEqual(5)
    const [most] = await own.byHand(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name LIKE 'konverge/%'",
    )
    expect(Number(most?.['n'])).toBeLessThanOrEqual(5)
    expect(own.log()).not.toContain('too many')
  })

  it('are kept when a caller alternates between two databases', async () => {
    const proxy = await proxyOf(server())
    const here = engineHere()
    const names = Array.from({ length: 20 }, (_, at) => `visited_${at}`)
    for (const name of names) await server().byHand(`CREATE DATABASE ${name}`)
    const look = async (name: string) => {
      const at = here.at(proxy.access(), undefined, name)
      for (let round = 0; round < 4; round += 1) {
        await at.observe({ databases: [name] })
        await at.observeContents(name)
      }
    }
    await Promise.all(
      names.map(async (name) => {
        const caller = { kind: 'Database', namespace: 'default', name }
        const leave = await here.engine.visit(proxy.access(), { caller, signal: new AbortController().signal })
        await look(name).finally(leave)
      }),
    )
    // One for each, and now and then one more for the maintenance database.
    expect(proxy.connections.total).toBeLessThanOrEqual(2 * names.length)
    expect(proxy.connections.peak).toBeLessThanOrEqual(5)
    proxy.forget()
    await Promise.all(names.map(look))
    expect(proxy.connections.total).toBeGreaterThan(2 * names.length)
  })

  it("cost one statement per observation, and carry the caller's name", async () => {
    const proxy = await proxyOf(server())
    const here = engineHere()
    const [first, second] = ['one', 'two'].map((name) => here.at(proxy.access(), undefined, name))
    await first?.observe({ databases: ['postgres'], roles: [{ name: 'postgres' }] })
    await second?.observe({ databases: ['postgres'] })
    await second?.observeContents('postgres')
    await first?.observeGrants('postgres', { roles: ['postgres'], schemas: ['public'] })
    expect(proxy.statements.map(({ text }) => text.slice(0, 6))).toEqual(['SELECT', 'SELECT', 'SELECT', 'SELECT'])
    expect(proxy.connections.total).toBe(1)
    const names = "SELECT application_name AS n FROM pg_stat_activity WHERE application_name LIKE 'konverge/%'"
    expect(await server().byHand(names)).toEqual([{ n: 'konverge/Database/default/one' }])
    expect(proxy.statements[0]?.applicationName).toBe('konverge/Database/default/one')
    expect(here.calls.map(({ operation }) => operation)).toEqual([
      'observe',
      'observe',
      'observeContents',
      'observeGrants',
    ])
    expect(here.calls.every(({ endpoint }) => endpoint === `postgres/127.0.0.1:${server().port}`)).toBe(true)
  })

  it('have server-side keepalives, so that a lost machine holds no session for hours', async () => {
    const text = `SELECT concat_ws(' ', current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_interval'),
      current_setting('tcp_keepalives_count')) AS found`
    const access = server().access()
    // A setting of another user does not prevent it.
    await server().byHand(`CREATE ROLE never_asked SUPERUSER LOGIN PASSWORD '${access.password}'`)
    await server().byHand('ALTER ROLE never_asked SET tcp_keepalives_idle TO 7200')
    const of = { ...access, username: 'never_asked' }
    expect(await engineHere().at(of).query({ text, isLook: true })).toEqual([{ found: '30 10 3' }])
    const target = { access: of, database: 'postgres', applicationName: 'tool', caFile: undefined }
    const { stdout } = await run('/usr/bin/psql', ['--no-psqlrc', '-Atc', text], { env: libpqEnvironment(target) })
    expect(stdout).toBe('30 10 3\n')
  })

  it('that are killed while idle are replaced silently', async () => {
    const here = engineHere()
    const at = here.at(server().access())
    for (let round = 0; round < 3; round += 1) {
      await at.observe({})
      await terminateOurs(server())
      expect((await at.observe({})).server.majorVersion).toBe(version)
      await terminateOurs(server())
      await at.change([{ kind: 'limitConnections', database: 'postgres', connectionLimit: -1 }])
    }
    expect(here.calls.some(({ counts }) => counts)).toBe(false)
  })

  it('that are killed during use fail that use, count against the server, and are not reused', async () => {
    const here = engineHere()
    const at = here.at(server().access())
    const sleeping = at.query({ text: 'SELECT pg_sleep(20)' })
    const failed = expect(sleeping).rejects.toMatchObject({
      code: 'ServerUnreachable',
      remedy: 'retry',
      sqlState: '57P01',
    })
    await untilSleeping(server(), 1)
    await terminateOurs(server())
    await failed
    expect(here.calls).toMatchObject([{ operation: 'query', counts: true }])
    expect((await at.observe({})).server.majorVersion).toBe(version)
  })

  it('that break are reported by their state: no effect before the COMMIT, unknown after it', async () => {
    const proxy = await proxyOf(server())
    const at = engineHere().at(proxy.access())
    const isThere = async (name: string) => (await at.observe({ roles: [{ name }] })).roles.length === 1
    const make = (role: string) => [{ kind: 'createRole', role, token, attributes: {} }] as const
    for (const [role, judge, code, isDone] of [
      ['cut_begin', cutAt(1, 'after'), 'ServerUnreachable', false],
      ['cut_create', cutAt(2, 'after'), 'ServerUnreachable', false],
      ['cut_mark', cutAt(3, 'before'), 'ServerUnreachable', false],
      ['cut_before_commit', cutAtText(/^COMMIT/, 'before'), 'OutcomeUnknown', false],
      ['cut_after_commit', cutAtText(/^COMMIT/, 'after'), 'OutcomeUnknown', true],
    ] as const) {
      proxy.judge = judge
      const fresh = engineHere().at(proxy.access())
      await expect(fresh.change(make(role)), role).rejects.toMatchObject({ code, remedy: 'retry' })
      proxy.judge = () => 'pass'
      expect(await isThere(role), role).toBe(isDone)
    }
    proxy.judge = cutAt(1, 'before')
    await at.change(make('cut_first_of_reused'))
    proxy.judge = () => 'pass'
    expect(await isThere('cut_first_of_reused')).toBe(true)
    proxy.judge = cutAtText(/^CREATE DATABASE/, 'after')
    const wish = { name: 'cut_database', owner: 'postgres', token }
    await expect(at.createDatabase(wish)).rejects.toMatchObject({ code: 'OutcomeUnknown' })
    proxy.judge = () => 'pass'
    await expect(at.createDatabase(wish)).rejects.toMatchObject({ code: 'AlreadyExists', sqlState: '42P04' })
    await at.dropDatabase('cut_database', { force: true })
  })

  it('are limited to the number that a server has room for', async () => {
    const own = await startPostgres({
      version,
      settings: { max_connections: '3', superuser_reserved_connections: '0', max_wal_senders: '0' },
    })
    const here = engineHere()
    const passes = Array.from({ length: 20 }, (_, at) =>
      here.at(own.access(), undefined, `r${at}`).observeContents('postgres'),
    )
    expect(await Promise.all(passes)).toHaveLength(20)
    await here.stop()
    // Other clients have all connections.
    await Crowd.fill(own)
    await expect(engineHere().at(own.access()).observe({})).rejects.toMatchObject({
      code: 'TooManyConnections',
      sqlState: '53300',
      remedy: 'retry',
      retryAfterMs: 15_000,
    })
  })

  it('survive a server that stops, crashes and comes back', async () => {
    const own = await startPostgres({ version })
    const here = engineHere()
    const at = here.at(own.access())
    await at.observe({})
    await own.stop()
    await expect(at.observe({})).rejects.toMatchObject({ code: 'ServerUnreachable', remedy: 'retry' })
    await own.start()
    expect((await at.observe({})).server.majorVersion).toBe(version)
    await own.kill()
    await expect(at.observe({})).rejects.toMatchObject({ code: 'ServerUnreachable' })
    await own.start()
    expect((await at.observe({})).server.majorVersion).toBe(version)
    expect(here.calls.map(({ counts }) => counts)).toEqual([false, true, false, true, false])
  })

  it('are abandoned when a server hangs, or when their caller is aborted', async () => {
    const own = await startPostgres({ version })
    const proxy = await proxyOf(own)
    const clock = new SimClock()
    own.pause()
    const looking = engineHere(clock).at(proxy.access()).observe({}).catch(String)
    await waitUntil({ what: 'the server to be dialled' }, async () => proxy.connections.total === 1)
    await clock.advance(4_999)
    expect(proxy.connections.open).toBe(1)
    await clock.advance(1)
    expect(await looking).toContain('no answer within 5 s')
    own.resume()
    const [here, stop] = [engineHere(), new AbortController()]
    const sleeping = here.at(own.access(), stop.signal).query({ text: 'SELECT pg_sleep(300)' })
    await untilSleeping(own, 1)
    const reason = new Error('enough')
    stop.abort(reason)
    await expect(sleeping).rejects.toBe(reason)
    // The server ends the query too, although it got no request to.
    await untilSleeping(own, 0)
    await expect(here.at(own.access(), stop.signal).observe({})).rejects.toBe(reason)
  })

  it('that hang after earlier use are abandoned after ten seconds, and no new one is opened for the call', async () => {
    const proxy = await proxyOf(server())
    const clock = new SimClock()
    const at = engineHere(clock).at(proxy.access())
    await at.observe({})
    proxy.judge = () => 'hang'
    const looking = at.observe({}).catch((thrown: unknown) => thrown)
    await waitUntil({ what: 'the question to be asked' }, async () => proxy.statements.length === 2)
    await clock.advance(10_000)
    expect(await looking).toMatchObject({
      code: 'ServerUnreachable',
      remedy: 'retry',
      message: expect.stringContaining('no answer within 10 s'),
    })
    expect(proxy.connections).toMatchObject({ open: 0, total: 1 })
    proxy.judge = () => 'pass'
    expect((await at.observe({})).server.majorVersion).toBe(version)
  })

  it('are all closed at the end, and none is opened after it', async () => {
    const here = engineHere()
    const at = here.at(server().access())
    await Promise.all([at.observe({}), at.observe({}), at.observeContents('template1')])
    await here.stop()
    expect(await ours(server())).toBe(0)
  })

  it('to a server that is not PostgreSQL fail as to a server that is down', async () => {
    const proxy = await proxyOf(server())
    proxy.welcome = 'garbage'
    const here = engineHere()
    await expect(here.at(proxy.access()).observe({})).rejects.toMatchObject({ code: 'ServerUnreachable' })
    expect(here.calls).toMatchObject([{ counts: true }])
  })

  it('show no password and, if avoidable, no verifier in the server’s log', async () => {
    const own = await startPostgres({ version, settings: { log_statement: 'all', log_min_duration_statement: '0' } })
    await own.byHand("CREATE ROLE op LOGIN CREATEDB CREATEROLE PASSWORD 'op-needle-in-haystack'")
    const lengthBefore = own.log().length
    const here = engineHere()
    const passwords = ['first needle', 'second "needle"\\', "third ' needle"]
    for (const [index, password] of passwords.entries()) {
      const verifier = scramVerifier({ password, salt: Buffer.alloc(16, index) })
      const isOp = index === 1
      const at = here.at(own.access(isOp ? { username: 'op', password: 'op-needle-in-haystack' } : {}))
      const role = `needle_${index}`
      await at.change([{ kind: 'createRole', role, token, attributes: { canLogin: true, verifier } }])
      await at.observe({ roles: [{ name: role, verifier }] })
      const login = { username: role, password, database: 'postgres' }
      expect(await at.tryLogin(login)).toBe('Verified')
      expect(await at.tryLogin({ ...login, password: `${password}?` })).toBe('WrongPassword')
      await expect(at.change([{ kind: 'createRole', role, token, attributes: { verifier } }])).rejects.toMatchObject({
        code: 'AlreadyExists',
        message: expect.not.stringContaining('SCRAM'),
      })
      if (!isOp) expect(own.log()).not.toContain(verifier)
    }
    const log = own.log().slice(lengthBefore)
    expect(log).toContain('COMMENT ON ROLE')
    expect(log).not.toContain('needle-in')
    for (const password of passwords) expect(log).not.toContain(password)
  })
})

async function proxyOf(server: PostgresServer): Promise<SqlProxy> {
  const proxy = await SqlProxy.start(server.access())
  onTestFinished(() => proxy.stop())
  return proxy
}

async function terminateOurs(server: PostgresServer): Promise<void> {
  await server.byHand(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'konverge/%'",
  )
}

async function ours(server: PostgresServer): Promise<number> {
  const [row] = await server.byHand(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE 'konverge/%'",
  )
  return Number(row?.['n'])
}

/** Waits until this number of the test's sessions sleep on the server. */
async function untilSleeping(server: PostgresServer, wanted: number): Promise<void> {
  const sleeping =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'"
  const isSo = async () => (await server.byHand(sleeping))[0]?.['n'] === wanted
  await waitUntil({ what: `${wanted} sessions that sleep` }, isSo)
}
